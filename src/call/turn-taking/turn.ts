import type { ResumeReason } from "../../core/calls/reasons.ts";
import { addMs, type CallMs, callMs, elapsedMs } from "../../core/clocks.ts";
import type { TurnId } from "../../core/ids.ts";
import { joinTexts } from "../../core/text/words.ts";
import type { TurnParameters } from "../parameters.ts";
import { areBackChannels, isBackChannel } from "./back-channel.ts";
import {
  type Caller,
  callerInterim,
  callerText,
  speakingWithoutWords,
  stepCaller,
  type Words,
  withoutAnsweredPrefix,
  wordsText,
} from "./caller-turn.ts";
import { endpointMs } from "./endpointing.ts";
import type { BargeIn, TurnAction, TurnEvent } from "./turn-events.ts";

/** What the agent is doing. A reply is audible once its first frame was sent. */
export type Agent = { at: "idle" } | Replying;

interface Replying {
  at: "replying";
  turnId: TurnId;
  audible: boolean;
  interruptible: boolean;
  /**
   * When it was paused, or when words last extended the pause without interrupting, ms of call time; undefined while it
   * is not paused.
   */
  pausedSinceMs: CallMs | undefined;
  /** How often speech has paused it. */
  pauses: number;
}

/** The state of turn taking. Each alternative has only the members that make sense in it. */
export interface Turn {
  caller: Caller;
  agent: Agent;
  /** The beginning of the STT's current utterance that was already answered or ignored; usually empty. */
  answeredPrefix: string;
  /** The last final transcript, until something arrives that may be a new utterance; usually empty. */
  lastFinal: string;
  /** The caller is entering DTMF digits: nothing is answered until the entry is complete. */
  isEnteringDtmf: boolean;
}

/** The settings of turn taking. */
export interface TurnPolicy {
  parameters: Readonly<TurnParameters>;
  /** The STT sends interim transcripts by itself. Without them it is asked for one: see `InterimRequests`. */
  sttHasInterim: boolean;
  /** The caller's language, for back-channels and endpointing. */
  language: string;
}

type Pausing = Extract<Caller, { at: "pausing" }>;

export interface TurnStep {
  turn: Turn;
  actions: readonly TurnAction[];
}

/** Everything understood of the caller's turn, including what this step answers or ignores. */
export const understoodText = ({ turn, actions }: TurnStep): string =>
  actions.find((action) => "text" in action)?.text ?? callerText(turn.caller);

export const INITIAL_TURN: Turn = {
  caller: { at: "silent" },
  agent: { at: "idle" },
  answeredPrefix: "",
  lastFinal: "",
  isEnteringDtmf: false,
};
const NO_ACTIONS: readonly TurnAction[] = [];
const TICK: TurnEvent = { kind: "tick" };

/** All of turn taking: a pure function of the state, the event and the time of the call. */
export function stepTurn(turn: Turn, input: TurnEvent, nowMs: CallMs, policy: TurnPolicy): TurnStep {
  // Some STT providers send a final transcript twice: it is one utterance.
  const deduplicated = isRepeatedFinal(turn, input, policy) ? TICK : input;
  const remainder =
    deduplicated.kind === "words"
      ? withoutAnsweredPrefix(deduplicated, turn.answeredPrefix, policy.language)
      : undefined;
  const event =
    deduplicated.kind === "words" && remainder !== undefined ? { ...deduplicated, text: remainder.text } : deduplicated;
  const previousPrefix = remainder?.answered ?? turn.answeredPrefix;
  const caller = stepCaller(turn.caller, event, nowMs);
  const agent = stepAgent(turn.agent, event);
  const answeredPrefix = nextAnsweredPrefix(previousPrefix, turn.caller, event);
  const lastFinal = nextLastFinal(turn.lastFinal, deduplicated);
  const isEnteringDtmf = event.kind === "dtmf" || (turn.isEnteringDtmf && event.kind !== "typed");
  const isSame = caller === turn.caller && agent === turn.agent && answeredPrefix === turn.answeredPrefix;
  const next =
    isSame && lastFinal === turn.lastFinal && isEnteringDtmf === turn.isEnteringDtmf
      ? turn
      : { caller, agent, answeredPrefix, lastFinal, isEnteringDtmf };
  if (next.agent.at === "replying") return stepWhileReplying(next, next.agent, event, nowMs, policy);
  if (event.kind !== "reply-done" || !isIgnored(next.caller, nowMs, policy)) return endOfTurn(next, nowMs, policy);
  return ignoreBackChannel(next, next.caller);
}

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
    return { turn: { ...turn, agent: { at: "idle" } }, actions: [{ do: "interrupt", turnId, reason, speechMs }] };
  }
  if (agent.pausedSinceMs !== undefined) {
    const pausedSinceMs = event.kind === "words" && event.text !== "" ? nowMs : agent.pausedSinceMs;
    const reasonToResume = resumeReason(caller, event, pausedSinceMs, nowMs, policy);
    if (reasonToResume === undefined) {
      return {
        turn: pausedSinceMs === agent.pausedSinceMs ? turn : { ...turn, agent: { ...agent, pausedSinceMs } },
        actions: NO_ACTIONS,
      };
    }
    const resumed = { ...turn, agent: { ...agent, pausedSinceMs: undefined } };
    return { turn: resumed, actions: [{ do: "resume", turnId, reason: reasonToResume }] };
  }
  if (shouldPause(caller, agent, event, nowMs, policy)) {
    const paused = { ...agent, pausedSinceMs: nowMs, pauses: agent.pauses + 1 };
    return { turn: { ...turn, agent: paused }, actions: [{ do: "pause", turnId }] };
  }
  if (agent.audible && isIgnored(caller, nowMs, policy)) return ignoreBackChannel(turn, caller);
  // Speech without words over the agent is discarded; other words wait until the reply is over.
  const isDiscarded = caller.at === "pausing" && wordsText(caller.words) === "" && nowMs >= turnEndMs(caller, policy);
  return { turn: isDiscarded ? { ...turn, caller: { at: "silent" } } : turn, actions: NO_ACTIONS };
}

/** Sound alone never interrupts: without words it only pauses. */
function bargeInReason(agent: Replying, event: TurnEvent, { language }: TurnPolicy): BargeIn | undefined {
  if (!agent.interruptible) return undefined;
  if (event.kind === "dtmf" || (event.kind === "typed" && event.text !== "")) return event.kind;
  // Words also cancel a reply that is not audible yet: the caller had not finished.
  if (event.kind !== "words" || event.text === "") return undefined;
  return isBackChannel(event.text, language, !event.final) ? undefined : "words";
}

/** Speech pauses an audible reply, and only when the speech or the playout has just started. */
function shouldPause(
  caller: Caller,
  agent: Replying,
  event: TurnEvent,
  nowMs: CallMs,
  { parameters }: TurnPolicy,
): boolean {
  if (caller.at !== "speaking" || !agent.audible || !agent.interruptible) return false;
  if (event.kind !== "speech-started" && event.kind !== "reply-audible") return false;
  if (event.kind === "reply-audible" && nowMs >= addMs(caller.lastWordMs, parameters.steadyNoiseMs)) return false;
  return agent.pauses < parameters.speechPausesMax;
}

/** Why a reply that was paused at `pausedMs` must resume now; undefined while it must not. */
function resumeReason(
  caller: Caller,
  event: TurnEvent,
  pausedMs: CallMs,
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
  if (nowMs < resumeAtMs(caller, pausedMs, policy)) return undefined;
  return caller.at === "speaking" ? "pause_timeout" : "no_words";
}

function resumeAtMs(caller: Caller, pausedMs: CallMs, { parameters, sttHasInterim }: TurnPolicy): CallMs {
  const { resumeMs, pauseMsMax } = parameters;
  if (caller.at === "silent") return pausedMs;
  // Without interim transcripts the words of speech that has ended are on their way.
  if (caller.at === "pausing" && sttHasInterim) return addMs(caller.endMs, resumeMs);
  // Measured from the pause, not from the speech, which starts anew with each cough.
  return addMs(pausedMs, pauseMsMax);
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
  if (agent.pausedSinceMs !== undefined) return resumeAtMs(caller, agent.pausedSinceMs, policy);
  if (caller.at !== "pausing") return callMs(Number.POSITIVE_INFINITY);
  if (wordsText(caller.words) === "") return addMs(caller.endMs, policy.parameters.finalWaitMs);
  // Other words that may not interrupt the agent wait for the reply's end; no deadline changes that.
  return agent.audible ? ignoreAtMs(caller, policy) : callMs(Number.POSITIVE_INFINITY);
}

/** Without a reply: checks whether the caller's turn has ended. What was said over an earlier reply is answered now. */
function endOfTurn(turn: Turn, nowMs: CallMs, policy: TurnPolicy): TurnStep {
  const { caller } = turn;
  if (turn.isEnteringDtmf) return { turn, actions: NO_ACTIONS };
  if (caller.at === "speaking" && nowMs >= wordlessDeadlineMs(caller, policy)) {
    return answer({ ...turn, caller: speakingWithoutWords(nowMs) }, caller, caller.lastWordMs);
  }
  if (caller.at !== "pausing" || nowMs < turnEndMs(caller, policy)) return { turn, actions: NO_ACTIONS };
  const silent: Turn = { ...turn, caller: { at: "silent" } };
  return wordsText(caller.words) === "" ? { turn: silent, actions: NO_ACTIONS } : answer(silent, caller, caller.endMs);
}

/** The turn after what `caller` said until `endMs` is taken for answer. */
function answer(turn: Turn, { startMs, words }: { startMs: CallMs; words: Words }, endMs: CallMs): TurnStep {
  return {
    turn: { ...turn, answeredPrefix: joinTexts(turn.answeredPrefix, words.interim) },
    actions: [{ do: "answer", text: wordsText(words), startMs, endMs }],
  };
}

/** When speech that goes on without words (a car, a television) no longer delays the answer to the words before it. */
function wordlessDeadlineMs({ words, lastWordMs }: Extract<Caller, { at: "speaking" }>, policy: TurnPolicy): CallMs {
  const isSettled = policy.sttHasInterim && words.final !== "" && words.interim === "";
  return isSettled ? addMs(lastWordMs, policy.parameters.wordlessSpeechMs) : callMs(Number.POSITIVE_INFINITY);
}

/** When the caller's turn ends, if nothing more comes. */
function turnEndMs({ endMs, words, done }: Pausing, policy: TurnPolicy): CallMs {
  if (done) return endMs;
  const { parameters, language } = policy;
  const isFinal = words.final !== "" && words.interim === "";
  return addMs(endMs, isFinal ? endpointMs(words.final, language, parameters) : parameters.finalWaitMs);
}
