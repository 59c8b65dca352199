import { TURN_TEXT_CHARS_MAX } from "../core/limits.ts";
import type { TurnParameters } from "./parameters.ts";

/**
 * What the caller does, and what was understood of it since the agent last answered. Times are ms of call time; `wordsMs` is
 * since when the voice has told no new word, pauses left out; `wordlessMs` is for how long it had when it paused.
 */
export type Caller =
  | { at: "silent" }
  | { at: "speaking"; startMs: number; words: Words; wordsMs: number }
  /** The voice stopped at `endMs`; the turn is over when the pause is long enough and the words are final, or the caller is `done`. */
  | { at: "pausing"; startMs: number; endMs: number; words: Words; wordlessMs: number; done: boolean };

/** `final` is settled, `partial` may still change; joined by a space they are what was said. */
export interface Words {
  final: string;
  partial: string;
}

/** What the agent does. A reply is audible once its first frame was sent. */
export type Agent = { at: "idle" } | { at: "replying"; turnId: number; audible: boolean; interruptible: boolean };

/** Whose turn it is. Each part carries only what exists in it. */
export interface Turn {
  caller: Caller;
  agent: Agent;
  /** The beginning of the utterance that the ear has not finished yet which was answered already; mostly none. */
  answered: string;
}

export type TurnEvent =
  | { kind: "speech-started"; startMs: number }
  | { kind: "speech-ended"; endMs: number }
  | { kind: "words"; text: string; final: boolean }
  /** Words that were not spoken, and behind which nothing more is to come. */
  | { kind: "typed"; text: string }
  | { kind: "reply-began"; turnId: number; interruptible: boolean }
  | { kind: "reply-audible"; turnId: number }
  | { kind: "reply-done"; turnId: number }
  | { kind: "tick" };

export type TurnAction =
  /** The caller talks over this reply: it must stop now. */
  | { do: "cut"; turnId: number }
  /** The caller's turn is over: answer it. */
  | { do: "answer"; text: string; startMs: number; endMs: number };

/** What turn taking goes by, the same for a whole call. */
export interface TurnPolicy {
  parameters: Readonly<TurnParameters>;
  /** Words come while they are spoken; without that, sustained voice interrupts. */
  earHasPartials: boolean;
}

export interface TurnStep {
  turn: Turn;
  actions: readonly TurnAction[];
}

export const START: Turn = { caller: { at: "silent" }, agent: { at: "idle" }, answered: "" };
const NO_WORDS: Words = { final: "", partial: "" };
const NONE: readonly TurnAction[] = [];

/** What was said so far, as one text. */
export const wordsText = (words: Words): string => join(words.final, words.partial);

/** The whole of turn taking: a pure function of what was, what came, and when. */
export function stepTurn(turn: Turn, happened: TurnEvent, nowMs: number, policy: TurnPolicy): TurnStep {
  const event = happened.kind === "words" ? unanswered(happened, turn.answered) : happened;
  const caller = stepCaller(turn.caller, event, nowMs);
  const agent = stepAgent(turn.agent, event);
  // A final ends the ear's utterance: what it tells next is new.
  const answered = event.kind === "words" && event.final ? "" : turn.answered;
  const same = caller === turn.caller && agent === turn.agent && answered === turn.answered;
  return decide(same ? turn : { caller, agent, answered }, event, nowMs, policy);
}

/** What is new in words whose beginning was answered before the ear was done with them. */
export function unanswered<T extends { text: string }>(event: T, answered: string): T {
  if (answered === "") return event;
  if (event.text.startsWith(answered)) return { ...event, text: event.text.slice(answered.length).trim() };
  // The ear thought better of some of it since: as many words are left out as were answered.
  return { ...event, text: event.text.split(" ").slice(answered.split(" ").length).join(" ") };
}

/** When `stepTurn` has to be asked again though nothing happened, ms; Infinity when it need not. */
export function turnDeadlineMs(turn: Turn, policy: TurnPolicy): number {
  const { caller, agent } = turn;
  if (caller.at === "pausing") {
    // Words that may not interrupt the agent wait until it is done; nothing but its end can change that.
    if (agent.at === "replying" && wordsText(caller.words) !== "") return Number.POSITIVE_INFINITY;
    return turnEndMs(caller, policy);
  }
  if (caller.at === "silent") return Number.POSITIVE_INFINITY;
  if (agent.at === "idle") return wordlessDeadlineMs(caller, policy);
  const voiceMayCut = !policy.earHasPartials && isInterruptible(agent);
  return voiceMayCut ? caller.startMs + policy.parameters.sustainedVoiceMs : Number.POSITIVE_INFINITY;
}

/** From when on voice that goes on without words (a car, a television) no longer keeps the words before it from being answered. */
function wordlessDeadlineMs({ words, wordsMs }: Extract<Caller, { at: "speaking" }>, policy: TurnPolicy): number {
  const settled = policy.earHasPartials && words.final !== "" && words.partial === "";
  return settled ? wordsMs + policy.parameters.wordlessVoiceMs : Number.POSITIVE_INFINITY;
}

/** What the caller has said that was not taken to be answered yet, as it stands at `nowMs`. */
export function saidUntil(
  { caller }: Turn,
  nowMs: number,
): { text: string; startMs: number; endMs: number } | undefined {
  if (caller.at === "silent" || wordsText(caller.words) === "") return undefined;
  const endMs = caller.at === "pausing" ? caller.endMs : nowMs;
  return { text: wordsText(caller.words), startMs: caller.startMs, endMs };
}

function stepCaller(caller: Caller, event: TurnEvent, nowMs: number): Caller {
  switch (event.kind) {
    case "speech-started":
      if (caller.at === "silent") return { at: "speaking", startMs: event.startMs, words: NO_WORDS, wordsMs: nowMs };
      if (caller.at === "speaking") return caller;
      return { at: "speaking", startMs: caller.startMs, words: caller.words, wordsMs: nowMs - caller.wordlessMs };
    case "speech-ended":
      if (caller.at !== "speaking") return caller;
      return {
        at: "pausing",
        startMs: caller.startMs,
        endMs: Math.max(caller.startMs, event.endMs),
        words: caller.words,
        wordlessMs: Math.max(0, event.endMs - caller.wordsMs),
        done: false,
      };
    case "words": {
      // Nothing new; but a final also takes back what the ear thought it heard.
      if (event.text === "" && (!event.final || caller.at === "silent")) return caller;
      const words = heard(caller.at === "silent" ? NO_WORDS : caller.words, event);
      // Words without voice: the ear heard what the voice detector missed.
      if (caller.at === "silent")
        return { at: "pausing", startMs: nowMs, endMs: nowMs, words, wordlessMs: 0, done: false };
      return caller.at === "speaking" ? { ...caller, words, wordsMs: nowMs } : { ...caller, words, wordlessMs: 0 };
    }
    case "typed": {
      const words = heard(caller.at === "silent" ? NO_WORDS : caller.words, { text: event.text, final: true });
      if (caller.at === "speaking") return { ...caller, words, wordsMs: nowMs };
      const startMs = caller.at === "silent" ? nowMs : caller.startMs;
      return { at: "pausing", startMs, endMs: nowMs, words, wordlessMs: 0, done: true };
    }
    default:
      return caller;
  }
}

/** Nobody says more in one turn than the bound: what an ear tells past it is not believed. */
function heard(words: Words, event: { text: string; final: boolean }): Words {
  const text = event.text.slice(0, Math.max(0, TURN_TEXT_CHARS_MAX - words.final.length));
  return event.final ? { final: join(words.final, text), partial: "" } : { ...words, partial: text };
}

function stepAgent(agent: Agent, event: TurnEvent): Agent {
  switch (event.kind) {
    case "reply-began":
      return { at: "replying", turnId: event.turnId, audible: false, interruptible: event.interruptible };
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

function decide(turn: Turn, event: TurnEvent, nowMs: number, policy: TurnPolicy): TurnStep {
  const { caller, agent } = turn;
  if (agent.at === "replying" && talksOver(caller, agent, event, nowMs, policy)) {
    return { turn: { ...turn, agent: { at: "idle" } }, actions: [{ do: "cut", turnId: agent.turnId }] };
  }
  if (caller.at === "speaking" && agent.at === "idle" && nowMs >= wordlessDeadlineMs(caller, policy)) {
    const goingOn: Caller = { at: "speaking", startMs: nowMs, words: NO_WORDS, wordsMs: nowMs };
    return answer({ ...turn, caller: goingOn }, caller, caller.wordsMs);
  }
  if (caller.at !== "pausing" || nowMs < turnEndMs(caller, policy)) return { turn, actions: NONE };
  if (wordsText(caller.words) === "") return { turn: { ...turn, caller: { at: "silent" } }, actions: NONE };
  if (agent.at === "replying") return { turn, actions: NONE };
  return answer({ ...turn, caller: { at: "silent" } }, caller, caller.endMs);
}

/** The turn after what `caller` said until `endMs` was taken to be answered. */
function answer(turn: Turn, { startMs, words }: { startMs: number; words: Words }, endMs: number): TurnStep {
  return {
    turn: { ...turn, answered: join(turn.answered, words.partial) },
    actions: [{ do: "answer", text: wordsText(words), startMs, endMs }],
  };
}

type Replying = Extract<Agent, { at: "replying" }>;

function talksOver(caller: Caller, agent: Replying, event: TurnEvent, nowMs: number, policy: TurnPolicy): boolean {
  // Words also drop a reply that nobody has heard yet: the caller was not done.
  if (event.kind === "words" || event.kind === "typed") return agent.interruptible && event.text !== "";
  if (policy.earHasPartials || !isInterruptible(agent) || caller.at !== "speaking") return false;
  return nowMs - caller.startMs >= policy.parameters.sustainedVoiceMs;
}

/** Voice alone may stop only what can be heard: before that there is nothing to talk over. */
const isInterruptible = (agent: Replying): boolean => agent.interruptible && agent.audible;

/** When the caller's turn is over, if nothing more comes. */
const turnEndMs = ({ endMs, words, done }: Extract<Caller, { at: "pausing" }>, policy: TurnPolicy): number =>
  done ? endMs : endMs + pauseMs(words, policy);

/** How long a pause must be to end the caller's turn. */
function pauseMs(words: Words, { parameters }: TurnPolicy): number {
  return words.final !== "" && words.partial === "" ? parameters.endpointMs : parameters.finalWaitMs;
}

const join = (a: string, b: string): string => (a === "" ? b : b === "" ? a : `${a} ${b}`);
