import type { CallEvent, EventOf, PassageReference, Turn, TurnLatency } from "./types.ts";

/** One request to the LLM. */
export interface LlmRequest {
  readonly atMs: number;
  /** Requested before the end of the turn was certain. */
  readonly isPreemptive: boolean;
  /** When the reply took over what was requested preemptively; `atMs` otherwise. */
  usedMs: number;
  firstTextMs?: number;
  endMs?: number;
  failedCode?: string;
}

/** One run of a tool. */
export interface ToolRun {
  readonly id: string;
  readonly name: string;
  /** As JSON. Empty where the words of the call are not stored. */
  readonly argumentsJson: string;
  readonly startMs: number;
  /** Absent while it runs, and where the call ended first. */
  endMs?: number;
  failed?: boolean;
  result?: string;
}

/** The corpora's passages for a reply. */
export interface ReplyPassages {
  readonly atMs: number;
  readonly tookMs: number;
  /** How long the answer has waited for them. */
  readonly waitMs: number;
  readonly passages: readonly PassageReference[];
}

/** A segment of a reply, which the TTS speaks in one request: a sentence, or a clause of a long one. */
export interface Segment {
  readonly number: number;
  readonly text: string;
  /** The length of a text that is not stored, in UTF-16 units. */
  readonly chars: number;
  /** Why the service says it without the LLM. */
  readonly reason?: NonNullable<EventOf<"speak">["reason"]>;
  /** When it was handed to the TTS. */
  readonly spokenMs: number;
  firstAudioMs?: number;
  lastAudioMs?: number;
  /** The TTS has finished it. */
  isComplete: boolean;
  samples: number;
  failedCode?: string;
}

/** A part of a reply's audio that was sent without a pause. */
export interface Playout {
  readonly startMs: number;
  /** Absent while it plays. */
  endMs?: number;
  /** How much audio was sent in it, ms. Absent while it plays. */
  sentMs?: number;
  /** How much of the reply's audio was sent before, ms. */
  readonly fromMs: number;
}

/** A time in which a reply was not sent because the caller made a sound. */
export interface Pause {
  readonly startMs: number;
  endMs?: number;
  /** Why the reply resumed; absent where it was cancelled. */
  resumed?: EventOf<"resume">["reason"];
}

/** All that the events say of one reply. */
export interface Reply {
  readonly turnId: number;
  readonly startMs: number;
  readonly requests: LlmRequest[];
  /** The text of the LLM, and how much of it is not stored, in UTF-16 units. */
  text: string;
  textChars: number;
  readonly segments: Segment[];
  readonly playouts: Playout[];
  readonly tools: ToolRun[];
  readonly pauses: Pause[];
  passages?: ReplyPassages;
  awaitedPassages?: EventOf<"await-passages">;
  cancelled?: EventOf<"cancel-reply">;
  latency?: TurnLatency;
  /** When the state became `speaking`, with the latency: the first frame was sent. */
  speakingMs?: number;
  /** The decision that the caller's turn is over. */
  turnEnded?: EventOf<"turn-ended">;
  /** The last voiced frame of the caller before the reply; absent where the reply answers no speech. */
  speechEndMs?: number;
  finalTranscript?: EventOf<"stt-final">;
  callerTurn?: Turn;
  /** What the caller heard of it. */
  agentTurn?: Turn;
}

/** Collects the replies of a call from its events, in the order of time. */
export class ReplyCollector {
  readonly replies: Reply[] = [];
  readonly #byId = new Map<number, Reply>();
  #preemptive: LlmRequest | undefined;
  #turnEnded: EventOf<"turn-ended"> | undefined;
  #speechEndMs: number | undefined;
  #finalTranscript: EventOf<"stt-final"> | undefined;
  #callerTurn: Turn | undefined;
  readonly #rateHz: number;

  constructor(rateHz: number) {
    this.#rateHz = rateHz;
  }

  take(event: CallEvent): void {
    switch (event.kind) {
      case "speech-ended":
        this.#speechEndMs = event.endMs;
        return;
      case "stt-final":
        if (event.text !== "" || (event.chars ?? 0) > 0) this.#finalTranscript = event;
        return;
      case "turn-ended":
        this.#turnEnded = event;
        return;
      case "turn":
        this.#onTurn(event.turn);
        return;
      case "preemptive-start":
        this.#preemptive = { atMs: event.atMs, isPreemptive: true, usedMs: event.atMs };
        return;
      case "preemptive-cancel":
        this.#preemptive = undefined;
        return;
      default:
        if ("turnId" in event && event.turnId > 0) this.#onReplyEvent(event, this.#replyOf(event.turnId, event.atMs));
        else if (event.kind === "state") this.#onState(event);
    }
  }

  #onReplyEvent(event: Extract<CallEvent, { turnId: number }>, reply: Reply): void {
    switch (event.kind) {
      case "generate-reply":
        this.#onRequest(event, reply);
        return;
      case "reply-text":
      case "reply-end":
      case "reply-failed":
        onLlm(event, reply);
        return;
      case "speak":
      case "segment-audio":
      case "segment-end":
      case "segment-failed":
        onSegment(event, reply);
        return;
      case "run-tool":
      case "tool-result":
        onTool(event, reply);
        return;
      case "await-passages":
        reply.awaitedPassages = event;
        return;
      case "passages-used":
        reply.passages = event;
        return;
      case "cancel-reply":
        reply.cancelled ??= event;
        endPause(reply, event.atMs);
        return;
      case "pause":
        reply.pauses.push({ startMs: event.atMs });
        return;
      case "resume":
        endPause(reply, event.atMs, event.reason);
        return;
      case "playout-started":
      case "playout-ended":
      case "rewind":
        this.#onPlayout(event, reply);
        return;
      default:
        return;
    }
  }

  #replyOf(turnId: number, atMs: number): Reply {
    const known = this.#byId.get(turnId);
    if (known !== undefined) return known;
    const reply: Reply = {
      turnId,
      startMs: atMs,
      requests: [],
      text: "",
      textChars: 0,
      segments: [],
      playouts: [],
      tools: [],
      pauses: [],
    };
    this.#byId.set(turnId, reply);
    this.replies.push(reply);
    return reply;
  }

  /** The first request of a reply answers what the caller has said since the reply before. */
  #onRequest({ atMs }: EventOf<"generate-reply">, reply: Reply): void {
    if (reply.requests.length === 0) {
      if (this.#turnEnded !== undefined) reply.turnEnded = this.#turnEnded;
      if (this.#speechEndMs !== undefined) reply.speechEndMs = this.#speechEndMs;
      if (this.#finalTranscript !== undefined) reply.finalTranscript = this.#finalTranscript;
      if (this.#callerTurn !== undefined) reply.callerTurn = this.#callerTurn;
      this.#turnEnded = undefined;
      this.#speechEndMs = undefined;
      this.#finalTranscript = undefined;
      this.#callerTurn = undefined;
    }
    const preemptive = this.#preemptive;
    this.#preemptive = undefined;
    if (preemptive === undefined) reply.requests.push({ atMs, isPreemptive: false, usedMs: atMs });
    else reply.requests.push({ ...preemptive, usedMs: atMs });
  }

  #onState({ latency, atMs }: EventOf<"state">): void {
    const reply = this.replies.at(-1);
    if (latency === undefined || reply === undefined || reply.latency !== undefined) return;
    reply.latency = latency;
    reply.speakingMs = atMs;
  }

  #onTurn(turn: Turn): void {
    if (turn.role === "agent") {
      const reply = this.replies.findLast(({ playouts, agentTurn }) => playouts.length > 0 && agentTurn === undefined);
      if (reply !== undefined) reply.agentTurn = turn;
      return;
    }
    const reply = this.replies.at(-1);
    // A turn may become final only when the reply to it is audible.
    const isAnswered = reply !== undefined && reply.requests.length > 0 && reply.startMs >= turn.endMs;
    if (isAnswered && reply.callerTurn === undefined && reply.agentTurn === undefined) reply.callerTurn = turn;
    else this.#callerTurn = turn;
  }

  #onPlayout(event: EventOf<"playout-started" | "playout-ended" | "rewind">, reply: Reply): void {
    const last = reply.playouts.at(-1);
    if (event.kind === "playout-started") {
      const fromMs = last === undefined ? 0 : last.fromMs + (last.sentMs ?? 0);
      reply.playouts.push({ startMs: event.atMs, fromMs });
    } else if (last === undefined) return;
    else if (event.kind === "playout-ended") {
      last.endMs = event.atMs;
      last.sentMs = event.sentMs;
    } else if (last.sentMs !== undefined)
      last.sentMs = Math.max(0, last.sentMs - (event.samples * 1_000) / this.#rateHz);
  }
}

function onLlm(event: EventOf<"reply-text" | "reply-end" | "reply-failed">, reply: Reply): void {
  const request = reply.requests.at(-1);
  switch (event.kind) {
    case "reply-text":
      reply.text += event.text;
      reply.textChars += event.chars ?? 0;
      if (request !== undefined) request.firstTextMs ??= event.atMs;
      return;
    case "reply-end":
      if (request !== undefined) request.endMs ??= event.atMs;
      return;
    case "reply-failed":
      if (request === undefined) return;
      request.endMs ??= event.atMs;
      request.failedCode = event.code;
      return;
  }
}

function onSegment(event: EventOf<"speak" | "segment-audio" | "segment-end" | "segment-failed">, reply: Reply): void {
  if (event.kind === "speak") {
    const { segment: number, text, chars = 0, reason, atMs: spokenMs } = event;
    const fields = { number, text, chars, spokenMs, isComplete: false, samples: 0 };
    reply.segments.push(reason === undefined ? fields : { ...fields, reason });
    return;
  }
  const segment = reply.segments.find(({ number }) => number === event.segment);
  if (segment === undefined) return;
  switch (event.kind) {
    case "segment-audio":
      segment.firstAudioMs ??= event.atMs;
      segment.lastAudioMs = event.atMs;
      // Its place in the segment: the length so far.
      segment.samples = Math.max(segment.samples, event.samples);
      return;
    case "segment-end":
      segment.isComplete = true;
      segment.lastAudioMs ??= event.atMs;
      segment.samples = event.samples;
      return;
    case "segment-failed":
      segment.failedCode = event.code;
      return;
  }
}

function onTool(event: EventOf<"run-tool" | "tool-result">, reply: Reply): void {
  if (event.kind === "run-tool") {
    const { toolCallId: id, name, atMs: startMs } = event;
    reply.tools.push({ id, name, startMs, argumentsJson: JSON.stringify(event.arguments, undefined, 2) });
    return;
  }
  const run = reply.tools.find(({ id }) => id === event.toolCallId);
  if (run === undefined) return;
  run.endMs = event.atMs;
  run.failed = event.failed;
  run.result = event.result;
}

function endPause(reply: Reply, endMs: number, resumed?: Pause["resumed"]): void {
  const pause = reply.pauses.at(-1);
  if (pause === undefined || pause.endMs !== undefined) return;
  pause.endMs = endMs;
  if (resumed !== undefined) pause.resumed = resumed;
}
