import type {
  AgentQuestion,
  CallerPauses,
  EndOfTurnEvidence,
} from "../../../src/call/turn-taking/end-of-turn/evidence.ts";
import { FEATURES, featuresOf } from "../../../src/call/turn-taking/end-of-turn/features.ts";
import { FRAME_MS } from "../../../src/core/limits/streams/media.ts";
import type { SpokenKind } from "./callers.ts";
import type { ObservedPause } from "./pauses.ts";

/** A pause as the score sees it. */
export interface Example {
  language: string;
  kind: SpokenKind;
  utterance: number;
  /** In the order of FEATURES. */
  features: Float64Array;
  /** ms until speech goes on; Infinity at the end. */
  lengthMs: number;
  /** From the last clear sample to the start of the pause, ms. */
  afterEndMs: number;
  /** See `Prosody`. */
  quietMs: number;
  soundMs: number;
  /** The wait is not shorter than this: until the words are there. */
  settledMs: number;
}

/** How the words of the STT look. */
export type Writing = "plain" | "punctuated";
/** The agent asked nothing that helps, or what the caller's words answer. */
export type AskedBefore = "neutral" | "fitting";

const ASKED: Readonly<Record<SpokenKind, AgentQuestion>> = {
  "single sentence": "open",
  "several sentences": "open",
  number: "number",
  spelling: "spelling",
  hesitation: "open",
};

export const plainText = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}'’\-\s]/gu, " ")
    .replaceAll(/\s+/g, " ")
    .trim();

/** Engines write a full stop also at one in so many pauses within sentences. */
const WRONG_STOP_EVERY = 5;

/** The text as an STT writes it that writes marks. */
function marked(text: string, { utterance, turnMs, lengthMs }: ObservedPause): string {
  const isWrong = Number.isFinite(lengthMs) && (utterance + turnMs / FRAME_MS) % WRONG_STOP_EVERY === 0;
  return isWrong && /[\p{L}\p{N},]$/u.test(text) ? `${text.replace(/,$/, "")}.` : text;
}

/** All that the call knows when the pause has lasted for `ms`. */
export function evidenceAt(pause: ObservedPause, ms: number, asked: AskedBefore, writing: Writing): EndOfTurnEvidence {
  const known = pause.words.filter(({ knownMs }) => knownMs <= ms).map(({ text }) => text);
  const text = known.join(" ");
  return {
    text: writing === "plain" ? plainText(text) : marked(text, pause),
    language: pause.language,
    turnMs: pause.turnMs,
    prosody: pause.prosody,
    pauses: pausesBefore(pause),
    provider: undefined,
    agentQuestion: asked === "neutral" ? "none" : ASKED[pause.kind],
    model: undefined,
  };
}

const pausesBefore = ({ earlierMs, turns }: ObservedPause): CallerPauses => ({ count: earlierMs.length, turns });

/** When the words of the speech before the pause are there, ms; Infinity where none are, which the call does not answer. */
function settledMs({ words, lengthMs }: ObservedPause): number {
  const known = words.filter(({ knownMs }) => knownMs <= Math.min(300, lengthMs));
  return known.length === 0 ? Number.POSITIVE_INFINITY : Math.max(0, ...known.map(({ knownMs }) => knownMs));
}

export function exampleOf(pause: ObservedPause, asked: AskedBefore, writing: Writing): Example {
  const features = new Float64Array(FEATURES.length);
  const settled = settledMs(pause);
  featuresOf(evidenceAt(pause, Math.max(settled, 100), asked, writing), features);
  const { language, kind, utterance, lengthMs, afterEndMs } = pause;
  return {
    language,
    kind,
    utterance,
    features,
    lengthMs,
    afterEndMs,
    settledMs: settled,
    quietMs: pause.prosody?.quietMs ?? 0,
    soundMs: pause.prosody?.soundMs ?? 0,
  };
}

/** What the weights are fitted to: with and without marks, after questions that fit and after others. */
export const developmentExamples = (pauses: readonly ObservedPause[]): Example[] =>
  [
    ...pauses.map((pause) => exampleOf(pause, "neutral", "plain")),
    ...pauses.map((pause) => exampleOf(pause, "fitting", "plain")),
    ...pauses.map((pause) => exampleOf(pause, "neutral", "punctuated")),
  ].filter(({ settledMs }) => settledMs !== Number.POSITIVE_INFINITY);
