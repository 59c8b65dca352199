import { elapsedMs, type MonotonicMs, millisecondsOf, monotonicMs } from "../../core/clocks.ts";
import { RTCP_ROUND_TRIP_MS_MAX, RTP_CLOCK_HZ } from "../../core/limits/streams/webrtc.ts";
import type { RtpVerdict } from "./order.ts";
import { type RtpPacket, sequenceDistance, timestampDistance } from "./packet.ts";
import { type ReportBlock, type RtcpReports, writeRtcp } from "./rtcp.ts";
import type { RtpSender } from "./sender.ts";

/** What the reports of a stream say; NaN while unknown. */
export interface RtpReadings {
  /** Of the streams that we receive: interarrival jitter; the packets that were sent to us, and how many are lost. */
  jitterMs: number;
  packetsExpected: number;
  packetsLost: number;
  /**
   * What the peer says of the stream that we send, of the packets that we had sent before its last report; the share is
   * that since its report before.
   */
  peerJitterMs: number;
  peerPacketsExpected: number;
  peerPacketsLost: number;
  peerLossShare: number;
  roundTripMs: number;
}

const TICKS_PER_MS = RTP_CLOCK_HZ / 1_000;
/** The unit of LSR and DLSR: 1/65,536 s. */
const UNITS_PER_MS = 65_536 / 1_000;
/** RFC 3550, appendix A.8. */
const JITTER_GAIN = 1 / 16;
const PACKETS_LOST_MIN = -0x80_0000;
const PACKETS_LOST_MAX = 0x7f_ffff;

/**
 * The reports about both directions of one call's RTP: RFC 3550, section 6.4. Loss is counted by appendix A.3, jitter by
 * A.8, and the round trip is A - LSR - DLSR (section 6.4.1). Times are ms of one monotonic clock, which our reports use
 * as their time: only the peer compares them, and only with one another. Allocates nothing per packet.
 */
export class RtpReception {
  readonly readings: RtpReadings = {
    jitterMs: 0,
    packetsExpected: 0,
    packetsLost: 0,
    peerJitterMs: Number.NaN,
    peerPacketsExpected: 0,
    peerPacketsLost: Number.NaN,
    peerLossShare: Number.NaN,
    roundTripMs: Number.NaN,
  };
  readonly #cname: string;
  /** NaN before the first packet. */
  #ssrc = Number.NaN;
  #firstSequence = 0;
  /** The highest sequence number, counted on over its wraps. */
  #highestSequence = 0;
  #received = 0;
  /** Of the streams before this one. */
  #expectedEarlier = 0;
  #lostEarlier = 0;
  /** At the last report. */
  #expectedBefore = 0;
  #receivedBefore = 0;
  #jitterTicks = 0;
  /** Of the last packet. */
  #timestamp = 0;
  #arrivedMs = monotonicMs(0);
  #lastSenderReport = 0;
  #senderReportMs = monotonicMs(0);

  /** `cname`: the name of our source in its reports (section 6.5.1), which must say nothing about the service. */
  constructor(cname: string) {
    this.#cname = cname;
  }

  /** A packet arrived that the order of the stream answered with this verdict. */
  received({ ssrc, sequence, timestamp }: RtpPacket, verdict: RtpVerdict, nowMs: MonotonicMs): void {
    if (verdict === "doubtful") return;
    if (verdict === "restarted" || Number.isNaN(this.#ssrc)) this.#begin(ssrc, sequence);
    else this.#measureJitter(timestamp, nowMs);
    this.#received += 1;
    this.#highestSequence += Math.max(0, sequenceDistance(this.#highestSequence & 0xffff, sequence));
    this.#timestamp = timestamp;
    this.#arrivedMs = nowMs;
    this.readings.packetsExpected = this.#expectedEarlier + this.#expected;
    this.readings.packetsLost = this.#lostEarlier + this.#packetsLost;
  }

  /** The peer's reports arrived; `sender` makes the stream that we send. */
  reported(
    { senderReport, blocks }: RtcpReports,
    { ssrc, packets }: Pick<RtpSender, "ssrc" | "packets">,
    nowMs: MonotonicMs,
  ): void {
    if (senderReport !== undefined && senderReport.ssrc === this.#ssrc) {
      this.#lastSenderReport = senderReport.ntpMiddle;
      this.#senderReportMs = nowMs;
    }
    for (const block of blocks) if (block.ssrc === ssrc) this.#readBlock(block, packets, nowMs);
  }

  /** Our own report, about what was received and what `sender` sent. */
  report(sender: Pick<RtpSender, "ssrc" | "packets" | "payloadBytes" | "timestampAt">, nowMs: MonotonicMs): Uint8Array {
    const { ssrc, packets, payloadBytes } = sender;
    const seconds = millisecondsOf(nowMs) / 1_000;
    const ntpSeconds = Math.floor(seconds);
    const ntpFraction = Math.floor((seconds - ntpSeconds) * 2 ** 32);
    const info = { ntpSeconds, ntpFraction, rtpTimestamp: sender.timestampAt(nowMs), packets, payloadBytes };
    return writeRtcp({
      ssrc,
      cname: this.#cname,
      ...(packets === 0 ? {} : { sender: info }),
      ...(Number.isNaN(this.#ssrc) ? {} : { block: this.#block(nowMs) }),
    });
  }

  get #expected(): number {
    return this.#highestSequence - this.#firstSequence + 1;
  }

  get #packetsLost(): number {
    return Math.min(PACKETS_LOST_MAX, Math.max(PACKETS_LOST_MIN, this.#expected - this.#received));
  }

  #begin(ssrc: number, sequence: number): void {
    this.#expectedEarlier = this.readings.packetsExpected;
    this.#lostEarlier = this.readings.packetsLost;
    if (ssrc !== this.#ssrc) this.#lastSenderReport = 0;
    this.#ssrc = ssrc;
    this.#firstSequence = sequence;
    this.#highestSequence = sequence;
    this.#received = 0;
    this.#expectedBefore = 0;
    this.#receivedBefore = 0;
  }

  #measureJitter(timestamp: number, nowMs: MonotonicMs): void {
    const arrivalTicks = elapsedMs(this.#arrivedMs, nowMs) * TICKS_PER_MS;
    const transitTicks = Math.abs(arrivalTicks - timestampDistance(this.#timestamp, timestamp));
    // A jump of the peer's clock is no jitter.
    if (transitTicks > RTP_CLOCK_HZ) return;
    this.#jitterTicks += (transitTicks - this.#jitterTicks) * JITTER_GAIN;
    this.readings.jitterMs = this.#jitterTicks / TICKS_PER_MS;
  }

  /** Appendix A.3; the next report counts on from here. */
  #block(nowMs: MonotonicMs): ReportBlock {
    const expected = this.#expected - this.#expectedBefore;
    const lost = expected - (this.#received - this.#receivedBefore);
    this.#expectedBefore = this.#expected;
    this.#receivedBefore = this.#received;
    const hasSenderReport = this.#lastSenderReport !== 0;
    const delayMs = hasSenderReport ? elapsedMs(this.#senderReportMs, nowMs) : 0;
    return {
      ssrc: this.#ssrc,
      fractionLost: expected === 0 || lost <= 0 ? 0 : Math.min(255, Math.floor((256 * lost) / expected)),
      packetsLost: this.#packetsLost,
      highestSequence: this.#highestSequence >>> 0,
      jitterTicks: Math.round(this.#jitterTicks),
      lastSenderReport: this.#lastSenderReport,
      delaySinceLastSenderReport: Math.min(0xffff_ffff, Math.round(delayMs * UNITS_PER_MS)),
    };
  }

  #readBlock(block: ReportBlock, packets: number, nowMs: MonotonicMs): void {
    const { readings } = this;
    readings.peerJitterMs = block.jitterTicks / TICKS_PER_MS;
    readings.peerPacketsExpected = packets;
    readings.peerPacketsLost = block.packetsLost;
    readings.peerLossShare = block.fractionLost / 256;
    if (block.lastSenderReport === 0) return;
    const nowUnits = (millisecondsOf(nowMs) * UNITS_PER_MS) % 2 ** 32;
    const units = (nowUnits - block.lastSenderReport - block.delaySinceLastSenderReport) % 2 ** 32;
    const roundTripMs = (units < -(2 ** 31) ? units + 2 ** 32 : units) / UNITS_PER_MS;
    // Rounding may make a short one negative; the peer's figures may be wrong.
    if (roundTripMs > -1 && roundTripMs <= RTCP_ROUND_TRIP_MS_MAX) readings.roundTripMs = Math.max(0, roundTripMs);
  }
}
