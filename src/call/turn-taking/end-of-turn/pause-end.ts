import { addMs, type CallMs, elapsedMs, latest } from "../../../core/clocks.ts";
import type { TurnParameters } from "../../parameters.ts";
import { type Words, wordsText } from "../caller-turn.ts";
import { decideEndOfTurn, type EndOfTurnDecision } from "./decision.ts";
import type { PauseEvidence } from "./pause-evidence.ts";

/** An STT that is surer than this that the turn is over has sent its words. */
const PROVIDER_SURE = 0.5;
/** Speech of this length without a new word, beyond the usual lag: its words are still to come, or it is none. */
const WORDLESS_MS_MAX = 1_000;

/** A pause of the caller after words, ms of call time. */
export interface JudgedPause {
  /** When the first speech of the turn started, and the last voiced frame. */
  readonly startMs: CallMs;
  readonly endMs: CallMs;
  readonly words: Words;
  /** How long speech had gone on without a new word. */
  readonly wordlessMs: number;
}

export interface PausePolicy {
  readonly parameters: Readonly<TurnParameters>;
  readonly sttHasInterim: boolean;
  readonly sttFinalPerUtterance?: boolean;
  readonly language: string;
}

/** When a pause ends the turn if nothing changes, and why. */
export interface PauseEnd {
  readonly decision: EndOfTurnDecision;
  /** By when the words of the last speech are expected, ms of call time. */
  readonly wordsDueMs: CallMs;
  readonly dueMs: CallMs;
}

/** Judges a pause after words. Pure. */
export function pauseEnd(pause: JudgedPause, evidence: PauseEvidence, policy: PausePolicy): PauseEnd {
  const { turnWaitMsMin, turnWaitMsMax } = policy.parameters;
  const { startMs, endMs, words } = pause;
  const isFinal = words.interim === "" && evidence.finalMs >= endMs;
  const decided = decideEndOfTurn({
    text: wordsText(words),
    language: policy.language,
    turnMs: Math.round(elapsedMs(startMs, endMs)),
    prosody: evidence.prosody,
    pauses: evidence.pauses,
    provider: evidence.provider,
    agentQuestion: evidence.agentQuestion,
    model: evidence.model,
  });
  const waitMs = Math.min(turnWaitMsMax, Math.max(turnWaitMsMin, decided.waitMs));
  const wordsDueMs = isFinal || isProviderSure(evidence) ? endMs : wordsExpectedMs(pause, evidence, policy);
  return { decision: { ...decided, waitMs }, wordsDueMs, dueMs: latest(addMs(endMs, waitMs), wordsDueMs) };
}

const isProviderSure = ({ provider }: PauseEvidence): boolean => provider !== undefined && provider > PROVIDER_SURE;

/** Until when words of the last speech may still come. */
function wordsExpectedMs(pause: JudgedPause, { wordsLagMs, wordsMs }: PauseEvidence, policy: PausePolicy): CallMs {
  const { startMs, endMs, wordlessMs } = pause;
  const { turnWaitMsMax, finalWaitMs } = policy.parameters;
  if (!policy.sttHasInterim) return addMs(endMs, finalWaitMs);
  const longMs = Math.max(turnWaitMsMax, wordsLagMs);
  // Words without speech: the detector does not hear this caller, whose pause began after the last of them at best.
  if (startMs === endMs) return addMs(latest(endMs, wordsMs), longMs);
  if (policy.sttFinalPerUtterance === true) return addMs(endMs, finalWaitMs);
  return addMs(endMs, wordlessMs > WORDLESS_MS_MAX + wordsLagMs ? longMs : wordsLagMs);
}
