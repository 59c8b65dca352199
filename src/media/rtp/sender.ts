import { strict as assert } from "node:assert";
import { addMs, elapsedMs, type MonotonicMs, monotonicMs } from "../../core/clocks.ts";
import { FRAME_MS, OPUS_FRAME_BYTES_MAX } from "../../core/limits/streams/media.ts";
import {
  RTP_CLEARS_MAX,
  RTP_CLOCK_HZ,
  RTP_SILENCE_LEAD_MS,
  RTP_SILENCE_PACKETS,
  RTP_SPEECH_RUNS_MAX,
} from "../../core/limits/streams/webrtc.ts";
import { BorrowedViews } from "../borrowed-views.ts";
import { RTP_HEADER_BYTES, type RtpHeader, writeRtp } from "./packet.ts";

export interface RtpSenderOptions {
  /** 32 bits; the answer announces it. */
  ssrc: number;
  /** Of Opus, as the offer names it. */
  payloadType: number;
  /** RFC 3550, section 5.1: both are random. 16 and 32 bits. */
  firstSequence: number;
  firstTimestamp: number;
}

const TICKS_PER_MS = RTP_CLOCK_HZ / 1_000;
const FRAME_TICKS = FRAME_MS * TICKS_PER_MS;
/** A TOC byte and one frame. */
const PAYLOAD_BYTES_MAX = 1 + OPUS_FRAME_BYTES_MAX;

/** Speech without a pause: its start, and how much speech there was before, in ticks since the first packet. */
interface Run {
  startTicks: number;
  spokenTicks: number;
}

/**
 * The sequence numbers and timestamps of the RTP packets to one peer, one frame of FRAME_MS in each.
 *
 * While speech runs, timestamps count its frames, however far ahead of playout they are sent. After a pause they
 * continue by the clock, in whole frames since the first packet, and the packet has the marker (RFC 3551, section 4.1).
 * Each end of speech is followed by RTP_SILENCE_PACKETS of silence at the pace of playout: a browser would stretch the
 * last sound otherwise. Speech that begins during them continues their timestamps.
 *
 * The peer names places in what it plays by timestamp, so `playedMs` translates them to speech, without the silence
 * between replies. Times are ms of one monotonic clock. Allocates nothing per packet, once it has had each length.
 */
export class RtpSender {
  readonly ssrc: number;
  readonly #firstTimestamp: number;
  readonly #header: RtpHeader;
  readonly #bytes = new Uint8Array(RTP_HEADER_BYTES + PAYLOAD_BYTES_MAX);
  readonly #packetViews = new BorrowedViews();
  /** When the first packet was sent; NaN before. */
  #startMs = monotonicMs(Number.NaN);
  /** The next timestamp, and how much speech was sent, in ticks since the first packet. */
  #nextTicks = 0;
  #spokenTicks = 0;
  /** Packets of silence that are due after the last speech. */
  #silencePackets = 0;
  /** The last RTP_SPEECH_RUNS_MAX runs: run n is at n modulo the array's length. */
  readonly #runs: readonly Run[];
  #runCount = 0;
  /** Where the last speech ended; the next one is a run of its own unless it begins there. */
  #runEndTicks = Number.NaN;
  /** Clears that the peer has not answered, oldest first; and how much audio was cleared before them. In ticks. */
  readonly #clears: number[] = [];
  #clearedTicks = 0;
  #packets = 0;
  #payloadBytes = 0;

  constructor({ ssrc, payloadType, firstSequence, firstTimestamp }: RtpSenderOptions) {
    this.ssrc = ssrc;
    this.#firstTimestamp = firstTimestamp;
    this.#header = { payloadType, marker: false, sequence: firstSequence, timestamp: firstTimestamp, ssrc };
    this.#runs = Array.from({ length: RTP_SPEECH_RUNS_MAX }, () => ({ startTicks: 0, spokenTicks: 0 }));
  }

  /** Packets, and bytes of their payloads, that were made. */
  get packets(): number {
    return this.#packets;
  }

  get payloadBytes(): number {
    return this.#payloadBytes;
  }

  /** The timestamp of the first sample after all audio so far: the place of a mark. 32 bits. */
  get nextTimestamp(): number {
    return (this.#firstTimestamp + this.#nextTicks) >>> 0;
  }

  /** The timestamp of what is played at `nowMs`, transit aside, after the first packet was sent. 32 bits. */
  timestampAt(nowMs: MonotonicMs): number {
    const ticks = Number.isNaN(this.#startMs) ? 0 : Math.round(elapsedMs(this.#startMs, nowMs) * TICKS_PER_MS);
    return (this.#firstTimestamp + ticks) >>> 0;
  }

  /** The RTP packet of one frame of speech, an Opus packet of at most PAYLOAD_BYTES_MAX: borrowed until the next one. */
  speech(opus: Uint8Array, nowMs: MonotonicMs): Uint8Array {
    const isFirst = Number.isNaN(this.#startMs);
    if (isFirst) this.#startMs = nowMs;
    const clockTicks = Math.round(elapsedMs(this.#startMs, nowMs) / FRAME_MS) * FRAME_TICKS;
    const isAfterPause = clockTicks > this.#nextTicks;
    if (isAfterPause) this.#nextTicks = clockTicks;
    if (this.#nextTicks !== this.#runEndTicks) {
      const run = this.#runs[this.#runCount % RTP_SPEECH_RUNS_MAX] as Run;
      run.startTicks = this.#nextTicks;
      run.spokenTicks = this.#spokenTicks;
      this.#runCount += 1;
    }
    this.#spokenTicks += FRAME_TICKS;
    this.#silencePackets = RTP_SILENCE_PACKETS;
    const packet = this.#packet(opus, isFirst || isAfterPause);
    this.#runEndTicks = this.#nextTicks;
    return packet;
  }

  /** Whether a packet of silence is due after the end of speech. Must be asked at each tick. */
  isSilenceDue(nowMs: MonotonicMs): boolean {
    if (this.#silencePackets === 0) return false;
    return elapsedMs(nowMs, addMs(this.#startMs, this.#nextTicks / TICKS_PER_MS)) < RTP_SILENCE_LEAD_MS;
  }

  /** The RTP packet of a frame of silence that is due, as `speech`. */
  silence(opus: Uint8Array): Uint8Array {
    this.#silencePackets -= 1;
    return this.#packet(opus, false);
  }

  /** A clear is sent: returns the timestamp before which nothing more is to be heard. 32 bits. */
  clear(): number {
    if (this.#clears.length === RTP_CLEARS_MAX) this.#clears.shift();
    this.#clears.push(this.#nextTicks);
    return this.nextTimestamp;
  }

  /**
   * The peer has carried out a clear. `playedMs`: how far it had come since the first packet, by timestamps, without
   * what earlier clears dropped; NaN where it does not say. Returns how much speech that is, ms.
   */
  playedMs(playedMs: number): number {
    const ticks = playedMs * TICKS_PER_MS + this.#clearedTicks;
    const clearTicks = this.#clears.shift();
    if (Number.isNaN(ticks)) return ticks;
    if (clearTicks !== undefined) this.#clearedTicks += Math.max(0, clearTicks - ticks);
    return this.#spokenUntil(ticks) / TICKS_PER_MS;
  }

  /** How much speech has been sent until this place, in ticks. */
  #spokenUntil(ticks: number): number {
    let untilTicks = this.#spokenTicks;
    for (let run = this.#runCount - 1; run >= Math.max(0, this.#runCount - RTP_SPEECH_RUNS_MAX); run -= 1) {
      const { startTicks, spokenTicks } = this.#runs[run % RTP_SPEECH_RUNS_MAX] as Run;
      if (startTicks <= ticks) return Math.min(spokenTicks + ticks - startTicks, untilTicks);
      untilTicks = spokenTicks;
    }
    return untilTicks;
  }

  #packet(opus: Uint8Array, marker: boolean): Uint8Array {
    if (opus.length > PAYLOAD_BYTES_MAX) assert.fail("one frame at a time");
    const header = this.#header;
    header.marker = marker;
    header.timestamp = this.nextTimestamp;
    const length = writeRtp(header, opus, this.#bytes);
    header.sequence = (header.sequence + 1) & 0xffff;
    this.#nextTicks += FRAME_TICKS;
    this.#packets += 1;
    this.#payloadBytes += opus.length;
    return this.#packetViews.of(this.#bytes, 0, length);
  }
}
