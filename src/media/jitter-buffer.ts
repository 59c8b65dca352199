import {
  JITTER_BUFFER_AHEAD_CHUNKS_MAX,
  JITTER_BUFFER_CHUNK_MS_MAX,
  JITTER_BUFFER_CHUNKS_MAX,
  JITTER_BUFFER_DROPPED_MAX,
  JITTER_BUFFER_LATE_CHUNKS_MAX,
  JITTER_BUFFER_WAIT_MS,
} from "../core/limits/caller-audio.ts";
import type { FramerInput } from "./framer.ts";
import type { G711Law } from "./g711.ts";

/** Audio as a wire brings it, with its place among the stream's messages as the carrier counts them; NaN where it does not. */
export interface OrderedInput extends FramerInput {
  readonly chunk: number;
}

/** What `push` made of a message. */
export type Verdict = "taken" | "late" | "duplicate";

/** Where carriers' counters of 16 or 32 bits, signed or not, begin again. */
const WRAPS = [2 ** 16, 2 ** 31, 2 ** 32] as const;

/** What `next` lends, made once. */
type BorrowedInput = { -readonly [key in keyof FramerInput]: FramerInput[key] };

/** A message that came too early. */
interface Slot {
  readonly bytes: Uint8Array;
  /** 0 in a slot that is free. */
  count: number;
  chunk: number;
  /** Its place in the stream by our own count, which knows no wraps. */
  position: number;
  arrivedMs: number;
  /** Samples that had come until then, its own included. */
  arrivedSamples: number;
}

/**
 * Puts audio in the order in which the carrier counted it.
 *
 *   order.push(message, nowMs);
 *   for (let audio = order.next(nowMs); audio !== undefined; audio = order.next(nowMs)) use(audio);
 *
 * A message that comes before its turn waits for those in front of it: until they are there, or REORDER_WAIT_MS have gone by,
 * or that much audio has come behind it. Then what is missing is given up: its place stays empty on the timeline, and when it
 * comes after all it is late and dropped. `next` without a push lets time do its part; with Infinity nothing waits any longer.
 *
 * Counters wrap, restart and jump, and none of that may stop the audio. A message that is further ahead than any gap, or further
 * behind than any late one, begins a new count, and so does whatever comes after REORDER_DROPPED_MAX dropped ones in a row.
 * Messages without a count pass behind what waits. One that is too long to be held, or for which there is no room, does not
 * wait: the gap in front of it is given up.
 *
 * What comes out has media time of our own, in samples counted from the beginning of the stream: such carriers' own times are
 * not worth much. A lost message is taken to have been as long as the one before it.
 *
 * Allocates nothing after the constructor.
 */
export class JitterBuffer {
  readonly #law: G711Law;
  readonly #samplesPerMs: number;
  readonly #slots: readonly Slot[];
  /** Lent by `next`. */
  readonly #heldSamples: Int16Array;
  readonly #out: BorrowedInput = { bytes: new Uint8Array(), samples: new Int16Array(), count: 0, timestampMs: 0 };
  /** Whether the message that stood at a place, modulo the list's length, was given out. Only of the last places. */
  readonly #delivered = new Uint8Array(JITTER_BUFFER_LATE_CHUNKS_MAX);
  /** The place whose turn it is, and the carrier's own count for it; NaN before the first. */
  #position = 0;
  #chunk = Number.NaN;
  /** Where the place whose turn it is begins, in samples. */
  #startSamples = 0;
  #lastCount = 0;
  #arrivedSamples = 0;
  #droppedInRow = 0;
  /** The message that was pushed, until it is given out or held. */
  #input: OrderedInput | undefined;
  #inputPosition = 0;

  constructor({ law, rateHz }: { law: G711Law; rateHz: number }) {
    this.#law = law;
    this.#samplesPerMs = rateHz / 1_000;
    this.#heldSamples = new Int16Array(JITTER_BUFFER_CHUNK_MS_MAX * this.#samplesPerMs);
    this.#slots = Array.from({ length: JITTER_BUFFER_CHUNKS_MAX }, () => ({
      bytes: new Uint8Array(this.#heldSamples.length),
      count: 0,
      chunk: 0,
      position: 0,
      arrivedMs: 0,
      arrivedSamples: 0,
    }));
  }

  /** Takes a message, which is lent until `next` says that there is nothing more. */
  push(input: OrderedInput, nowMs: number): Verdict {
    if (Number.isNaN(this.#chunk) && Number.isSafeInteger(input.chunk)) this.#chunk = initialChunk(input.chunk);
    const distance = this.#distance(input.chunk);
    if (distance < 0 || this.#isHeld(this.#position + distance)) {
      this.#droppedInRow += 1;
      if (this.#droppedInRow <= JITTER_BUFFER_DROPPED_MAX) {
        const place = this.#position + distance;
        return distance > 0 || this.#delivered[place % this.#delivered.length] === 1 ? "duplicate" : "late";
      }
      this.#acceptAtEnd(input);
    } else if (Number.isNaN(distance)) this.#acceptAtEnd(input);
    else this.#accept(input, this.#position + distance, nowMs);
    this.#droppedInRow = 0;
    this.#arrivedSamples += input.count;
    return "taken";
  }

  /** The next message whose turn has come: lent, valid until the next call. */
  next(nowMs: number): FramerInput | undefined {
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

  /** How many places after the one whose turn it is; NaN where the count is none, or another one than before. */
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

  /** The message is given out behind all that waits, and the count goes on from it. */
  #acceptAtEnd(input: OrderedInput): void {
    let place = this.#position;
    for (const slot of this.#slots) if (slot.count > 0) place = Math.max(place, slot.position + 1);
    this.#input = input;
    this.#inputPosition = place;
  }

  #accept(input: OrderedInput, place: number, nowMs: number): void {
    this.#input = input;
    this.#inputPosition = place;
    if (place === this.#position || input.count > this.#heldSamples.length) return;
    const slot = this.#freeSlot();
    if (slot === undefined) return;
    for (let i = 0; i < input.count; i += 1) slot.bytes[i] = input.bytes[i] as number;
    slot.count = input.count;
    slot.chunk = input.chunk;
    slot.position = place;
    slot.arrivedMs = nowMs;
    slot.arrivedSamples = this.#arrivedSamples + input.count;
    this.#input = undefined;
  }

  #deliver(bytes: Uint8Array, samples: Int16Array, count: number, chunk: number, place: number): FramerInput {
    for (let missing = Math.max(this.#position, place - this.#delivered.length); missing < place; missing += 1) {
      this.#delivered[missing % this.#delivered.length] = 0;
    }
    this.#startSamples += (place - this.#position) * this.#lastCount;
    const out = this.#out;
    out.bytes = bytes;
    out.samples = samples;
    out.count = count;
    out.timestampMs = this.#startSamples / this.#samplesPerMs;
    this.#delivered[place % this.#delivered.length] = 1;
    this.#position = place + 1;
    // Without a count of its own a message stands in nobody's place.
    if (Number.isSafeInteger(chunk)) this.#chunk = chunk + 1;
    this.#startSamples += count;
    this.#lastCount = count;
    return out;
  }

  #isOverdue(nowMs: number): boolean {
    for (const slot of this.#slots) {
      if (slot.count === 0) continue;
      if (nowMs - slot.arrivedMs >= JITTER_BUFFER_WAIT_MS) return true;
      if (this.#arrivedSamples - slot.arrivedSamples >= JITTER_BUFFER_WAIT_MS * this.#samplesPerMs) return true;
    }
    return false;
  }

  #isHeld(place: number): boolean {
    for (const slot of this.#slots) if (slot.count > 0 && slot.position === place) return true;
    return false;
  }

  #freeSlot(): Slot | undefined {
    for (const slot of this.#slots) if (slot.count === 0) return slot;
    return undefined;
  }

  /** The one that waits with the fewest in front of it. */
  #earliestSlot(): Slot | undefined {
    let first: Slot | undefined;
    for (const slot of this.#slots) {
      if (slot.count > 0 && (first === undefined || slot.position < first.position)) first = slot;
    }
    return first;
  }
}

/** Carriers count from 1: a stream that seems to begin a little later began out of order. */
const initialChunk = (chunk: number): number => (chunk > 1 && isNear(chunk - 1) ? 1 : chunk);

/** Nearer than this it is the same count: late, missing, or in order. */
const isNear = (distance: number): boolean =>
  distance >= -JITTER_BUFFER_LATE_CHUNKS_MAX && distance <= JITTER_BUFFER_AHEAD_CHUNKS_MAX;
