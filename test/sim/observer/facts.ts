import type { CallCommand, CallEvent, CallState } from "../../../src/call/events.ts";
import { isConfirmation } from "../../../src/call/reply/heard-ledger.ts";
import type { EndReason } from "../../../src/core/calls/reasons.ts";
import type { CallSpec } from "../../../src/core/calls/spec.ts";
import type { TranscriptTurn } from "../../../src/core/calls/transcript.ts";
import { millisecondsOf } from "../../../src/core/clocks.ts";
import { TOOL_CALLS_PER_ROUND_MAX } from "../../../src/core/limits/agents/tools.ts";
import { FRAME_MS } from "../../../src/core/limits/streams/media.ts";
import type { Message } from "../../../src/speech/contracts.ts";
import type { Process } from "../process.ts";
import type { SpokenSegment } from "../providers/tts.ts";

/** A tick comes with every frame, and the ticker counts in tenths of one: what is due is done within this. */
export const TICK_MS = 1.1 * FRAME_MS;
/** By how much late marks move what is taken for heard at most: LAG_MS_MAX in the call's playout. */
const LAG_MS_MAX = 1_000;

/** A segment of a reply, from the command to speak it to its playout. */
export interface SegmentFacts {
  text: string;
  /** What the TTS makes of it, once it was requested. */
  spoken: SpokenSegment | undefined;
  /** At the leg's rate, once the synthesis is over. */
  samples: number | undefined;
  playedFrames: number;
}

/** A reply, seen from outside. */
export interface ReplyFacts {
  readonly turnId: number;
  readonly interruptible: boolean;
  /** The last user message of the LLM request; undefined for a service phrase. */
  readonly userMessage: Message | undefined;
  readonly segments: SegmentFacts[];
  /** When the LLM was first asked for it, or the agent began to say it. */
  readonly beganMs: number;
  /** How often the LLM was asked. */
  asks: number;
  /** The LLM has finished the reply, or the text before its tool calls. */
  llmDone: boolean;
  /** Tool calls since the last LLM request, and those that are running. */
  toolsAsked: number;
  readonly toolsRunning: Set<string>;
  /** The LLM requested the end of the call after it, and may. */
  afterwards: "hang_up" | "transfer" | undefined;
  /** How often voice has paused it, and since when it is; undefined while it is not. */
  pauses: number;
  pausedMs: number | undefined;
  /** When it resumed last. */
  resumedMs: number;
  sentFrames: number;
  /** Of them so many samples at the leg's rate. */
  sentSamples: number;
  cut: boolean;
  /** What the transcript says of it. */
  turn: TranscriptTurn | undefined;
  /** How old the last confirmation was when its turn was recorded, or when it was cancelled, ms. */
  unconfirmedMs: number;
}

/** Where a spoken segment belongs. */
export interface SegmentPosition {
  reply: ReplyFacts;
  segment: SegmentFacts;
}

/** What has happened in a call so far, as its events, its commands and its carrier tell. All times are ms of call time. */
export class Facts {
  readonly spec: CallSpec;
  readonly process: Process;
  readonly replies = new Map<number, ReplyFacts>();
  readonly turns: TranscriptTurn[] = [];
  readonly commands: CallCommand[] = [];
  /** The reply that was begun last, alive or not. */
  reply: ReplyFacts | undefined;
  /** The caller's words in the last LLM request. */
  userMessage: Message | undefined;
  /** What is spoken. */
  language: string;
  lastEvent: CallEvent | undefined;
  /** The last event came from the engines of a reply that was alive. */
  lastEventCounts = false;
  /** Without STT it says goodbye. */
  isLeaving = false;
  framesIn = 0;
  legStartedMs: number | undefined;
  /** When the peer last confirmed that the line carries; and for the first time after what was sent last. */
  confirmedMs = 0;
  playedConfirmedMs = Number.POSITIVE_INFINITY;
  end: { reason: EndReason; atMs: number } | undefined;
  /** When all that was sent will have been played, if it was on its way for no time. */
  playsUntilMs = 0;
  /** How much later than that any mark came back, at most. */
  markLateMs = 0;
  state: CallState = "listening";
  readonly #startMs: number;
  /** Segments that the TTS was not asked for yet, in order. */
  #unspoken: SegmentFacts[] = [];
  readonly #marksDueMs = new Map<string, number>();
  readonly #places = new Map<SpokenSegment, SegmentPosition>();
  #audible = false;
  /** Audio that was sent in all, and how much of it was played when the last clear was sent, ms. */
  #sentMs = 0;
  #playedAtClearMs = Number.NaN;

  constructor(spec: CallSpec, process: Process) {
    this.spec = spec;
    this.language = spec.language;
    this.process = process;
    this.#startMs = millisecondsOf(process.nowMs());
  }

  get nowMs(): number {
    return millisecondsOf(this.process.nowMs()) - this.#startMs;
  }

  /** The latest call time at which something counts as done in time that was due at `dueMs`. */
  latestMs(dueMs: number, withinMs: number): number {
    return this.process.latestMs(dueMs + this.#startMs, withinMs) - this.#startMs;
  }

  /** A frame, a mark, a pong or the like came. */
  confirmed(): void {
    this.confirmedMs = this.nowMs;
    if (this.nowMs >= this.playsUntilMs) this.playedConfirmedMs = Math.min(this.playedConfirmedMs, this.nowMs);
  }

  event(event: CallEvent): void {
    const { reply } = this;
    if (isConfirmation(event)) this.confirmed();
    this.lastEvent = event;
    this.lastEventCounts = reply !== undefined && !isOver(reply) && "turnId" in event && event.turnId === reply.turnId;
    switch (event.kind) {
      case "leg-started":
        this.legStartedMs ??= this.nowMs;
        return;
      case "stt-failed":
        this.isLeaving = true;
        return;
      case "mark": {
        const dueMs = this.#marksDueMs.get(event.name) ?? this.nowMs;
        this.#marksDueMs.delete(event.name);
        this.#late(this.nowMs - dueMs);
        return;
      }
      case "cleared":
        if (!Number.isNaN(this.#playedAtClearMs)) this.#late(this.#playedAtClearMs - event.playedMs);
        return;
      case "reply-tool-call":
        if (this.lastEventCounts && reply !== undefined) this.#toolAsked(reply, event);
        return;
      case "reply-end":
        this.#change(event.turnId, { llmDone: true });
        return;
      case "tool-result":
        this.replies.get(event.turnId)?.toolsRunning.delete(event.toolCallId);
        return;
      case "segment-end": {
        const segment = this.replies.get(event.turnId)?.segments[event.segment];
        if (segment !== undefined) segment.samples = event.samples;
        return;
      }
      default:
        return;
    }
  }

  command(command: CallCommand): void {
    this.commands.push(command);
    switch (command.kind) {
      case "generate-reply": {
        const last = command.messages.at(-1);
        const reply = this.replies.get(command.turnId) ?? this.#begin(command.turnId, last);
        if (reply.asks === 0) Object.assign(reply, { userMessage: last });
        Object.assign(reply, { asks: reply.asks + 1, llmDone: false, toolsAsked: 0 });
        this.userMessage = command.messages.findLast(({ role }) => role === "user");
        return;
      }
      case "await-passages":
        // The answer is there, and is asked for in a moment.
        this.#begin(command.turnId, { role: "user", text: "" });
        return;
      case "run-tool":
        this.replies.get(command.turnId)?.toolsRunning.add(command.toolCallId);
        return;
      case "language":
        this.language = command.language;
        return;
      case "pause":
        this.#change(command.turnId, { pausedMs: this.nowMs, pauses: (this.reply?.pauses ?? 0) + 1 });
        return;
      case "resume":
        this.#change(command.turnId, { pausedMs: undefined, resumedMs: this.nowMs });
        return;
      case "speak": {
        const reply = this.replies.get(command.turnId) ?? this.#begin(command.turnId, undefined);
        const segment = { text: command.text, spoken: undefined, samples: undefined, playedFrames: 0 };
        reply.segments.push(segment);
        this.#unspoken.push(segment);
        return;
      }
      case "mark":
        this.#marksDueMs.set(command.name, Math.max(this.nowMs, this.playsUntilMs));
        return;
      case "state":
        this.state = command.state;
        return;
      case "cancel-reply":
        this.#marksDueMs.clear();
        // A reply of which nothing counts as heard gets no turn.
        this.#change(command.turnId, { cut: true, pausedMs: undefined, unconfirmedMs: this.nowMs - this.confirmedMs });
        this.#unspoken = [];
        this.#playedAtClearMs = this.#sentMs - Math.max(0, this.playsUntilMs - this.nowMs);
        this.playsUntilMs = Math.min(this.playsUntilMs, this.nowMs);
        return;
      case "turn":
        this.turns.push(command.turn);
        if (command.turn.role === "agent" && this.reply !== undefined) {
          const unconfirmedMs = this.nowMs - this.confirmedMs;
          Object.assign(this.reply, { turn: command.turn, pausedMs: undefined, unconfirmedMs });
        }
        return;
      case "end":
        this.end ??= { reason: command.reason, atMs: this.nowMs };
        return;
      default:
        return;
    }
  }

  /** A frame is sent; returns the reply that it says it belongs to. */
  frameOut(turnId: number, samples: number): ReplyFacts | undefined {
    const reply = this.replies.get(turnId);
    if (reply !== undefined) {
      reply.sentFrames += 1;
      reply.sentSamples += samples;
    }
    this.#sentMs += FRAME_MS;
    this.#audible = true;
    this.playsUntilMs = Math.max(this.playsUntilMs, this.nowMs) + FRAME_MS;
    this.playedConfirmedMs = Number.POSITIVE_INFINITY;
    return reply;
  }

  /** The TTS starts to speak; false when it was another segment's turn. */
  speaking(spoken: SpokenSegment): boolean {
    const segment = this.#unspoken.shift();
    const reply = this.reply;
    if (segment === undefined || reply === undefined || segment.text !== spoken.text) return false;
    segment.spoken = spoken;
    this.#places.set(spoken, { reply, segment });
    return true;
  }

  placeOf(spoken: SpokenSegment | undefined): SegmentPosition | undefined {
    return spoken && this.#places.get(spoken);
  }

  #begin(turnId: number, userMessage: Message | undefined): ReplyFacts {
    const reply: ReplyFacts = {
      turnId,
      // Only the first message of the agent may be kept from being interrupted, and the goodbye is.
      interruptible: !this.isLeaving && (this.spec.interruptible || this.#audible),
      userMessage,
      segments: [],
      beganMs: this.nowMs,
      asks: 0,
      llmDone: userMessage === undefined,
      toolsAsked: 0,
      toolsRunning: new Set(),
      afterwards: undefined,
      pauses: 0,
      pausedMs: undefined,
      resumedMs: Number.NEGATIVE_INFINITY,
      sentFrames: 0,
      sentSamples: 0,
      cut: false,
      turn: undefined,
      unconfirmedMs: 0,
    };
    this.replies.set(turnId, reply);
    this.reply = reply;
    return reply;
  }

  /** A mark, or the answer to a clear, tells that the far end plays so much later than by our clock. */
  #late(byMs: number): void {
    this.markLateMs = Math.max(this.markLateMs, Math.min(LAG_MS_MAX, byMs));
  }

  #toolAsked(reply: ReplyFacts, { name, argumentsJson }: Extract<CallEvent, { kind: "reply-tool-call" }>): void {
    reply.toolsAsked += 1;
    if (reply.toolsAsked > TOOL_CALLS_PER_ROUND_MAX || !this.spec.tools.some((tool) => tool.name === name)) return;
    const given = argumentsOf(argumentsJson);
    if (name === "hang_up" && given !== undefined) reply.afterwards ??= name;
    if (name === "transfer" && typeof given?.target === "string") reply.afterwards ??= name;
  }

  #change(turnId: number, what: Partial<ReplyFacts>): void {
    const reply = this.replies.get(turnId);
    if (reply !== undefined) Object.assign(reply, what);
  }
}

/** What an LLM wrote as arguments, where that makes sense. */
function argumentsOf(json: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(json === "" ? "{}" : json) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** Everything of it was made and sent. */
export function isComplete({ llmDone, toolsRunning, segments, sentSamples }: ReplyFacts): boolean {
  if (!llmDone || toolsRunning.size > 0 || segments.some(({ samples }) => samples === undefined)) return false;
  const samples = segments.reduce((sum, segment) => sum + (segment.samples ?? 0), 0);
  return sentSamples >= samples;
}

/** It lives no longer, as far as that can be seen from outside. */
export const isOver = (reply: ReplyFacts): boolean =>
  reply.cut || reply.turn !== undefined || (reply.sentFrames === 0 && isComplete(reply));

/** Whether `said` has the words of `text` in order: digits or a typed text may stand in the middle of them. */
function hasInOrder(said: string, text: string): boolean {
  const words = text.split(" ");
  let found = 0;
  for (const word of said.split(" ")) if (word === words[found]) found += 1;
  return found === words.length;
}

/** Whether what the caller said, typed or entered needs a reply; `userMessage` is the last one in an LLM request. */
export function needsReply(event: CallEvent, userMessage: Message | undefined): boolean {
  if (event.kind === "typed" || event.kind === "dtmf") return true;
  if ((event.kind !== "stt-interim" && event.kind !== "stt-final") || event.text === "") return false;
  // After what it ends now, DTMF digits or typed texts may have arrived already.
  return event.kind === "stt-final"
    ? !hasInOrder(userMessage?.text ?? "", event.text)
    : userMessage?.text.endsWith(event.text) !== true;
}
