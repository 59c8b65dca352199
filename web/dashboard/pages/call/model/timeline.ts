import { type Condition, ConditionCollector, type Failover } from "./conditions.ts";
import { lanesOf, type SentenceLanes } from "./lanes.ts";
import { type Reply, ReplyCollector } from "./replies.ts";
import { type CallEvent, type CallFacts, type EventOf, outputRateHz, type Span, type Turn } from "./types.ts";

/** Speech of the caller, as the voice activity detector found it. */
export interface CallerSpeech extends Span {
  /** It still goes on. */
  readonly isOpen: boolean;
}

/** A time in which the agent was audible. */
export interface AgentSound extends Span {
  readonly turnId: number;
}

/** Everything that the page draws of a call, in ms since the media stream connected. Lists are in the order of time. */
export interface Timeline {
  readonly durationMs: number;
  readonly isLive: boolean;
  readonly callerSpeech: readonly CallerSpeech[];
  /** Without hold audio and DTMF tones. */
  readonly agentSound: readonly AgentSound[];
  /** DTMF tones of the agent. */
  readonly tones: readonly Span[];
  readonly replies: readonly Reply[];
  readonly lanes: readonly SentenceLanes[];
  readonly conditions: readonly Condition[];
  readonly failovers: readonly Failover[];
  /** When final transcripts without words came: a sound that was nothing to answer. */
  readonly wordless: readonly number[];
  readonly turns: readonly Turn[];
  readonly startedMs: number | undefined;
  readonly end: EventOf<"end"> | undefined;
}

/** Builds the time line of a call from its events, in their order. */
export function timelineOf(facts: CallFacts, events: readonly CallEvent[]): Timeline {
  const rateHz = outputRateHz(facts);
  const replies = new ReplyCollector(rateHz);
  const conditions = new ConditionCollector();
  const sounds = new SoundCollector();
  const turns: Turn[] = [];
  const wordless: number[] = [];
  let startedMs: number | undefined;
  let end: EventOf<"end"> | undefined;
  for (const event of events) {
    replies.take(event);
    // Most events are of these kinds, which say nothing else.
    if (event.kind === "segment-audio" || event.kind === "reply-text") continue;
    conditions.take(event);
    sounds.take(event);
    if (event.kind === "turn") turns.push(event.turn);
    else if (event.kind === "end") end = event;
    else if (event.kind === "leg-started") startedMs ??= event.atMs;
    else if (event.kind === "stt-final" && event.text === "" && event.chars === undefined) wordless.push(event.atMs);
  }
  const lastMs = Math.max(events.at(-1)?.atMs ?? 0, sounds.lastMs);
  const durationMs = facts.durationMs ?? lastMs;
  turns.sort((a, b) => a.startMs - b.startMs);
  return {
    durationMs,
    isLive: facts.durationMs === null,
    callerSpeech: sounds.callerSpeech(durationMs),
    agentSound: sounds.agentSound(durationMs),
    tones: sounds.tones,
    replies: replies.replies,
    lanes: replies.replies.flatMap((reply) => lanesOf(reply, rateHz, durationMs)),
    conditions: conditions.all(durationMs),
    failovers: conditions.failovers,
    wordless,
    turns,
    startedMs,
    end,
  };
}

/** The time line of a call of which only the transcript is there so far. */
export function timelineOfTurns(facts: CallFacts, turns: readonly Turn[]): Timeline {
  const { durationMs } = facts;
  return {
    durationMs: durationMs ?? turns.at(-1)?.endMs ?? 0,
    isLive: durationMs === null,
    callerSpeech: turns.filter(({ role }) => role === "user").map((turn) => ({ ...spanOf(turn), isOpen: false })),
    agentSound: turns.filter(({ role }) => role === "agent").map((turn) => ({ ...spanOf(turn), turnId: 0 })),
    tones: [],
    replies: [],
    lanes: [],
    conditions: [],
    failovers: [],
    wordless: [],
    turns,
    startedMs: undefined,
    end: undefined,
  };
}

/** `loaded` as far as its events go, and from there on what the transcript says. */
export function joinedTimelines(loaded: Timeline, untilMs: number, whole: Timeline): Timeline {
  const isLater = ({ startMs }: Span): boolean => startMs > untilMs;
  return {
    ...loaded,
    callerSpeech: [...loaded.callerSpeech, ...whole.callerSpeech.filter(isLater)],
    agentSound: [...loaded.agentSound, ...whole.agentSound.filter(isLater)],
    turns: [...loaded.turns, ...whole.turns.filter(isLater)],
  };
}

const spanOf = ({ startMs, endMs }: Turn): Span => ({ startMs, endMs });

/** Audio of no reply: hold audio and DTMF tones. */
const NO_REPLY = 0;

class SoundCollector {
  readonly #speech: CallerSpeech[] = [];
  readonly #sound: AgentSound[] = [];
  readonly tones: Span[] = [];
  #speechStartMs: number | undefined;
  #playing: { turnId: number; startMs: number; isHold: boolean } | undefined;
  #isHeld = false;
  lastMs = 0;

  take(event: CallEvent): void {
    switch (event.kind) {
      case "speech-started":
        this.#speechStartMs = event.startMs;
        return;
      case "speech-ended":
        if (this.#speechStartMs !== undefined)
          this.#speech.push({ startMs: this.#speechStartMs, endMs: event.endMs, isOpen: false });
        this.#speechStartMs = undefined;
        return;
      case "playout-started":
        this.#playing = { turnId: event.turnId, startMs: event.atMs, isHold: this.#isHeld };
        return;
      case "playout-ended":
        this.#onPlayoutEnded(event);
        return;
      case "held":
        this.#isHeld = true;
        return;
      case "resumed":
        this.#isHeld = false;
        return;
      default:
        return;
    }
  }

  #onPlayoutEnded({ atMs: endMs }: EventOf<"playout-ended">): void {
    if (this.#playing === undefined) return;
    const { turnId, startMs, isHold } = this.#playing;
    this.#playing = undefined;
    this.lastMs = Math.max(this.lastMs, endMs);
    if (turnId !== NO_REPLY) this.#sound.push({ turnId, startMs, endMs });
    else if (!isHold) this.tones.push({ startMs, endMs });
  }

  callerSpeech(nowMs: number): CallerSpeech[] {
    if (this.#speechStartMs === undefined) return this.#speech;
    return [...this.#speech, { startMs: this.#speechStartMs, endMs: nowMs, isOpen: true }];
  }

  agentSound(nowMs: number): AgentSound[] {
    if (this.#playing === undefined || this.#playing.turnId === NO_REPLY) return this.#sound;
    const { turnId, startMs } = this.#playing;
    return [...this.#sound, { turnId, startMs, endMs: nowMs }];
  }
}
