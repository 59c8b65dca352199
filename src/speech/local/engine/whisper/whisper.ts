import { Tensor } from "onnxruntime-web/wasm";
import type { Hypothesis, SpeechModel, TranscribeOptions } from "../../speech-model.ts";
import { LOG_PROBABILITY_MIN, SPEECH_MS_MIN } from "../invented-words.ts";
import type { Table } from "../onnx-file.ts";
import { lengthBeforeLoop } from "../repetition.ts";
import { logMel, MEL_BINS, MEL_HOP_SAMPLES, MEL_RATE_HZ } from "../spectrum/log-mel.ts";
import type { SpeechFinder } from "../speech-parts.ts";
import type { Session, WhisperDecoder } from "./decoder.ts";
import type { WhisperTokens } from "./tokens.ts";

/** The table of positions in the encoder's file, which loading makes an input: `tableAsInput`. */
export const POSITIONS = "embed_positions.weight";
/** What is used of the encoder's outputs. */
export const HIDDEN_STATES = "last_hidden_state";

/** Two frames of the spectrum make one position. */
const POSITION_SAMPLES = 2 * MEL_HOP_SAMPLES;
const POSITION_MS = (POSITION_SAMPLES * 1_000) / MEL_RATE_HZ;
/**
 * Silence after the speech in its window. Whisper was trained on windows of 30 s, mostly with silence at their end; with too little of
 * it the text is repeated until the decoder is full. 8 s make no more wrong words than the whole 30 s (development speech: it, ru).
 */
const SILENCE_MS = 8_000;
/** No person says more tokens a second, in any language. */
const TOKENS_PER_SECOND_MAX = 25;
const TOKENS_MIN = 16;
/** Half the decoder's positions, as OpenAI's implementation has it. */
const TOKENS_MAX = 224;
/** OpenAI's own thresholds: a window is taken for silence at this probability of no speech and this little certainty of its words. */
const SILENCE = { noSpeechMin: 0.6, logProbabilityMax: -1 };

interface Parts {
  readonly name: string;
  readonly tokens: WhisperTokens;
  readonly encoder: Session;
  readonly positions: Table;
  readonly decoder: WhisperDecoder;
  /** Audio without speech is not given to the network, which would invent words. */
  readonly speech: Pick<SpeechFinder, "find">;
}

const NO_WORDS = { text: "", averageLogProbability: 0 } as const;

/**
 * OpenAI's Whisper: the log-mel spectrum of up to 30 s through an encoder, then token by token the likeliest text (Radford et al., Robust
 * Speech Recognition via Large-Scale Weak Supervision, 2022). The window is as long as the speech and a second of silence, which
 * costs a fraction of the 30 s that others compute. Without word times.
 */
export class Whisper implements SpeechModel {
  readonly name: string;
  readonly languages: readonly string[];
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.name = parts.name;
    this.languages = parts.tokens.languages;
    this.#parts = parts;
  }

  /** Rejects for a language that is not in `languages`. */
  async transcribe(samples: Float32Array, { language, shouldStop }: TranscribeOptions): Promise<Hypothesis> {
    const prompt = this.#parts.tokens.prompt(language);
    if (prompt === undefined) throw new Error(`${this.name} does not know the language ${JSON.stringify(language)}`);
    const { tokens, decoder, speech } = this.#parts;
    if (speech.find(samples).speechMs < SPEECH_MS_MIN) return { ...NO_WORDS, isStopped: false };
    const text = await decoder.begin(await this.#encode(samples), prompt);
    const tokensMax = Math.min(TOKENS_MAX, TOKENS_MIN + (TOKENS_PER_SECOND_MAX * samples.length) / MEL_RATE_HZ);
    const words = new GrowingText(tokens);
    let isStopped = false;
    while (!isStopped && words.ids.length < tokensMax) {
      const next = text.likeliest(words.ids.length === 0 ? tokens.suppressedFirst : []);
      words.logProbabilities.push(next.logProbability);
      if (next.id === tokens.endOfText || words.isLoopWith(next.id)) break;
      isStopped = await shouldStop();
      if (!isStopped) await text.add(next.id);
    }
    const { ids, logProbabilities } = words;
    const averageLogProbability = mean(logProbabilities);
    const isSilence =
      text.noSpeechProbability > SILENCE.noSpeechMin && averageLogProbability < SILENCE.logProbabilityMax;
    if (isSilence || averageLogProbability < LOG_PROBABILITY_MIN || ids.length === 0) return { ...NO_WORDS, isStopped };
    return { text: tokens.decode(ids), averageLogProbability, isStopped };
  }

  /** The encoder's hidden states of `samples` and the silence after them. */
  async #encode(samples: Float32Array): Promise<Tensor> {
    const { encoder, positions } = this.#parts;
    const rows = Math.min(positions.rows, Math.ceil(samples.length / POSITION_SAMPLES + SILENCE_MS / POSITION_MS));
    const frames = 2 * rows;
    const outputs = await encoder.run({
      input_features: new Tensor("float32", logMel(samples, frames), [1, MEL_BINS, frames]),
      [POSITIONS]: new Tensor("float32", positions.values.subarray(0, rows * positions.columns), [
        rows,
        positions.columns,
      ]),
    });
    return outputs[HIDDEN_STATES] as Tensor;
  }
}

/** The tokens of a window so far. */
class GrowingText {
  readonly ids: number[] = [];
  readonly logProbabilities: number[] = [];
  readonly #tokens: WhisperTokens;
  /** The letters of the tokens that have any, and the count of all tokens before each. */
  readonly #letters: string[] = [];
  readonly #before: number[] = [];

  constructor(tokens: WhisperTokens) {
    this.#tokens = tokens;
  }

  /** Adds a token. Whether the text has begun to repeat itself: then the repetition is gone, and nothing may be added. */
  isLoopWith(id: number): boolean {
    const letters = this.#tokens.letters(id);
    if (letters !== "") {
      this.#letters.push(letters);
      this.#before.push(this.ids.length);
    }
    this.ids.push(id);
    const kept = lengthBeforeLoop(this.#letters);
    if (kept === undefined) return false;
    this.ids.length = this.#before[kept] ?? 0;
    this.logProbabilities.length = this.ids.length;
    return true;
  }
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
