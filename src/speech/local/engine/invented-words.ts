import { lengthBeforeLoop } from "./repetition.ts";

// Speech models were trained to find words, and find some in noise and music. What they understand counts only when the audio holds speech,
// and when the model is sure enough.

/** Audio with less speech than this, by the service's detector, has no words: it is not even given to the model. */
export const SPEECH_MS_MIN = 160;

/** The mean logarithm of the tokens' probabilities below which a text is refused. */
export const LOG_PROBABILITY_MIN = -1.5;
/** People do not speak faster, in tokens a second of speech; a few tokens may be there in any case. */
const TOKENS_PER_S_MAX = 14;
const TOKENS_MIN = 4;

/** What is known of a pass. */
export interface Evidence {
  /** The time with speech in the audio, ms. */
  readonly speechMs: number;
  readonly tokens: readonly number[];
  readonly averageLogProbability: number;
  /** The pass ended because it had as many tokens as the audio can hold. */
  readonly isAtLimit: boolean;
}

/** Why a text was refused: these are the reasons of a log line. */
export type Refusal = "improbable" | "too_fast" | "repeated" | "endless";

/** Why these tokens are no words that a person said; undefined where they are. */
export function refusalOf({ speechMs, tokens, averageLogProbability, isAtLimit }: Evidence): Refusal | undefined {
  if (averageLogProbability < LOG_PROBABILITY_MIN) return "improbable";
  if (tokens.length > Math.max(TOKENS_MIN, (TOKENS_PER_S_MAX * speechMs) / 1_000)) return "too_fast";
  if (lengthBeforeLoop(tokens.map(String)) !== undefined) return "repeated";
  return isAtLimit ? "endless" : undefined;
}
