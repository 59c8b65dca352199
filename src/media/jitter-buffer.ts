import { type CallMs, callMs, elapsedMs, mediaMs } from "../core/clocks.ts";
import {
  JITTER_BUFFER_AHEAD_CHUNKS_MAX,
  JITTER_BUFFER_CHUNK_MS_MAX,
  JITTER_BUFFER_CHUNKS_MAX,
  JITTER_BUFFER_DROPPED_MAX,
  JITTER_BUFFER_LATE_CHUNKS_MAX,
} from "../core/limits/streams/caller-audio.ts";
import type { FramerInput } from "./framer.ts";
import type { G711Law } from "./g711.ts";

/** Audio from a wire with the carrier's message number; NaN where there is none. */
export interface OrderedInput extends FramerInput {
  readonly chunk: number;
}

/** What `push` did with a message. */
export type Verdict = "taken" | "late" | "duplicate";

/** Where carriers' counters of 16 or 32 bits, signed or not, wrap. */
const WRAPS = [2 ** 16, 2 ** 31, 2 ** 32] as const;

/** The result of `next`, allocated once. */
type BorrowedInput = { -readonly [key in keyof FramerInput]: FramerInput[key] };

/** A message that arrived too early. */
interface Slot {
  readonly bytes: Uint8Array;
  /** 0 in a free slot. */
  count: number;
  chunk: number;
  /** Its position in the stream by our own count, which does not wrap. */
  position: number;
  arrivedMs: CallMs;
  /** Samples that had arrived until then, its own included. */
  arrivedSamples: number;
}

/**
 * Puts audio in the order of the carrier's message numbers.
 *
 *   buffer.push(message, nowMs);
 *   for (let audio = buffer.next(nowMs); audio !== undefined; audio = buffer.next(nowMs)) use(audio);
 *
 * A message that arrives early waits for those before it: until they arrive, `waitMs` have passed, or that
 * much audio has arrived after it. Then the missing message is skipped: the timeline has a gap, and when the message
 * arrives after all it is late and dropped. `next` without a push checks the time; with Infinity everything held is
 * delivered.
 *
 * Counters wrap, restart and jump, and none of that may stop the audio. A message that is further ahead than any gap,
 * or further back than any late one, starts a new count. So does the message after JITTER_BUFFER_DROPPED_MAX
 * consecutive dropped ones. Messages without a number are delivered after those that are held. A message that is too
 * long to be held, or for which there is no slot, does not wait: the gap before it is skipped.
 *
 * The output has its own media time, in samples counted from the start of the stream, because the timestamps of such
 * carriers are unreliable. A lost message is assumed to be as long as the one before it.
 *
 * Allocates nothing after construction.
 */
export class JitterBuffer {
  readonly #law: G711Law;
  readonly #waitMs: number;
  readonly #samplesPerMs: number;
  readonly #slots: readonly Slot[];
  /** Borrowed through `next`. */
  readonly #heldSamples: Int16Array;
  readonly #out: BorrowedInput = {
    bytes: new Uint8Array(),
    samples: new Int16Array(),
    count: 0,
    timestampMs: mediaMs(0),
  };
  /** Whether the message at a position, modulo the array's length, was delivered. Covers only the latest positions. */
  readonly #delivered = new Uint8Array(JITTER_BUFFER_LATE_CHUNKS_MAX);
  /** The next position to deliver, and the carrier's number for it; NaN before the first. */
  #position = 0;
  #chunk = Number.NaN;
  /** Where the next position starts, in samples. */
  #startSamples = 0;
  #lastCount = 0;
  #arrivedSamples = 0;
  #droppedInRow = 0;
  /** The message that was pushed, until it is delivered or held. */
  #input: OrderedInput | undefined;
  #inputPosition = 0;

  constructor({ law, rateHz, waitMs }: { law: G711Law; rateHz: number; waitMs: number }) {
    this.#law = law;
    this.#waitMs = waitMs;
    this.#samplesPerMs = rateHz / 1_000;
    this.#heldSamples = new Int16Array(JITTER_BUFFER_CHUNK_MS_MAX * this.#samplesPerMs);
    this.#slots = Array.from({ length: JITTER_BUFFER_CHUNKS_MAX }, () => ({
      bytes: new Uint8Array(this.#heldSamples.length),
      count: 0,
      chunk: 0,
      position: 0,
      arrivedMs: callMs(0),
      arrivedSamples: 0,
    }));
  }

  /** Takes a message, which is borrowed until `next` returns undefined. */
  push(input: OrderedInput, nowMs: CallMs): Verdict {
    if (Number.isNaN(this.#chunk) && Number.isSafeInteger(input.chunk)) this.#chunk = initialChunk(input.chunk);
    const distance = this.#distance(input.chunk);
    if (distance < 0 || this.#isHeld(this.#position + distance)) {
      this.#droppedInRow += 1;
      if (this.#droppedInRow <= JITTER_BUFFER_DROPPED_MAX) {
        const position = this.#position + distance;
        return distance > 0 || this.#delivered[position % this.#delivered.length] === 1 ? "duplicate" : "late";
      }
      this.#acceptAtEnd(input);
    } else if (Number.isNaN(distance)) this.#acceptAtEnd(input);
    else this.#accept(input, this.#position + distance, nowMs);
    this.#droppedInRow = 0;
    this.#arrivedSamples += input.count;
    return "taken";
  }

  /** The next message in order: borrowed, valid until the next call. */
  next(nowMs: CallMs): FramerInput | undefined {
    const slot = this.#earliestSlot();
    const input = this.#input;
    if (input !== undefined && (slot === undefined || this.#inputPosition < slot.position)) {
      this.#input = undefined;
      return this.#deliver(input.bytes, input.samples, input.count, input.chunk, this.#inputPosition);
    }
    if (slot === undefined) return undefined;
    if (input === undefined && slot.position !== this.#position && !this.#isOverdue(nowMs)) return undefined;
    const { bytes, count, chunk, position } = slot;
    slot.count = 0;
    for (let i = 0; i < count; i += 1) this.#heldSamples[i] = this.#law.decodeTable[bytes[i] as number] as number;
    return this.#deliver(bytes, this.#heldSamples, count, chunk, position);
  }

  /** The distance from the next position; NaN without a number, or where the number belongs to a new count. */
  #distance(chunk: number): number {
    if (!Number.isSafeInteger(chunk)) return Number.NaN;
    const distance = chunk - this.#chunk;
    if (isNear(distance)) return distance;
    for (const wrap of WRAPS) {
      if (isNear(distance + wrap)) return distance + wrap;
      if (isNear(distance - wrap)) return distance - wrap;
    }
    return Number.NaN;
  }

  /** Delivers the message after everything that is held, and continues the count from it. */
  #acceptAtEnd(input: OrderedInput): void {
    let position = this.#position;
    for (const slot of this.#slots) if (slot.count > 0) position = Math.max(position, slot.position + 1);
    this.#input = input;
    this.#inputPosition = position;
  }

  #accept(input: OrderedInput, position: number, nowMs: CallMs): void {
    this.#input = input;
    this.#inputPosition = position;
    if (position === this.#position || input.count > this.#heldSamples.length) return;
    const slot = this.#freeSlot();
    if (slot === undefined) return;
    for (let i = 0; i < input.count; i += 1) slot.bytes[i] = input.bytes[i] as number;
    slot.count = input.count;
    slot.chunk = input.chunk;
    slot.position = position;
    slot.arrivedMs = nowMs;
    slot.arrivedSamples = this.#arrivedSamples + input.count;
    this.#input = undefined;
  }

  #deliver(bytes: Uint8Array, samples: Int16Array, count: number, chunk: number, position: number): FramerInput {
    for (let missing = Math.max(this.#position, position - this.#delivered.length); missing < position; missing += 1) {
      this.#delivered[missing % this.#delivered.length] = 0;
    }
    this.#startSamples += (position - this.#position) * this.#lastCount;
    const out = this.#out;
    out.bytes = bytes;
    out.samples = samples;
    out.count = count;
    out.timestampMs = mediaMs(this.#startSamples / this.#samplesPerMs);
    this.#delivered[position % this.#delivered.length] = 1;
    this.#position = position + 1;
    // A message without a number takes no number of the sequence.
    if (Number.isSafeInteger(chunk)) this.#chunk = chunk + 1;
    this.#startSamples += count;
    this.#lastCount = count;
    return out;
  }

  #isOverdue(nowMs: CallMs): boolean {
    for (const slot of this.#slots) {
      if (slot.count === 0) continue;
      if (elapsedMs(slot.arrivedMs, nowMs) >= this.#waitMs) return true;
      if (this.#arrivedSamples - slot.arrivedSamples >= this.#waitMs * this.#samplesPerMs) return true;
    }
    return false;
  }

  #isHeld(position: number): boolean {
    for (const slot of this.#slots) if (slot.count > 0 && slot.position === position) return true;
    return false;
  }

  #freeSlot(): Slot | undefined {
    for (const slot of this.#slots) if (slot.count === 0) return slot;
    return undefined;
  }

  /** The held message with the lowest position. */
  #earliestSlot(): Slot | undefined {
    let first: Slot | undefined;
    for (const slot of this.#slots) {
      if (slot.count > 0 && (first === undefined || slot.position < first.position)) first = slot;
    }
    return first;
  }
}

/** Carriers count from 1: a stream that seems to start slightly later has started out of order. */
const initialChunk = (chunk: number): number => (chunk > 1 && isNear(chunk - 1) ? 1 : chunk);

/** Within this distance it is the same count: late, missing or in order. */
const isNear = (distance: number): boolean =>
  distance >= -JITTER_BUFFER_LATE_CHUNKS_MAX && distance <= JITTER_BUFFER_AHEAD_CHUNKS_MAX;
