import { Call } from "../../../src/call/call.ts";
import type { CallCommand, CallEvent } from "../../../src/call/events.ts";
import type { BuiltInTool, CallSpec, ToolSpec } from "../../../src/core/calls/spec.ts";
import { type CallMs, callMs, earliest, mediaMs, millisecondsOf } from "../../../src/core/clocks.ts";
import { asToolCallId, asTurnId, type ToolCallId, type TurnId } from "../../../src/core/ids.ts";
import { CARRIER_FRAME_SAMPLES, CARRIER_RATE_HZ, FRAME_MS } from "../../../src/core/limits/streams/media.ts";
import { ENGLISH } from "../../../src/core/phrases/phrases.ts";
import { Random } from "../random.ts";
import { SPEC } from "./virtual-call.ts";

/** A random order of events went wrong: the seed gives it again. */
export class OrderFailure extends Error {
  readonly seed: number;

  constructor(seed: number, cause: unknown) {
    super(`seed ${seed}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.seed = seed;
  }
}

const STEPS_MAX = 60;
const FRAMES_AT_ONCE = [1, 1, 2, 4, 8, 20];
/** A tick may bring about what wants another at once; not for ever. */
const TICKS_AT_ONCE_MAX = 4;
const SAYINGS = [
  "",
  "mm-hm",
  "yes",
  "and",
  "wait",
  "what time do you open?",
  "I would like, um",
  "ja genau",
  "x".repeat(9_000),
];
const LANGUAGES = [{}, {}, ...["en", "de", "de-AT", ""].map((language) => ({ language }))];
const TEXTS = ["Good morning. ", "We open at nine, and ", "a", "! ", "", "One, two, three. And four. "];
const KEYS = "0123456789*#ABCD";
const BUILT_IN: readonly BuiltInTool[] = [
  ...(["hang_up", "send_dtmf", "transfer", "hold_call"] as const),
  ...(["pause_recording", "resume_recording", "switch_language"] as const),
];
const ARGUMENTS = [
  "",
  "{}",
  "[]",
  "{",
  '{"digits":"12"}',
  '{"target":"+4312345"}',
  '{"language":"de"}',
  '{"language":7}',
  '{"seconds":3}',
];
const CLIENT_TOOL: ToolSpec = {
  kind: "client",
  name: "look_up",
  description: "Looks something up.",
  parameters: { type: "object" },
  fixedArguments: {},
  timeoutMs: 10_000,
};
const TOOLS: readonly ToolSpec[] = [
  CLIENT_TOOL,
  ...BUILT_IN.map((name) => ({ kind: "built_in", name, fixedArguments: {} }) as const),
];

/**
 * One call in which everything comes in any order, at any time: what the peer, the STT, the LLM, the TTS and the tools may
 * do, and what comes late from those that were asked to stop. Only what the gateway promises is kept: nothing comes before the
 * stream has begun, segments are spoken in order, and a frame is sent of what was spoken.
 */
export class EventOrder {
  readonly #random: Random;
  readonly #call: Call;
  readonly #tell: ((line: string) => void) | undefined;
  readonly #rules = new Rules();
  #nowMs = 0;
  #begun = false;
  #mediaMs = 0;
  #voiced = false;
  readonly #requestedTurns: TurnId[] = [];
  readonly #marks: string[] = [];
  readonly #tools: { turnId: TurnId; toolCallId: ToolCallId }[] = [];
  #segments: { turnId: TurnId; segment: number; samples: number }[] = [];
  #ring: number[] = [];
  #pausedTurn: number | undefined;
  #isDetached = false;

  /** `tell` gets every event and command. */
  constructor(seed: number, tell?: (line: string) => void) {
    this.#random = new Random(seed);
    this.#tell = tell;
    this.#call = new Call({
      spec: this.#spec(),
      rateHz: CARRIER_RATE_HZ,
      sttHasInterim: this.#random.chance(0.7),
      sink: (command) => this.#run(command),
    });
  }

  /** Runs it to the end of the call, and beyond. Throws at the first thing that must not be. */
  run(): void {
    const steps = this.#random.whole(1, STEPS_MAX);
    for (let step = 0; step < steps && !this.#rules.ended; step += 1) this.#step();
    const { snapshot, nextDeadlineMs } = this.#call;
    const [first = nextDeadlineMs, ...others] = Object.values<CallMs>(snapshot.deadlines);
    check(earliest(first, ...others) === nextDeadlineMs, "what a call waits for is what it tells");
    this.#handle({ kind: "leg-closed", reason: "caller_hangup" });
    check(this.#rules.ended, "a call whose leg is closed ends");
    for (let step = 0; step < 5; step += 1) this.#step();
  }

  #spec(): CallSpec {
    const random = this.#random;
    const { greeting = "", ...spec } = SPEC;
    return {
      ...spec,
      ...(random.chance(0.6) ? { greeting } : {}),
      firstSpeaker: random.chance(0.8) ? "agent" : "user",
      interruptible: random.chance(0.5),
      languagePinned: random.chance(0.3),
      maxDurationMs: random.pick([60_000, 3_000_000]),
      inactivityTimeoutMs: random.pick([10_000, 30_000]),
      inactivityAction: random.pick(["hang_up", "prompt"]),
      tools: random.chance(0.7) ? TOOLS : [],
      ...(random.chance(0.5) && { phoneControl: true }),
    };
  }

  #step(): void {
    const random = this.#random;
    this.#nowMs += random.pick([0, 0, 1, 7, FRAME_MS, FRAME_MS, 100, random.between(0, 4_000)]);
    if (!this.#begun) {
      // What a peer sends before its stream begins reaches no call.
      this.#begun = random.chance(0.9);
      if (this.#begun) this.#handle({ kind: "leg-started", codec: "mulaw" });
      else if (random.chance(0.1)) this.#handle({ kind: "end-requested", reason: "api_hangup" });
      else this.#tickIfDue();
      return;
    }
    if (random.chance(0.5)) this.#tickIfDue();
    const what = random.next();
    if (what < 0.25) this.#hear();
    else if (what < 0.5) this.#speak();
    else if (what < 0.7) this.#think();
    else if (what < 0.78) this.#toDeadline();
    else this.#handle(this.#oddity());
  }

  #hear(): void {
    if (this.#isDetached) return;
    const random = this.#random;
    if (random.chance(0.4)) this.#voiced = random.chance(0.5);
    const frames = random.pick(FRAMES_AT_ONCE);
    for (let frame = 0; frame < frames; frame += 1) {
      if (random.chance(0.9)) this.#nowMs += FRAME_MS;
      this.#mediaMs += random.chance(0.97) ? FRAME_MS : random.between(-500, 5_000);
      this.#handle({ kind: "frame-in", isSpeech: this.#voiced && random.chance(0.9), mediaMs: mediaMs(this.#mediaMs) });
      this.#tickIfDue();
    }
  }

  /** The TTS speaks the next segment, or what was spoken is sent. */
  #speak(): void {
    const random = this.#random;
    const [next] = this.#segments;
    if (next !== undefined && random.chance(0.5)) {
      const { turnId, segment } = next;
      if (random.chance(0.01)) {
        this.#handle({ kind: "segment-failed", turnId, segment, code: "provider_failed" });
        return;
      }
      const words = random.chance(0.5) ? [] : [{ text: "word", startMs: 0, endMs: random.between(1, 400) }];
      const frames = random.chance(0.1) ? 0 : random.pick(FRAMES_AT_ONCE);
      if (frames > 0) this.#handle({ kind: "segment-audio", turnId, segment, samples: 0, words });
      // What the call makes of it may be to stop.
      if (this.#segments[0] !== next) return;
      for (let frame = 0; frame < frames; frame += 1) this.#ring.push(turnId);
      next.samples += frames * CARRIER_FRAME_SAMPLES;
      if (random.chance(0.3)) return;
      this.#segments.shift();
      this.#handle({ kind: "segment-end", turnId, segment, samples: next.samples });
      return;
    }
    for (let frames = random.pick(FRAMES_AT_ONCE); frames > 0 && !this.#isDetached; frames -= 1) {
      const [turnId] = this.#ring;
      if (turnId === undefined || turnId === this.#pausedTurn) return;
      this.#ring.shift();
      this.#handle({ kind: "frame-out", turnId: asTurnId(turnId), samples: CARRIER_FRAME_SAMPLES });
      if (random.chance(0.8)) this.#nowMs += FRAME_MS;
    }
  }

  /** The LLM says something, mostly that which was asked last. */
  #think(): void {
    const random = this.#random;
    const turnId = random.chance(0.9) ? this.#requestedTurns.at(-1) : this.#requestedTurns[0];
    if (turnId === undefined) return;
    const what = random.next();
    if (what < 0.55) this.#handle({ kind: "reply-text", turnId, text: random.pick(TEXTS) });
    else if (what < 0.75) {
      const name = random.chance(0.9) ? random.pick(TOOLS).name : "no_such_tool";
      for (let count = random.pick([1, 1, 2, 20]); count > 0; count -= 1) {
        this.#handle({ kind: "reply-tool-call", turnId, id: "same", name, argumentsJson: random.pick(ARGUMENTS) });
      }
    } else if (what < 0.95) this.#llmDone({ kind: "reply-end", turnId });
    else this.#llmDone({ kind: "reply-failed", turnId, code: "provider_failed" });
  }

  /** An LLM that is done says nothing more, until it is asked again. */
  #llmDone(event: Extract<CallEvent, { kind: "reply-end" | "reply-failed" }>): void {
    this.#requestedTurns.splice(this.#requestedTurns.indexOf(event.turnId), 1);
    this.#handle(event);
  }

  #oddity(): CallEvent {
    const random = this.#random;
    const language = random.pick(LANGUAGES);
    switch (random.whole(0, 11)) {
      case 0:
        return { kind: "stt-interim", text: random.pick(SAYINGS), ...language };
      case 1:
      case 2:
        return { kind: "stt-final", text: random.pick(SAYINGS), ...language };
      case 3:
        return { kind: "dtmf", digit: random.pick([...KEYS]) };
      case 4:
        return { kind: "typed", text: random.pick(SAYINGS) };
      case 5:
      case 6:
        return { kind: "mark", name: random.chance(0.9) ? (this.#marks.shift() ?? "1.0") : "never sent" };
      case 7:
        return this.#toolResult();
      case 8:
        return { kind: "leg-started", codec: "mulaw" };
      case 9:
        return { kind: "tick" };
      case 10:
        return this.#random.chance(0.5) ? this.#transfer() : this.#hold();
      default:
        return this.#rarity();
    }
  }

  /** What the telephone network does, whatever it was asked for. */
  #transfer(): CallEvent {
    const target = "+4312345";
    return this.#random.pick<CallEvent>([
      { kind: "leg-detached" },
      { kind: "transfer-started", target },
      { kind: "transfer-failed", target, outcome: "busy" },
      { kind: "transfer-refused", text: "This number is not called." },
    ]);
  }

  /** What a program asks for, whether or not it makes sense. */
  #hold(): CallEvent {
    return this.#random.pick<CallEvent>([
      { kind: "hold-requested", msMax: 2_000 },
      { kind: "resume-requested" },
      { kind: "recording-pause-requested" },
      { kind: "recording-resume-requested" },
    ]);
  }

  #toolResult(): CallEvent {
    const random = this.#random;
    const unknown = { turnId: asTurnId(1), toolCallId: asToolCallId("1.99") };
    const { turnId, toolCallId } = random.chance(0.9) ? (this.#tools.shift() ?? unknown) : unknown;
    return { kind: "tool-result", turnId, toolCallId, result: random.pick(SAYINGS), failed: random.chance(0.2) };
  }

  #rarity(): CallEvent {
    const random = this.#random;
    if (random.chance(0.8)) return { kind: "cleared", playedMs: random.between(0, this.#nowMs) };
    return random.pick<CallEvent>([
      { kind: "stt-failed", code: "provider_failed" },
      { kind: "leg-closed", reason: "caller_hangup" },
      { kind: "end-requested", reason: "api_hangup" },
      { kind: "goodbye-requested", reason: "drain_timeout" },
      { kind: "limit-reached", scope: "call", limit: "llm_requests", action: random.pick(["end", "refuse"]) },
      { kind: "phrases-chosen", language: random.pick(["en", "de", ""]), origin: "translated", phrases: ENGLISH },
    ]);
  }

  #toDeadline(): void {
    const { nextDeadlineMs } = this.#call;
    if (nextDeadlineMs === callMs(Number.POSITIVE_INFINITY)) return;
    this.#nowMs = Math.max(this.#nowMs, millisecondsOf(nextDeadlineMs));
    this.#tickIfDue();
  }

  #tickIfDue(): void {
    let ticks = 0;
    while (callMs(this.#nowMs) >= this.#call.nextDeadlineMs) {
      if (ticks === TICKS_AT_ONCE_MAX) {
        const { turn, deadlines, reply } = this.#call.snapshot;
        check(
          false,
          `a deadline that has come stays: ${JSON.stringify({ nowMs: this.#nowMs, turn, waits: deadlines, reply })}`,
        );
      }
      ticks += 1;
      this.#handle({ kind: "tick" });
    }
  }

  #handle(event: CallEvent): void {
    this.#tell?.(`${this.#nowMs.toFixed(1).padStart(9)}  ${JSON.stringify(event)}`);
    if (event.kind === "leg-detached") this.#isDetached = true;
    if (event.kind === "leg-started") this.#isDetached = false;
    this.#rules.before(event);
    this.#call.handle(event, callMs(this.#nowMs));
    this.#rules.after(event);
    const { nextDeadlineMs } = this.#call;
    if (this.#rules.ended)
      check(nextDeadlineMs === callMs(Number.POSITIVE_INFINITY), "a call that is over waits for nothing");
    else check(Number.isFinite(nextDeadlineMs), `a call that lives waits for ${nextDeadlineMs}`);
  }

  #run(command: CallCommand): void {
    this.#tell?.(`           -> ${JSON.stringify(command)}`);
    this.#rules.check(command);
    switch (command.kind) {
      case "generate-reply":
        this.#requestedTurns.push(command.turnId);
        return;
      case "speak":
        if (command.turnId !== this.#pausedTurn) this.#pausedTurn = undefined;
        this.#segments.push({ turnId: command.turnId, segment: command.segment, samples: 0 });
        return;
      case "mark":
        this.#marks.push(command.name);
        return;
      case "run-tool":
        this.#tools.push(command);
        return;
      case "pause":
        this.#pausedTurn = command.turnId;
        return;
      case "resume":
        this.#pausedTurn = undefined;
        return;
      case "cancel-reply":
        this.#pausedTurn = undefined;
        this.#segments = [];
        this.#ring = [];
        return;
      case "rewind":
        this.#ring.unshift(...Array<number>(command.samples / CARRIER_FRAME_SAMPLES).fill(command.turnId));
        return;
      default:
        return;
    }
  }
}

/** What holds of the commands of every call. */
class Rules {
  ended = false;
  #turnId = 0;
  #cutTurnId = 0;
  #segments = 0;
  /** A reply may be over while it is paused: then all of it had been sent. */
  #pausedTurnId = 0;
  /** The carrier rings the target of a transfer. */
  #isRinging = false;
  #isHeld = false;

  /** With these events the agent may speak again. */
  before({ kind }: CallEvent): void {
    if (kind === "transfer-failed" || kind === "leg-started") this.#isRinging = false;
  }

  after({ kind }: CallEvent): void {
    if (kind === "transfer-started") this.#isRinging = true;
  }

  check(command: CallCommand): void {
    check(!this.ended, `${command.kind} after the end`);
    switch (command.kind) {
      case "generate-reply":
        check(!this.#isRinging, "an answer while the carrier rings");
        check(!this.#isHeld, "an answer while the caller is on hold");
        this.#lives(command.turnId);
        this.#isAnswered(command);
        return;
      case "speak":
        check(!this.#isRinging, "the agent speaks while the carrier rings");
        check(!this.#isHeld, "the agent speaks while the caller is on hold");
        this.#lives(command.turnId);
        check(command.segment === this.#segments, `segment ${command.segment} where ${this.#segments} is next`);
        this.#segments += 1;
        return;
      case "pause":
        this.#lives(command.turnId);
        check(this.#pausedTurnId !== command.turnId, "a reply is paused twice");
        this.#pausedTurnId = command.turnId;
        return;
      case "resume":
        this.#lives(command.turnId);
        check(this.#pausedTurnId === command.turnId, "a reply goes on that was not paused");
        this.#pausedTurnId = 0;
        return;
      case "cancel-reply":
        this.#lives(command.turnId);
        this.#cutTurnId = command.turnId;
        return;
      case "turn": {
        const { startMs, endMs, latency = {} } = command.turn;
        check(startMs <= endMs, `a turn from ${startMs} to ${endMs}`);
        for (const ms of Object.values(latency)) check(Number.isFinite(ms), `a latency of ${ms}`);
        return;
      }
      case "held":
        check(!this.#isHeld, "a hold begins twice");
        this.#isHeld = true;
        return;
      case "resumed":
        check(this.#isHeld, "a hold ends that has not begun");
        this.#isHeld = false;
        return;
      case "end":
        this.ended = true;
        return;
      default:
        return;
    }
  }

  /** One reply lives at a time, and none comes back. */
  #lives(turnId: number): void {
    check(turnId >= this.#turnId && turnId > this.#cutTurnId, `reply ${turnId} speaks again`);
    if (turnId > this.#turnId) this.#segments = 0;
    this.#turnId = turnId;
  }

  /** Models refuse a conversation in which a tool that was asked for has no result. */
  #isAnswered({ messages }: Extract<CallCommand, { kind: "generate-reply" }>): void {
    const open = new Set<string>();
    for (const message of messages) {
      if (message.role === "tool") check(open.delete(message.toolCallId), "a result without a tool call");
      else check(open.size === 0, "a tool without a result");
      if (message.role === "assistant") for (const { id } of message.toolCalls ?? []) open.add(id);
    }
    check(open.size === 0, "a tool without a result");
  }
}

/** Runs the order of `seed`. Throws OrderFailure. */
export function runOrder(seed: number, tell?: (line: string) => void): void {
  try {
    new EventOrder(seed, tell).run();
  } catch (error) {
    throw new OrderFailure(seed, error);
  }
}

function check(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}
