import type { CallCommand, CallEvent } from "../../../src/call/events.ts";
import { isBackChannel } from "../../../src/call/turn-taking/back-channel.ts";
import type { CancelReason } from "../../../src/core/calls/reasons.ts";
import { FRAME_MS, OUTPUT_LEAD_MS } from "../../../src/core/limits/streams/media.ts";
import { type AudioFormat, frameSamples } from "../../../src/simulator/audio/format.ts";
import type { MessageKind } from "../network/message-kinds.ts";
import type { Chronicle } from "../observer/chronicle.ts";
import { type Facts, needsReply, type ReplyFacts, type SegmentFacts, type SegmentPosition } from "../observer/facts.ts";
import type { Invariant } from "../plan/kinds.ts";
import type { SimulatedStt } from "../providers/stt.ts";
import { TaggedReader } from "../providers/tagged-audio.ts";
import type { SimulatedTts } from "../providers/tts.ts";
import type { Rule } from "./rule.ts";

const LEAD_MS_MAX = OUTPUT_LEAD_MS + 3 * FRAME_MS;
const ORDER: Invariant = "one speaker at a time, each frame in its order";

/** The end of the call, a failure of the LLM, and a reply that hung for as long as the caller's patience. */
const MAY_CUT_A_GREETING: readonly CancelReason[] = ["call_ended", "llm_failed", "inactivity"];

export interface OutputOptions {
  facts: Facts;
  chronicle: Chronicle;
  stt: SimulatedStt | undefined;
  tts: SimulatedTts;
  /** What the agent's audio is on the wire. */
  format: AudioFormat;
  /** One more frame of a segment plays at the caller. */
  onPlayed(segment: SegmentFacts): void;
}

/** What is sent and what is played of it: in its order, no faster than it may be, and not once it was cut. */
export class Output implements Rule {
  readonly #facts: Facts;
  readonly #chronicle: Chronicle;
  readonly #options: OutputOptions;
  readonly #sent: TaggedReader;
  readonly #played: TaggedReader;
  /** When what the socket was given will have been played. */
  #socketPlaysUntilMs = 0;
  /** The segment that is being sent, and how many frames of it have been. */
  #sending: { reply: ReplyFacts; segment: number; frames: number } | undefined;
  /** The reply that the caller interrupted. */
  #talkedOver: ReplyFacts | undefined;

  constructor(options: OutputOptions) {
    this.#options = options;
    this.#facts = options.facts;
    this.#chronicle = options.chronicle;
    this.#sent = new TaggedReader(options.tts.spoken, options.format);
    this.#played = new TaggedReader(options.tts.spoken, options.format);
  }

  sent(kind: MessageKind): void {
    const { nowMs } = this.#facts;
    if (kind === "clear") this.#socketPlaysUntilMs = Math.min(this.#socketPlaysUntilMs, nowMs);
    if (kind !== "media") return;
    this.#socketPlaysUntilMs = Math.max(this.#socketPlaysUntilMs, nowMs) + FRAME_MS;
    const aheadMs = this.#socketPlaysUntilMs - nowMs;
    if (aheadMs <= LEAD_MS_MAX) return;
    this.#chronicle.violated("output stays within the lead", `${aheadMs} ms of audio were sent ahead`);
  }

  frameOut(reply: ReplyFacts | undefined, bytes: Uint8Array): void {
    const wrong = this.#objection(reply, bytes);
    if (wrong !== undefined) this.#chronicle.violated(ORDER, wrong);
    if (reply === undefined || reply !== this.#talkedOver) return;
    this.#chronicle.violated("words over the agent stop it", `reply ${reply.turnId} goes on`);
  }

  played(bytes: Uint8Array): void {
    const read = this.#played.read(bytes);
    const place = read && this.#placeOf(read.segment);
    if (read === undefined || place === undefined) {
      this.#chronicle.violated(ORDER, "something unknown was played");
      return;
    }
    place.segment.playedFrames = read.frame + 1;
    this.#options.onPlayed(place.segment);
  }

  /** An STT with faults may repeat what was answered already; a DTMF digit or a typed text cannot. */
  event(event: CallEvent): void {
    const { reply, userMessage, language } = this.#facts;
    const isSpoken = event.kind === "stt-interim" || event.kind === "stt-final";
    if (isSpoken && this.#options.stt?.isHonest !== true) return;
    if (isSpoken && isBackChannel(event.text, language, event.kind === "stt-interim")) return;
    if (reply?.interruptible === true && needsReply(event, userMessage)) this.#talkedOver = reply;
  }

  command(command: CallCommand): void {
    if (command.kind !== "cancel-reply") return;
    const reply = this.#facts.replies.get(command.turnId);
    if (reply?.interruptible !== false || MAY_CUT_A_GREETING.includes(command.reason)) return;
    // An answer that is not heard yet may be one to a turn that goes on.
    if (command.reason === "words" && reply.sentFrames === 0 && reply.userMessage !== undefined) return;
    const detail = `cut by ${command.reason}`;
    this.#chronicle.violated("a greeting that may not be interrupted is heard whole", detail);
  }

  #placeOf(segment: number): SegmentPosition | undefined {
    return this.#facts.placeOf(this.#options.tts.spoken[segment]);
  }

  /** What is wrong with a frame that was sent, if anything is. */
  #objection(reply: ReplyFacts | undefined, bytes: Uint8Array): string | undefined {
    const read = this.#sent.read(bytes);
    if (read === undefined) return "a frame follows that does not belong there";
    const place = this.#placeOf(read.segment);
    if (place === undefined || reply === undefined) return "a frame of no reply";
    if (place.reply !== reply) return `a frame of reply ${place.reply.turnId} is sent as one of ${reply.turnId}`;
    if (reply.cut) return `a frame of reply ${reply.turnId}, which was cut`;
    const segment = reply.segments.indexOf(place.segment);
    const before = this.#sending?.reply === reply ? this.#sending : { segment: -1, frames: 0 };
    this.#sending = { reply, segment, frames: read.frame + 1 };
    if (segment === before.segment) return undefined;
    const skipped = reply.segments.slice(before.segment + 1, segment).some(({ samples }) => samples !== 0);
    const samples = reply.segments[before.segment]?.samples ?? 0;
    const isDone = before.frames * frameSamples(this.#options.format) === samples;
    return skipped || !isDone
      ? `segment ${segment} follows ${before.frames} frames of segment ${before.segment}`
      : undefined;
  }
}
