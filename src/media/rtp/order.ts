import { strict as assert } from "node:assert";
import { elapsedMs, type MonotonicMs, monotonicMs } from "../../core/clocks.ts";
import {
  RTP_CLOCK_HZ,
  RTP_DROPOUT_PACKETS_MAX,
  RTP_MISORDER_PACKETS_MAX,
  RTP_ORDER_PACKETS_MAX,
  RTP_PACKET_BYTES_MAX,
  RTP_PATIENCE_MS_MAX,
  RTP_PATIENCE_MS_MIN,
  RTP_TIMESTAMP_AHEAD_MS_MAX,
} from "../../core/limits/streams/webrtc.ts";
import { type RtpPacket, sequenceDistance, timestampDistance } from "./packet.ts";

/**
 * What `push` did with a packet. `late`: what came after it was delivered already. `doubtful`: it belongs to another
 * stream, if the packet after it does, too; until then it is dropped. `restarted`: so it was.
 */
export type RtpVerdict = "taken" | "late" | "duplicate" | "doubtful" | "restarted";

/** A packet in order, borrowed: valid until the next call of the order. */
export interface OrderedPacket {
  readonly bytes: Uint8Array;
  readonly payloadStart: number;
  readonly payloadEnd: number;
  /** How many packets before it are lost; 0 where it begins a stream. */
  readonly missing: number;
  /** 32 bits, in ticks of RTP_CLOCK_HZ: continues over restarts, and never goes backwards. */
  readonly timestamp: number;
}

/** What became of the packets of a stream. */
export interface RtpOrderCounters {
  /** Packets that came after one that follows them, and that were still put in order. */
  reordered: number;
  late: number;
  duplicate: number;
  missing: number;
  doubtful: number;
  restarted: number;
}

/** A packet that waits for one before it. */
interface Slot {
  readonly bytes: Uint8Array;
  /** NaN in a free slot. */
  timestamp: number;
  payloadBytes: number;
  arrivedMs: MonotonicMs;
}

const TICKS_PER_MS = RTP_CLOCK_HZ / 1_000;
/** Which packets were delivered is remembered for so many; a power of two, so that sequence numbers may wrap. */
const REMEMBERED_PACKETS = 128;
assert.ok(REMEMBERED_PACKETS > RTP_MISORDER_PACKETS_MAX, "every packet that may be late is remembered");

/** How long a packet waits for one before it, where the stream has this interarrival jitter. */
const patienceMs = (jitterMs: number): number => Math.min(RTP_PATIENCE_MS_MAX, 2 * jitterMs + RTP_PATIENCE_MS_MIN);

/**
 * Puts the RTP packets of one peer in order of their sequence numbers. It is no playout buffer: a packet in order is
 * delivered at once.
 *
 *   order.push(packet, nowMs);
 *   for (let next = order.next(nowMs, jitterMs); next !== undefined; next = order.next(nowMs, jitterMs)) use(next);
 *
 * A packet that arrives early waits for those before it, until they arrive or its patience ends; then they are missing.
 * `next` without a push checks the time. At most RTP_ORDER_PACKETS_MAX wait: one that is further ahead ends the waiting.
 *
 * Another SSRC, or a sequence number that is far away, restarts the stream once two such packets come in sequence (RFC
 * 3550, appendix A.1): a single one, such as a late packet of the stream before, changes nothing. What was waiting is
 * lost then. Timestamps of the new stream begin where our clock says that the old one would be. So do timestamps that
 * go backwards or jump ahead.
 *
 * Packets without payload have a place in the order, and are not delivered.
 *
 * Allocates nothing after construction.
 */
export class RtpOrder {
  readonly counters: RtpOrderCounters = { reordered: 0, late: 0, duplicate: 0, missing: 0, doubtful: 0, restarted: 0 };
  /** The packet with sequence number n waits in slot n modulo the array's length. */
  readonly #slots: readonly Slot[];
  readonly #delivered = new Uint8Array(REMEMBERED_PACKETS);
  readonly #out: { -readonly [key in keyof OrderedPacket]: OrderedPacket[key] } = {
    bytes: new Uint8Array(),
    payloadStart: 0,
    payloadEnd: 0,
    missing: 0,
    timestamp: 0,
  };
  /** NaN before the first packet. */
  #ssrc = Number.NaN;
  /** The next sequence number to deliver. */
  #expected = 0;
  #waiting = 0;
  /** The packet that was pushed, until it is delivered or waits. */
  #input: RtpPacket | undefined;
  #inputMs = monotonicMs(0);
  /** The next packet begins a stream: its timestamp has nothing to do with the last one. */
  #begins = true;
  /** Missing packets before packets without payload, which are not delivered. */
  #missingBefore = 0;
  /** Of the last packet: its own timestamp, the one that it got, and when it arrived. */
  #timestamp = 0;
  #outTimestamp = Number.NaN;
  #arrivedMs = monotonicMs(0);
  /** Which packet would confirm a restart. */
  #doubtfulSsrc = Number.NaN;
  #doubtfulNext = 0;

  constructor() {
    this.#slots = Array.from({ length: RTP_ORDER_PACKETS_MAX }, () => ({
      bytes: new Uint8Array(RTP_PACKET_BYTES_MAX),
      timestamp: Number.NaN,
      payloadBytes: 0,
      arrivedMs: monotonicMs(0),
    }));
  }

  /**
   * Takes a packet of at most RTP_PACKET_BYTES_MAX, which is borrowed until `next` returns undefined. Only then another
   * may be pushed.
   */
  push(packet: RtpPacket, nowMs: MonotonicMs): RtpVerdict {
    if (this.#input !== undefined) assert.fail("the packets of the last push were not taken");
    if (packet.payloadEnd - packet.payloadStart > RTP_PACKET_BYTES_MAX) assert.fail("a packet of a datagram");
    if (Number.isNaN(this.#ssrc)) this.#begin(packet);
    const distance = sequenceDistance(this.#expected, packet.sequence);
    const isFar = distance > RTP_DROPOUT_PACKETS_MAX || distance < -RTP_MISORDER_PACKETS_MAX;
    if (isFar || packet.ssrc !== this.#ssrc) return this.#doubt(packet, nowMs);
    this.#doubtfulSsrc = Number.NaN;
    if (distance < 0) {
      const isDuplicate = this.#delivered[packet.sequence % REMEMBERED_PACKETS] === 1;
      return this.#count(isDuplicate ? "duplicate" : "late");
    }
    const isReordered = this.#waiting > 0 && distance < this.#firstWaiting();
    if (distance === 0 || distance >= RTP_ORDER_PACKETS_MAX) this.#take(packet, nowMs);
    else if (!this.#wait(packet, nowMs)) return this.#count("duplicate");
    if (isReordered) this.counters.reordered += 1;
    return "taken";
  }

  /** The next packet in order, when the stream has this interarrival jitter; undefined while there is none. */
  next(nowMs: MonotonicMs, jitterMs: number): OrderedPacket | undefined {
    for (;;) {
      const input = this.#input;
      const ahead = this.#waiting === 0 ? -1 : this.#firstWaiting();
      if (input !== undefined && (ahead === -1 || sequenceDistance(this.#expected, input.sequence) < ahead)) {
        this.#input = undefined;
        const { bytes, payloadStart, payloadEnd, sequence, timestamp } = input;
        if (this.#deliver(sequence, timestamp, this.#inputMs, bytes, payloadStart, payloadEnd)) return this.#out;
        continue;
      }
      if (ahead === -1) return undefined;
      if (ahead > 0 && input === undefined && !this.#isOverdue(nowMs, jitterMs)) return undefined;
      const sequence = (this.#expected + ahead) & 0xffff;
      const slot = this.#slots[sequence % RTP_ORDER_PACKETS_MAX] as Slot;
      const { timestamp } = slot;
      slot.timestamp = Number.NaN;
      this.#waiting -= 1;
      if (this.#deliver(sequence, timestamp, slot.arrivedMs, slot.bytes, 0, slot.payloadBytes)) return this.#out;
    }
  }

  #count(verdict: Exclude<RtpVerdict, "taken">): RtpVerdict {
    this.counters[verdict] += 1;
    return verdict;
  }

  #begin(packet: RtpPacket): void {
    this.#ssrc = packet.ssrc;
    this.#expected = packet.sequence;
    this.#begins = true;
    this.#missingBefore = 0;
    this.#delivered.fill(0);
    this.#waiting = 0;
    for (const slot of this.#slots) slot.timestamp = Number.NaN;
  }

  /** The packet belongs to no place of this stream. */
  #doubt(packet: RtpPacket, nowMs: MonotonicMs): RtpVerdict {
    if (packet.ssrc === this.#doubtfulSsrc && packet.sequence === this.#doubtfulNext) {
      this.#doubtfulSsrc = Number.NaN;
      this.#begin(packet);
      this.#take(packet, nowMs);
      return this.#count("restarted");
    }
    this.#doubtfulSsrc = packet.ssrc;
    this.#doubtfulNext = (packet.sequence + 1) & 0xffff;
    return this.#count("doubtful");
  }

  #take(packet: RtpPacket, nowMs: MonotonicMs): void {
    this.#input = packet;
    this.#inputMs = nowMs;
  }

  /** Copies a packet that is early; false when it waits already. */
  #wait({ bytes, payloadStart, payloadEnd, sequence, timestamp }: RtpPacket, nowMs: MonotonicMs): boolean {
    const slot = this.#slots[sequence % RTP_ORDER_PACKETS_MAX] as Slot;
    if (!Number.isNaN(slot.timestamp)) return false;
    for (let i = payloadStart; i < payloadEnd; i += 1) slot.bytes[i - payloadStart] = bytes[i] as number;
    slot.timestamp = timestamp;
    slot.payloadBytes = payloadEnd - payloadStart;
    slot.arrivedMs = nowMs;
    this.#waiting += 1;
    return true;
  }

  /** How far the first packet that waits is ahead of the next one to deliver. */
  #firstWaiting(): number {
    for (let ahead = 0; ahead < RTP_ORDER_PACKETS_MAX; ahead += 1) {
      const slot = this.#slots[(this.#expected + ahead) % RTP_ORDER_PACKETS_MAX] as Slot;
      if (!Number.isNaN(slot.timestamp)) return ahead;
    }
    assert.fail("a packet waits");
  }

  #isOverdue(nowMs: MonotonicMs, jitterMs: number): boolean {
    const waitMs = patienceMs(jitterMs);
    for (const slot of this.#slots) {
      if (!Number.isNaN(slot.timestamp) && elapsedMs(slot.arrivedMs, nowMs) >= waitMs) return true;
    }
    return false;
  }

  /** Fills in `#out`, and moves on; false for a packet without payload, which is not delivered. */
  #deliver(
    sequence: number,
    timestamp: number,
    arrivedMs: MonotonicMs,
    bytes: Uint8Array,
    payloadStart: number,
    payloadEnd: number,
  ): boolean {
    const missing = sequenceDistance(this.#expected, sequence);
    this.counters.missing += missing;
    for (let i = 0; i < Math.min(missing, REMEMBERED_PACKETS); i += 1) {
      this.#delivered[(sequence - 1 - i) & (REMEMBERED_PACKETS - 1)] = 0;
    }
    this.#delivered[sequence & (REMEMBERED_PACKETS - 1)] = 1;
    this.#expected = (sequence + 1) & 0xffff;
    this.#missingBefore += missing;
    this.#place(timestamp, arrivedMs);
    if (payloadStart === payloadEnd) return false;
    const out = this.#out;
    out.bytes = bytes;
    out.payloadStart = payloadStart;
    out.payloadEnd = payloadEnd;
    out.missing = this.#missingBefore;
    out.timestamp = this.#outTimestamp;
    this.#missingBefore = 0;
    return true;
  }

  /** Gives the packet a timestamp, by the rules of the class. */
  #place(timestamp: number, arrivedMs: MonotonicMs): void {
    const sinceMs = Math.max(0, elapsedMs(this.#arrivedMs, arrivedMs));
    const ticks = timestampDistance(this.#timestamp, timestamp);
    const isFirst = Number.isNaN(this.#outTimestamp);
    const isJump = this.#begins || ticks < 0 || ticks > (sinceMs + RTP_TIMESTAMP_AHEAD_MS_MAX) * TICKS_PER_MS;
    if (isFirst) this.#outTimestamp = timestamp;
    else this.#outTimestamp = (this.#outTimestamp + (isJump ? Math.round(sinceMs * TICKS_PER_MS) : ticks)) >>> 0;
    this.#begins = false;
    this.#timestamp = timestamp;
    // A packet that waited has arrived before the one that it waited for.
    if (arrivedMs > this.#arrivedMs) this.#arrivedMs = arrivedMs;
  }
}
