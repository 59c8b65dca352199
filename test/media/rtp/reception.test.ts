import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { monotonicMs } from "../../../src/core/clocks.ts";
import { TrunklineError } from "../../../src/core/errors.ts";
import { rtpPacket } from "../../../src/media/rtp/packet.ts";
import { RtpReception } from "../../../src/media/rtp/reception.ts";
import { type ReportBlock, type RtcpReport, readRtcp, writeRtcp } from "../../../src/media/rtp/rtcp.ts";
import { RtpSender } from "../../../src/media/rtp/sender.ts";

const uint32s = fc.integer({ min: 0, max: 0xffff_ffff });
const blocks: fc.Arbitrary<ReportBlock> = fc.record({
  ssrc: uint32s,
  fractionLost: fc.integer({ min: 0, max: 255 }),
  packetsLost: fc.integer({ min: -0x80_0000, max: 0x7f_ffff }),
  highestSequence: uint32s,
  jitterTicks: uint32s,
  lastSenderReport: uint32s,
  delaySinceLastSenderReport: uint32s,
});
const reports: fc.Arbitrary<RtcpReport> = fc.record(
  {
    ssrc: uint32s,
    cname: fc.stringMatching(/^[a-z0-9]{1,60}$/),
    sender: fc.record({
      ntpSeconds: uint32s,
      ntpFraction: uint32s,
      rtpTimestamp: uint32s,
      packets: uint32s,
      payloadBytes: uint32s,
    }),
    block: blocks,
  },
  { requiredKeys: ["ssrc", "cname"] },
);

/** As Chromium sends them: SR with a block, SDES, then an application-specific packet (REMB). */
const CHROMIUM = Uint8Array.from(
  Buffer.from(
    "81c8000c11223344e0a1b2c3d4e5f60700010203000000640000" +
      "1f40aabbccdd0500000a00011234000000501234567800008000" +
      "81ca0006112233440110636861726163746572732d31366162630000" +
      "8fce00051122334400000000" +
      "52454d42010a0000aabbccdd",
    "hex",
  ),
);

describe("RTCP", () => {
  test("a browser's report is read, and what is not understood is skipped", () => {
    expect(readRtcp(CHROMIUM)).toEqual({
      senderReport: { ssrc: 0x1122_3344, ntpMiddle: 0xb2c3_d4e5 },
      blocks: [
        {
          ssrc: 0xaabb_ccdd,
          fractionLost: 5,
          packetsLost: 10,
          highestSequence: 0x1_1234,
          jitterTicks: 80,
          lastSenderReport: 0x1234_5678,
          delaySinceLastSenderReport: 0x8000,
        },
      ],
    });
  });

  test("what is written is read again", () => {
    fc.assert(
      fc.property(reports, (report) => {
        const bytes = writeRtcp(report);
        expect(bytes.length % 4).toBe(0);
        const { senderReport, blocks: read } = readRtcp(bytes);
        expect(read).toEqual(report.block === undefined ? [] : [report.block]);
        if (report.sender === undefined) expect(senderReport).toBeUndefined();
        else {
          const { ntpSeconds, ntpFraction } = report.sender;
          const ntpMiddle = (((ntpSeconds & 0xffff) << 16) | (ntpFraction >>> 16)) >>> 0;
          expect(senderReport).toEqual({ ssrc: report.ssrc, ntpMiddle });
        }
      }),
    );
  });

  test("W4: what is cut off or no RTCP after the first packet is ignored; at its start it is malformed", () => {
    for (let length = 0; length < CHROMIUM.length; length += 1) {
      const bytes = CHROMIUM.subarray(0, length);
      if (length < 52) expect(() => readRtcp(bytes)).toThrow(expect.objectContaining({ code: "wire_malformed" }));
      else expect(readRtcp(bytes).blocks).toHaveLength(1);
    }
  });

  test("W4: whatever bytes come, they are read or refused as malformed", () => {
    const nearMisses = fc.tuple(fc.nat(CHROMIUM.length), fc.nat(CHROMIUM.length - 1), fc.nat(255));
    const mutants = nearMisses.map(([length, at, byte]) => {
      const bytes = CHROMIUM.slice();
      bytes[at] = byte;
      return bytes.slice(0, length);
    });
    fc.assert(
      fc.property(fc.oneof(mutants, fc.uint8Array({ maxLength: 200 })), (bytes) => {
        try {
          readRtcp(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(TrunklineError);
        }
      }),
      { numRuns: 20_000 },
    );
  });
});

const OPUS = Uint8Array.of(0xf8, 0xff, 0xfe);
const senderOf = (ssrc: number): RtpSender =>
  new RtpSender({ ssrc, payloadType: 111, firstSequence: 0, firstTimestamp: 0 });

class Stage {
  readonly reception = new RtpReception("ours");
  readonly sender = senderOf(9);
  nowMs = 0;

  packet(n: number, { ssrc = 1, delayMs = 0, verdict = "taken" as "taken" | "restarted" | "doubtful" } = {}): this {
    const packet = { ...rtpPacket(), ssrc, sequence: n & 0xffff, timestamp: (n * 960) >>> 0 };
    this.reception.received(packet, verdict, monotonicMs(this.nowMs + delayMs));
    this.nowMs += 20;
    return this;
  }

  report(): ReportBlock | undefined {
    return readRtcp(this.reception.report(this.sender, monotonicMs(this.nowMs))).blocks[0];
  }
}

describe("what is reported about a stream", () => {
  test("before the first packet nothing; then loss since the beginning and since the last report", () => {
    const stage = new Stage();
    expect(stage.report()).toBeUndefined();
    for (let n = 65_500; n < 65_600; n += 1) if (n % 4 !== 0) stage.packet(n);
    stage.packet(65_600);
    expect(stage.report()).toMatchObject({ ssrc: 1, fractionLost: 61, packetsLost: 24, highestSequence: 65_600 });
    for (let n = 65_601; n < 65_650; n += 1) stage.packet(n);
    expect(stage.report()).toMatchObject({ fractionLost: 0, packetsLost: 24 });
    expect(stage.reception.readings.packetsLost).toBe(24);
  });

  test("packets that come twice make the loss negative, and no fraction", () => {
    const stage = new Stage();
    for (let n = 0; n < 10; n += 1) stage.packet(n).packet(n);
    expect(stage.report()).toMatchObject({ fractionLost: 0, packetsLost: -10 });
  });

  test("jitter approaches the mean change of the delay, RFC 3550 A.8", () => {
    const stage = new Stage();
    for (let n = 0; n < 500; n += 1) stage.packet(n, { delayMs: n % 2 === 0 ? 0 : 10 });
    expect(stage.reception.readings.jitterMs).toBeCloseTo(10, 1);
    expect(stage.report()?.jitterTicks).toBeCloseTo(480, -1);
    const steady = new Stage();
    for (let n = 0; n < 500; n += 1) steady.packet(n, { delayMs: 50 });
    expect(steady.reception.readings.jitterMs).toBe(0);
  });

  test("a restarted stream is counted anew, a doubtful packet not at all", () => {
    const stage = new Stage().packet(0).packet(500);
    stage.packet(7, { ssrc: 2, verdict: "doubtful" });
    expect(stage.report()).toMatchObject({ ssrc: 1, packetsLost: 499 });
    stage.packet(8, { ssrc: 2, verdict: "restarted" }).packet(9, { ssrc: 2 });
    expect(stage.report()).toMatchObject({ ssrc: 2, packetsLost: 0, highestSequence: 9, fractionLost: 0 });
  });

  test("both ends know the round trip from their reports", () => {
    const [ours, theirs] = [senderOf(1), senderOf(2)];
    const [here, there] = [new RtpReception("here"), new RtpReception("there")];
    const oneWayMs = 35;
    // Their clock is another one.
    const theirMs = (atMs: number) => monotonicMs(atMs + 123_456_789);
    ours.speech(OPUS, monotonicMs(0));
    theirs.speech(OPUS, theirMs(0));
    here.received({ ...rtpPacket(), ssrc: 2 }, "taken", monotonicMs(oneWayMs));
    there.received({ ...rtpPacket(), ssrc: 1 }, "taken", theirMs(oneWayMs));
    let atMs = 1_000;
    for (let round = 0; round < 3; round += 1) {
      there.reported(readRtcp(here.report(ours, monotonicMs(atMs))), theirs, theirMs(atMs + oneWayMs));
      atMs += 333;
      here.reported(readRtcp(there.report(theirs, theirMs(atMs))), ours, monotonicMs(atMs + oneWayMs));
      atMs += 333;
    }
    expect(here.readings.roundTripMs).toBeCloseTo(2 * oneWayMs, 0);
    expect(there.readings.roundTripMs).toBeCloseTo(2 * oneWayMs, 0);
    expect(here.readings).toMatchObject({ peerLossShare: 0, peerPacketsLost: 0, peerJitterMs: 0 });
  });

  test("a report about another stream says nothing, and an absurd round trip is ignored", () => {
    const stage = new Stage().packet(0);
    const block = {
      ssrc: 8,
      fractionLost: 128,
      packetsLost: 5,
      highestSequence: 1,
      jitterTicks: 48,
      lastSenderReport: 1,
      delaySinceLastSenderReport: 0xf000_0000,
    };
    const sender = { ssrc: 9, packets: 40 };
    stage.reception.reported({ senderReport: undefined, blocks: [block] }, sender, monotonicMs(100));
    expect(stage.reception.readings.peerLossShare).toBeNaN();
    const about = { ...block, ssrc: 9 };
    stage.reception.reported({ senderReport: undefined, blocks: [about] }, sender, monotonicMs(100));
    expect(stage.reception.readings).toMatchObject({
      peerLossShare: 0.5,
      peerPacketsExpected: 40,
      peerPacketsLost: 5,
      peerJitterMs: 1,
    });
    expect(stage.reception.readings.roundTripMs).toBeNaN();
  });
});
