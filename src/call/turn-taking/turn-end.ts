import { addMs, type CallMs, callMs, elapsedMs } from "../../core/clocks.ts";
import { joinTexts } from "../../core/text/words.ts";
import { type Caller, speakingWithoutWords, stepCaller, type Words, wordsText } from "./caller-turn.ts";
import { type PauseEnd, pauseEnd } from "./end-of-turn/pause-end.ts";
import { endpointMs } from "./endpointing.ts";
import type { TurnEnd } from "./turn-events.ts";
import { NO_ACTIONS, type Pausing, type Turn, type TurnPolicy, type TurnStep } from "./turn-state.ts";

/** Why an answer came later than the decision: the words of the last speech were not there. */
const WORDS_REASON = "waited for words";

/** Without a reply: checks whether the caller's turn has ended. What was said over an earlier reply is answered now. */
export function endOfTurn(turn: Turn, nowMs: CallMs, policy: TurnPolicy): TurnStep {
  const { caller } = turn;
  if (turn.isEnteringDtmf) return { turn, actions: NO_ACTIONS };
  if (caller.at === "speaking" && nowMs >= wordlessDeadlineMs(caller, policy)) {
    return answer({ ...turn, caller: speakingWithoutWords(nowMs) }, caller, caller.lastWordMs);
  }
  if (caller.at !== "pausing" || nowMs < turnEndMs(caller, policy)) return { turn, actions: NO_ACTIONS };
  const silent: Turn = { ...turn, caller: { at: "silent" } };
  if (wordsText(caller.words) === "") return { turn: silent, actions: NO_ACTIONS };
  return answerPause(silent, caller, policy, nowMs);
}

/** The turn after what `caller` said until `endMs` is taken for answer. */
function answer(turn: Turn, caller: { startMs: CallMs; words: Words }, endMs: CallMs, end?: TurnEnd): TurnStep {
  const { startMs, words } = caller;
  return {
    turn: { ...turn, answeredPrefix: joinTexts(turn.answeredPrefix, words.interim) },
    actions: [{ do: "answer", text: wordsText(words), startMs, endMs, ...(end && { end }) }],
  };
}

/** The turn ends with the pause of `caller`; until the answer is audible, it may be taken back. */
function answerPause(turn: Turn, caller: Pausing, { evidence, ...policy }: TurnPolicy, nowMs: CallMs): TurnStep {
  if (evidence === undefined || caller.done) return answer(turn, caller, caller.endMs);
  const { decision, wordsDueMs } = pauseEnd(caller, evidence, policy);
  const pauseMs = Math.round(elapsedMs(caller.endMs, nowMs));
  const { waitMs, probability } = decision;
  const hasWaitedForWords = elapsedMs(caller.endMs, wordsDueMs) > waitMs;
  const reasons = hasWaitedForWords ? [...decision.reasons, WORDS_REASON] : decision.reasons;
  const answered = { caller, answeredPrefix: turn.answeredPrefix };
  return answer({ ...turn, answered }, caller, caller.endMs, { pauseMs, waitMs, probability, reasons });
}

/**
 * How the current pause of the caller is judged; undefined where it cannot end a turn. `lastSpeechMs` is the last voiced
 * frame of speech that has not ended by the hangover.
 */
export function judgePause(
  { caller, agent, isEnteringDtmf }: Turn,
  lastSpeechMs: CallMs,
  policy: TurnPolicy,
): PauseEnd | undefined {
  const { evidence, sttHasInterim } = policy;
  // Other STT gets whole utterances: an end that comes to nothing would split one.
  if (evidence === undefined || isEnteringDtmf || (!sttHasInterim && caller.at === "speaking")) return undefined;
  if (agent.at !== "idle" || caller.at === "silent" || wordsText(caller.words) === "") return undefined;
  const paused = stepCaller(caller, { kind: "speech-ended", endMs: lastSpeechMs }, lastSpeechMs);
  return paused.at === "pausing" && !paused.done ? pauseEnd(paused, evidence, policy) : undefined;
}

/** When speech that goes on without words (a car, a television) no longer delays the answer to the words before it. */
export function wordlessDeadlineMs(
  { words, lastWordMs }: Extract<Caller, { at: "speaking" }>,
  policy: TurnPolicy,
): CallMs {
  const isSettled = policy.sttHasInterim && words.final !== "" && words.interim === "";
  return isSettled ? addMs(lastWordMs, policy.parameters.wordlessSpeechMs) : callMs(Number.POSITIVE_INFINITY);
}

/** When the caller's turn ends, if nothing more comes. */
export function turnEndMs(caller: Pausing, policy: TurnPolicy): CallMs {
  const { endMs, words, done } = caller;
  if (done) return endMs;
  const { parameters, language, evidence } = policy;
  if (evidence !== undefined && wordsText(words) !== "") return pauseEnd(caller, evidence, policy).dueMs;
  const isFinal = words.final !== "" && words.interim === "";
  return addMs(endMs, isFinal ? endpointMs(words.final, language, parameters) : parameters.finalWaitMs);
}
