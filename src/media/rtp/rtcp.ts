import { type TrunklineError, wireMalformed } from "../../core/errors.ts";
import { putUint32, uint16, uint32 } from "./packet.ts";

// RTCP: RFC 3550, section 6. The packet types that we read and write.
const SENDER_REPORT = 200;
const RECEIVER_REPORT = 201;
const SOURCE_DESCRIPTION = 202;

const VERSION = 2;
const HEADER_BYTES = 8;
const SENDER_INFO_BYTES = 20;
const BLOCK_BYTES = 24;
/** The item of a source description that names the source: section 6.5.1. */
const CNAME = 1;

/** Section 6.4.1: what a peer says about a stream that it receives. */
export interface ReportBlock {
  /** Of the stream that is received. */
  ssrc: number;
  /** Lost since the last report: of 256 packets. */
  fractionLost: number;
  /** Lost since the beginning; negative with duplicates. 24 bits. */
  packetsLost: number;
  /** The highest sequence number, with the count of its wraps in the upper 16 bits. */
  highestSequence: number;
  /** In ticks of the stream. */
  jitterTicks: number;
  /** The middle 32 bits of the time in the last sender report, 0 where there was none; and the time since, in 1/65,536 s. */
  lastSenderReport: number;
  delaySinceLastSenderReport: number;
}

/** What one compound packet says. */
export interface RtcpReports {
  /** The last sender report's source, and the middle 32 bits of its time. */
  senderReport: { ssrc: number; ntpMiddle: number } | undefined;
  blocks: ReportBlock[];
}

/**
 * Reads a compound packet, which may be of reduced size (RFC 5506): sender and receiver reports. Other types
 * are skipped. What follows a packet that is cut off is ignored, because peers get the length of extensions wrong.
 * Throws `wire_malformed` where not even the first packet is RTCP. Retains nothing of the bytes.
 */
export function readRtcp(bytes: Uint8Array): RtcpReports {
  const reports: RtcpReports = { senderReport: undefined, blocks: [] };
  for (let start = 0; start + 4 <= bytes.length || start === 0; ) {
    if (bytes.length < 4 || (bytes[start] as number) >> 6 !== VERSION) {
      if (start === 0) throw malformed("not an RTCP packet");
      return reports;
    }
    const end = start + 4 + 4 * uint16(bytes, start + 2);
    if (end > bytes.length) {
      if (start === 0) throw malformed("an RTCP packet is cut off");
      return reports;
    }
    readPacket(bytes, start, end, reports);
    start = end;
  }
  return reports;
}

function readPacket(bytes: Uint8Array, start: number, end: number, reports: RtcpReports): void {
  const type = bytes[start + 1] as number;
  if ((type !== SENDER_REPORT && type !== RECEIVER_REPORT) || start + HEADER_BYTES > end) return;
  let at = start + HEADER_BYTES;
  if (type === SENDER_REPORT) {
    if (at + SENDER_INFO_BYTES > end) return;
    // The middle of the 64 bits of the time: section 6.4.1, LSR.
    reports.senderReport = { ssrc: uint32(bytes, start + 4), ntpMiddle: uint32(bytes, at + 2) };
    at += SENDER_INFO_BYTES;
  }
  const count = (bytes[start] as number) & 0x1f;
  for (let block = 0; block < count && at + BLOCK_BYTES <= end; block += 1, at += BLOCK_BYTES) {
    reports.blocks.push(readBlock(bytes, at));
  }
}

const readBlock = (bytes: Uint8Array, at: number): ReportBlock => ({
  ssrc: uint32(bytes, at),
  fractionLost: bytes[at + 4] as number,
  packetsLost: (uint32(bytes, at + 4) << 8) >> 8,
  highestSequence: uint32(bytes, at + 8),
  jitterTicks: uint32(bytes, at + 12),
  lastSenderReport: uint32(bytes, at + 16),
  delaySinceLastSenderReport: uint32(bytes, at + 20),
});

/** What a sender says about its own stream: section 6.4.1. */
export interface SenderInfo {
  /** The time, s and their 32-bit fraction; and the same time by the stream's clock. */
  ntpSeconds: number;
  ntpFraction: number;
  rtpTimestamp: number;
  packets: number;
  payloadBytes: number;
}

/** A report to write. */
export interface RtcpReport {
  /** Our own source. */
  ssrc: number;
  /** 1 to 255 characters of ASCII: section 6.5.1. */
  cname: string;
  /** Absent while we have sent nothing: then it is a receiver report. */
  sender?: SenderInfo;
  /** Absent while we have received nothing. */
  block?: ReportBlock;
}

/**
 * Writes a compound packet: a sender or receiver report, and the source description that section 6.1 requires.
 * Allocates it: reports are rare.
 */
export function writeRtcp({ ssrc, cname, sender, block }: RtcpReport): Uint8Array {
  const reportBytes =
    HEADER_BYTES + (sender === undefined ? 0 : SENDER_INFO_BYTES) + (block === undefined ? 0 : BLOCK_BYTES);
  // The item ends with at least one zero byte, and at a word.
  const descriptionBytes = HEADER_BYTES + 4 * Math.ceil((2 + cname.length + 1) / 4);
  const bytes = new Uint8Array(reportBytes + descriptionBytes);
  const type = sender === undefined ? RECEIVER_REPORT : SENDER_REPORT;
  putHeader(bytes, 0, block === undefined ? 0 : 1, type, reportBytes, ssrc);
  let at = HEADER_BYTES;
  if (sender !== undefined) {
    putUint32(bytes, at, sender.ntpSeconds);
    putUint32(bytes, at + 4, sender.ntpFraction);
    putUint32(bytes, at + 8, sender.rtpTimestamp);
    putUint32(bytes, at + 12, sender.packets);
    putUint32(bytes, at + 16, sender.payloadBytes);
    at += SENDER_INFO_BYTES;
  }
  if (block !== undefined) {
    putUint32(bytes, at, block.ssrc);
    putUint32(bytes, at + 4, block.packetsLost);
    bytes[at + 4] = block.fractionLost;
    putUint32(bytes, at + 8, block.highestSequence);
    putUint32(bytes, at + 12, block.jitterTicks);
    putUint32(bytes, at + 16, block.lastSenderReport);
    putUint32(bytes, at + 20, block.delaySinceLastSenderReport);
    at += BLOCK_BYTES;
  }
  putHeader(bytes, at, 1, SOURCE_DESCRIPTION, descriptionBytes, ssrc);
  bytes[at + 8] = CNAME;
  bytes[at + 9] = cname.length;
  for (let i = 0; i < cname.length; i += 1) bytes[at + 10 + i] = cname.charCodeAt(i);
  return bytes;
}

function putHeader(
  bytes: Uint8Array,
  at: number,
  count: number,
  type: number,
  packetBytes: number,
  ssrc: number,
): void {
  putUint32(bytes, at, ((VERSION << 30) | (count << 24) | (type << 16) | (packetBytes / 4 - 1)) >>> 0);
  putUint32(bytes, at + 4, ssrc);
}

const malformed = (what: string): TrunklineError => wireMalformed("rtcp", what);
