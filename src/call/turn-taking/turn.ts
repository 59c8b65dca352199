import type { ResumeReason } from "../../core/calls/reasons.ts";
import { addMs, type CallMs, callMs, elapsedMs } from "../../core/clocks.ts";
import { joinTexts } from "../../core/text/words.ts";
import { areBackChannels, isBackChannel } from "./back-channel.ts";
import { type Caller, callerInterim, callerText, stepCaller, withoutAnsweredPrefix, wordsText } from "./caller-turn.ts";
import { type AnsweredTurn, reopened, stillOpen } from "./reopened-turn.ts";
import { endOfTurn, turnEndMs, wordlessDeadlineMs } from "./turn-end.ts";
import type { BargeIn, TurnEvent } from "./turn-events.ts";
import {
  type Agent,
  NO_ACTIONS,
  type Pausing,
  type Replying,
  type Turn,
  type TurnPolicy,
  type TurnStep,
} from "./turn-state.ts";

/** Everything understood of the caller's turn, including what this step answers or ignores. */
export const understoodText = ({ turn, actions }: TurnStep): string =>
  actions.find((action) => "text" in action)?.text ?? callerText(turn.caller);

const TICK: TurnEvent = { kind: "tick" };

type Paused = Replying & { pausedSinceMs: CallMs };
const isPaused = (agent: Replying): agent is Paused => agent.pausedSinceMs !== undefined;

/** All of turn taking: a pure function of the state, the event and the time of the call. */
export function stepTurn(turn: Turn, input: TurnEvent, nowMs: CallMs, policy: TurnPolicy): TurnStep {
  // Some STT providers send a final transcript twice: it is one utterance.
  const deduplicated = isRepeatedFinal(turn, input, policy) ? TICK : input;
  const remainder =
    deduplicated.kind === "words"
      ? withoutAnsweredPrefix(deduplicated, turn.answeredPrefix, policy.language, hasSpokenSince(turn, policy))
      : undefined;
  const event =
    deduplicated.kind === "words" && remainder !== undefined ? { ...deduplicated, text: remainder.text } : deduplicated;
  if (turn.answered !== undefined && turn.agent.at === "replying" && goesOn(turn.agent, event, policy))
    return reopen(turn, turn.agent, turn.answered, input, nowMs, policy);
  const previousPrefix = remainder?.answered ?? turn.answeredPrefix;
  const caller = stepCaller(turn.caller, event, nowMs);
  const agent = stepAgent(turn.agent, event);
  const answeredPrefix = nextAnsweredPrefix(previousPrefix, turn.caller, event);
  const lastFinal = nextLastFinal(turn.lastFinal, deduplicated);
  const isEnteringDtmf = event.kind === "dtmf" || (turn.isEnteringDtmf && event.kind !== "typed");
  // The reply that a reopened turn has dropped ends after the turn may have been answered again.
  const isDropped = event.kind === "reply-done" && turn.agent.at === "idle";
  const answered = isDropped ? turn.answered : turn.answered && stillOpen(turn.answered, event);
  const isSame = caller === turn.caller && agent === turn.agent && answeredPrefix === turn.answeredPrefix;
  const next =
    isSame && answered === turn.answered && lastFinal === turn.lastFinal && isEnteringDtmf === turn.isEnteringDtmf
      ? turn
      : { caller, agent, answeredPrefix, answered, lastFinal, isEnteringDtmf };
  if (next.agent.at === "replying") return stepWhileReplying(next, next.agent, event, nowMs, policy);
  if (event.kind !== "reply-done" || !isIgnored(next.caller, nowMs, policy)) return endOfTurn(next, nowMs, policy);
  return ignoreBackChannel(next, next.caller);
}

/**
 * Whether `event` brings words that the answer in the making does not know. As nothing of it was heard, it may also be
 * one that cannot be interrupted.
 */
const goesOn = (agent: Replying, event: TurnEvent, policy: TurnPolicy): boolean =>
  !agent.audible && bringsWords(event, policy);

/** The turn goes on that the reply in the making answers: it continues with `input` as if it had not been answered. */
function reopen(
  turn: Turn,
  agent: Replying,
  answered: AnsweredTurn,
  input: TurnEvent,
  nowMs: CallMs,
  policy: TurnPolicy,
): TurnStep {
  const speechMs = turn.caller.at === "speaking" ? elapsedMs(turn.caller.speechStartMs, nowMs) : 0;
  const before = { ...reopened(answered, turn.caller), answered: undefined, agent: { at: "idle" } as const };
  const step = stepTurn({ ...turn, ...before }, input, nowMs, policy);
  return { turn: step.turn, actions: [{ do: "reopen", turnId: agent.turnId, speechMs }, ...step.actions] };
}

/** Whether a changed transcript of what was answered may be of new speech. An answer that is heard is not revised. */
const hasSpokenSince = ({ caller, answered }: Turn, { evidence }: TurnPolicy): boolean =>
  evidence === undefined || caller.at !== "silent" || answered !== undefined;

function isRepeatedFinal({ lastFinal, caller }: Turn, event: TurnEvent, { sttHasInterim }: TurnPolicy): boolean {
  if (event.kind !== "words" || !event.final || event.text === "" || event.text !== lastFinal) return false;
  // Without interim transcripts, a caller who is still speaking may have said the same again.
  return sttHasInterim || caller.at !== "speaking";
}

function nextLastFinal(lastFinal: string, event: TurnEvent): string {
  if (event.kind === "speech-started") return "";
  if (event.kind !== "words" || event.text === "") return lastFinal;
  return event.final ? event.text : "";
}

function nextAnsweredPrefix(answered: string, caller: Caller, event: TurnEvent): string {
  // A final ends the STT's utterance: the next transcript is new.
  if (event.kind === "words" && event.final) return "";
  return event.kind === "typed" ? joinTexts(answered, callerInterim(caller)) : answered;
}

/** When `stepTurn` must run again if no event comes before; Infinity for never. */
export function turnDeadlineMs(turn: Turn, policy: TurnPolicy): CallMs {
  const { caller, agent } = turn;
  if (agent.at === "replying") return deadlineWhileReplyingMs(caller, agent, policy);
  if (turn.isEnteringDtmf) return callMs(Number.POSITIVE_INFINITY);
  if (caller.at === "pausing") return turnEndMs(caller, policy);
  return caller.at === "speaking" ? wordlessDeadlineMs(caller, policy) : callMs(Number.POSITIVE_INFINITY);
}

function stepAgent(agent: Agent, event: TurnEvent): Agent {
  switch (event.kind) {
    case "reply-began": {
      const { turnId, interruptible } = event;
      return { at: "replying", turnId, audible: false, interruptible, pausedSinceMs: undefined, pauses: 0 };
    }
    case "reply-audible":
      return agent.at === "replying" && agent.turnId === event.turnId && !agent.audible
        ? { ...agent, audible: true }
        : agent;
    case "reply-done":
      return agent.at === "replying" && agent.turnId === event.turnId ? { at: "idle" } : agent;
    default:
      return agent;
  }
}

/** The caller does something while the agent replies. */
function stepWhileReplying(turn: Turn, agent: Replying, event: TurnEvent, nowMs: CallMs, policy: TurnPolicy): TurnStep {
  const { caller } = turn;
  const { turnId } = agent;
  const reason = bargeInReason(agent, event, policy);
  if (reason !== undefined) {
    const speechMs = caller.at === "speaking" ? elapsedMs(caller.speechStartMs, nowMs) : 0;
    const idle: Turn = { ...turn, agent: { at: "idle" }, answered: undefined };
    return { turn: idle, actions: [{ do: "interrupt", turnId, reason, speechMs }] };
  }
  if (agent.pausedSinceMs !== undefined) {
    const pausedSinceMs = event.kind === "words" && event.text !== "" ? nowMs : agent.pausedSinceMs;
    const reasonToResume = resumeReason(caller, { ...agent, pausedSinceMs }, event, nowMs, policy);
    if (reasonToResume === undefined) {
      return {
        turn: pausedSinceMs === agent.pausedSinceMs ? turn : { ...turn, agent: { ...agent, pausedSinceMs } },
        actions: NO_ACTIONS,
      };
    }
    const resumed = { ...turn, agent: { ...agent, pausedSinceMs: undefined } };
    return { turn: resumed, actions: [{ do: "resume", turnId, reason: reasonToResume }] };
  }
  if (shouldPause(turn, agent, event, nowMs, policy)) {
    const paused = { ...agent, pausedSinceMs: nowMs, pauses: agent.pauses + 1 };
    return { turn: { ...turn, agent: paused }, actions: [{ do: "pause", turnId }] };
  }
  if (agent.audible && isIgnored(caller, nowMs, policy)) return ignoreBackChannel(turn, caller);
  // Speech without words over the agent is discarded; other words wait until the reply is over.
  const isDiscarded = caller.at === "pausing" && wordsText(caller.words) === "" && nowMs >= turnEndMs(caller, policy);
  return { turn: isDiscarded ? { ...turn, caller: { at: "silent" } } : turn, actions: NO_ACTIONS };
}

/** Sound alone never interrupts: without words it only pauses. */
function bargeInReason(agent: Replying, event: TurnEvent, policy: TurnPolicy): BargeIn | undefined {
  if (!agent.interruptible) return undefined;
  if (event.kind === "dtmf" || (event.kind === "typed" && event.text !== "")) return event.kind;
  // Words also cancel a reply that is not audible yet: the caller had not finished.
  return bringsWords(event, policy) ? "words" : undefined;
}

/** Whether `event` brings words that are no back-channel. */
const bringsWords = (event: TurnEvent, { language }: TurnPolicy): boolean =>
  event.kind === "words" && event.text !== "" && !isBackChannel(event.text, language, !event.final);

/**
 * Speech pauses an audible reply, and only when the speech or the playout has just started. An answer that is not audible
 * is held: the caller may be going on with the turn that it answers.
 */
function shouldPause(
  { caller, answered }: Turn,
  agent: Replying,
  event: TurnEvent,
  nowMs: CallMs,
  { parameters }: TurnPolicy,
): boolean {
  if (caller.at !== "speaking" || !(agent.audible ? agent.interruptible : answered !== undefined)) return false;
  if (event.kind !== "speech-started" && event.kind !== "reply-audible") return false;
  if (event.kind === "reply-audible" && nowMs >= addMs(caller.lastWordMs, parameters.steadyNoiseMs)) return false;
  return agent.pauses < parameters.speechPausesMax;
}

/** Why a paused reply must resume now; undefined while it must not. */
function resumeReason(
  caller: Caller,
  agent: Paused,
  event: TurnEvent,
  nowMs: CallMs,
  policy: TurnPolicy,
): ResumeReason | undefined {
  // Without interim transcripts, a final covers speech that has ended, and an interim all of the speech so far.
  const isOfEarlierSpeech = event.kind === "words" && event.final && caller.at === "speaking" && !policy.sttHasInterim;
  if (event.kind === "words" && !isOfEarlierSpeech) {
    if (event.isEcho === true) return "echo";
    if (!policy.sttHasInterim) return event.text === "" ? "no_words" : "back_channel";
  }
  if (caller.at !== "speaking" && isSettledBackChannel(caller, policy.language)) return "back_channel";
  if (nowMs < resumeAtMs(caller, agent, policy)) return undefined;
  return caller.at === "speaking" ? "pause_timeout" : "no_words";
}

function resumeAtMs(caller: Caller, agent: Paused, { parameters, sttHasInterim, evidence }: TurnPolicy): CallMs {
  const { resumeMs, pauseMsMax } = parameters;
  const { pausedSinceMs, audible } = agent;
  if (caller.at === "silent") return pausedSinceMs;
  // A reply that was held before its first word is late already.
  const wordsMs = evidence === undefined || audible ? resumeMs : Math.min(resumeMs, 2 * evidence.wordsLagMs);
  // Without interim transcripts the words of speech that has ended are on their way.
  if (caller.at === "pausing" && sttHasInterim) return addMs(caller.endMs, wordsMs);
  // Measured from the pause, not from the speech, which starts anew with each cough.
  return addMs(pausedSinceMs, pauseMsMax);
}

const isSettledBackChannel = (caller: Caller, language: string): boolean =>
  caller.at === "pausing" && caller.words.interim === "" && areBackChannels(caller.words.final, language);

/** When a back-channel over the agent can no longer be an answer to it, ms; Infinity for anything else. */
function ignoreAtMs(caller: Caller, { parameters, language }: TurnPolicy): CallMs {
  if (caller.at !== "pausing" || caller.done) return callMs(Number.POSITIVE_INFINITY);
  if (!areBackChannels(wordsText(caller.words), language)) return callMs(Number.POSITIVE_INFINITY);
  const { backChannelAnswerMs, finalWaitMs } = parameters;
  return addMs(caller.endMs, Math.max(backChannelAnswerMs, caller.words.interim === "" ? 0 : finalWaitMs));
}

const isIgnored = (caller: Caller, nowMs: CallMs, policy: TurnPolicy): caller is Pausing =>
  nowMs >= ignoreAtMs(caller, policy);

/** It needs no answer, and the next turn does not begin with it. */
function ignoreBackChannel(turn: Turn, { words, startMs, endMs }: Pausing): TurnStep {
  return {
    turn: { ...turn, caller: { at: "silent" }, answeredPrefix: joinTexts(turn.answeredPrefix, words.interim) },
    actions: [{ do: "ignore", text: wordsText(words), startMs, endMs }],
  };
}

/** When to check the caller again during a reply, ms. */
function deadlineWhileReplyingMs(caller: Caller, agent: Replying, policy: TurnPolicy): CallMs {
  if (isPaused(agent)) return resumeAtMs(caller, agent, policy);
  if (caller.at !== "pausing") return callMs(Number.POSITIVE_INFINITY);
  if (wordsText(caller.words) === "") return addMs(caller.endMs, policy.parameters.finalWaitMs);
  // Other words that may not interrupt the agent wait for the reply's end; no deadline changes that.
  return agent.audible ? ignoreAtMs(caller, policy) : callMs(Number.POSITIVE_INFINITY);
}
