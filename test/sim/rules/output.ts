import type { CallCommand, CallEvent } from "../../../src/call/events.ts";
import { phrasesOf } from "../../../src/call/phrases.ts";
import { CARRIER_FRAME_SAMPLES, FRAME_MS, OUTPUT_LEAD_MS } from "../../../src/core/limits.ts";
import type { Chronicle } from "../chronicle.ts";
import type { SimulatedEar } from "../ear.ts";
import { type Facts, isNews, type PieceFacts, type PiecePlace, type ReplyFacts } from "../facts.ts";
import type { Invariant } from "../kinds.ts";
import { TaggedReader } from "../tagged-audio.ts";
import type { SimulatedVoice } from "../voice.ts";
import type { Rule } from "./rule.ts";

const LEAD_MS_MAX = OUTPUT_LEAD_MS + FRAME_MS;
const MEDIA = '{"event":"media"';
const CLEAR = '{"event":"clear"';
const ORDER: Invariant = "one speaker at a time, each frame in its order";

export interface OutputOptions {
  facts: Facts;
  chronicle: Chronicle;
  ear: SimulatedEar | undefined;
  voice: SimulatedVoice;
  /** One more frame of a piece sounds in the caller's ear. */
  onPlayed(piece: PieceFacts): void;
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
  /** The piece that is being sent, and how many frames of it have been. */
  #sending: { reply: ReplyFacts; piece: number; frames: number } | undefined;
  /** The reply that the caller talked over. */
  #talkedOver: ReplyFacts | undefined;
  /** What came when a message was cut short that may not be, until it is known why. */
  #cutShortBy: CallEvent | undefined;

  constructor(options: OutputOptions) {
    this.#options = options;
    this.#facts = options.facts;
    this.#chronicle = options.chronicle;
    this.#sent = new TaggedReader(options.voice.spoken);
    this.#played = new TaggedReader(options.voice.spoken);
  }

  sent(text: string): void {
    const { nowMs } = this.#facts;
    if (text.startsWith(CLEAR)) this.#socketPlaysUntilMs = Math.min(this.#socketPlaysUntilMs, nowMs);
    if (!text.startsWith(MEDIA)) return;
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
    const place = read && this.#placeOf(read.piece);
    if (read === undefined || place === undefined) {
      this.#chronicle.violated(ORDER, "something unknown was played");
      return;
    }
    place.piece.playedFrames = read.frame + 1;
    this.#options.onPlayed(place.piece);
  }

  event(event: CallEvent): void {
    this.#checkGreeting();
    const { reply, asked } = this.#facts;
    const mayStop = reply?.interruptible === true && this.#options.ear?.isHonest === true;
    if (mayStop && isNews(event, asked)) this.#talkedOver = reply;
  }

  command(command: CallCommand): void {
    const { reply, lastEvent } = this.#facts;
    if (command.kind !== "turn" || command.turn.role !== "agent" || reply === undefined) return;
    if (!reply.interruptible && command.turn.interrupted) this.#cutShortBy = lastEvent;
  }

  inspect(): void {
    this.#checkGreeting();
  }

  /** It may be cut by the end of the call, by a failure of the model, or because it hung for as long as the caller's patience. */
  #checkGreeting(): void {
    const { end, reply, spec } = this.#facts;
    const upon = this.#cutShortBy?.kind;
    this.#cutShortBy = undefined;
    if (upon === undefined || upon === "reply-failed" || end !== undefined) return;
    const isPrompt = reply?.pieces[0]?.text === phrasesOf(spec.language).stillThere;
    if (upon === "tick" && (isPrompt || reply?.asked !== undefined)) return;
    this.#chronicle.violated("a greeting that may not be interrupted is heard whole", `cut upon ${upon}`);
  }

  #placeOf(piece: number): PiecePlace | undefined {
    return this.#facts.placeOf(this.#options.voice.spoken[piece]);
  }

  /** What is wrong with a frame that was sent, if anything is. */
  #objection(reply: ReplyFacts | undefined, bytes: Uint8Array): string | undefined {
    const read = this.#sent.read(bytes);
    if (read === undefined) return "a frame follows that does not belong there";
    const place = this.#placeOf(read.piece);
    if (place === undefined || reply === undefined) return "a frame of no reply";
    if (place.reply !== reply) return `a frame of reply ${place.reply.turnId} is sent as one of ${reply.turnId}`;
    if (reply.cut) return `a frame of reply ${reply.turnId}, which was cut`;
    const piece = reply.pieces.indexOf(place.piece);
    const before = this.#sending?.reply === reply ? this.#sending : { piece: -1, frames: 0 };
    this.#sending = { reply, piece, frames: read.frame + 1 };
    if (piece === before.piece) return undefined;
    const skipped = reply.pieces.slice(before.piece + 1, piece).some(({ samples }) => samples !== 0);
    const samples = reply.pieces[before.piece]?.samples ?? 0;
    const isDone = before.frames * CARRIER_FRAME_SAMPLES === samples;
    return skipped || !isDone ? `piece ${piece} follows ${before.frames} frames of piece ${before.piece}` : undefined;
  }
}
