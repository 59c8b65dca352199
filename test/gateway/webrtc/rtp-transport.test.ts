import { beforeAll, describe, expect, test } from "vitest";
import { elapsedMs } from "../../../src/core/clocks.ts";
import { asCallId } from "../../../src/core/ids.ts";
import { RTCP_REPORT_MS, RTP_PATIENCE_MS_MAX, RTP_SILENCE_PACKETS } from "../../../src/core/limits/streams/webrtc.ts";
import type { PeerEnd } from "../../../src/gateway/webrtc/peer.ts";
import { openRtpSender, RtpTransport } from "../../../src/gateway/webrtc/rtp-transport.ts";
import type { RtpOpusCodecs } from "../../../src/media/opus/codecs.ts";
import { loadRtpOpus } from "../../../src/media/opus/load.ts";
import { isRtcp, readRtp, rtpPacket, writeRtp } from "../../../src/media/rtp/packet.ts";
import { readRtcp, writeRtcp } from "../../../src/media/rtp/rtcp.ts";
import { createWebrtcWire } from "../../../src/wire/webrtc/wire.ts";
import { inboundAudio } from "../../support/audio/inbound-audio.ts";
import { opus } from "../../support/audio/opus-codecs.ts";
import { DEFAULT_LIVENESS } from "../../support/configuration/liveness.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { Random } from "../../support/random.ts";

const SILENCE = Uint8Array.of(0xf8, 0xff, 0xfe);
let codecs: RtpOpusCodecs;
beforeAll(async () => {
  codecs = await loadRtpOpus(opus);
});

const MUTANTS = 30_000;

/** A packet with one to four changed bytes or bits, or of another length. */
function mutantOf(packet: Uint8Array, random: Random): Uint8Array {
  const mutant = Uint8Array.from([...packet, ...Array.from({ length: random.pick([0, 0, 4, 40]) }, () => 7)]);
  for (let change = random.whole(1, 4); change > 0; change -= 1) {
    const at = random.whole(0, mutant.length - 1);
    if (random.chance(0.5)) mutant[at] = random.whole(0, 255);
    else mutant[at] = (mutant[at] as number) ^ (1 << random.whole(0, 7));
  }
  return random.chance(0.2) ? mutant.subarray(0, random.whole(0, mutant.length)) : mutant;
}

class Stage {
  readonly clock = new ManualClock();
  readonly sender = openRtpSender(111);
  readonly texts: string[] = [];
  readonly ends: PeerEnd[] = [];
  readonly closes: [number, string][] = [];
  /** Datagrams to the peer. */
  readonly sent: Uint8Array[] = [];
  /** Where the call's audio begins on its timeline, ms, and how much of it. */
  readonly heard: [atMs: number, samples: number][] = [];
  connections = 0;
  peerCloses = 0;
  takes = true;
  readonly wire = createWebrtcWire({
    callId: asCallId("call_0199f3a1-7c55-7e02-9d6b-3f1a2b4c5d6e"),
    opus: codecs,
    sender: this.sender,
  });
  readonly transport: RtpTransport;

  constructor() {
    this.transport = new RtpTransport({
      socket: {
        liveness: DEFAULT_LIVENESS,
        bufferedBytes: 12,
        send: (message) => this.texts.push(String(message)) < 3,
        ping: () => this.texts.push("ping"),
        close: (code, reason) => this.closes.push([code, reason]),
      },
      sender: this.sender,
      opusPayloadType: 111,
      clock: this.clock,
      connected: () => {
        this.connections += 1;
      },
      closed: (reason) => this.ends.push(reason),
    });
    this.transport.use({
      answer: "",
      oversized: 0,
      send: (packet) => {
        if (this.takes) this.sent.push(Uint8Array.from(packet));
        return this.takes;
      },
      close: () => {
        this.peerCloses += 1;
      },
    });
  }

  /** The peer is connected, and the call has begun. */
  begun(): this {
    this.transport.connected();
    const into = inboundAudio();
    const message = (bytes: Uint8Array, isBinary: boolean): void => {
      expect(this.wire.decode(bytes, into, isBinary)).toEqual({ kind: "audio" });
      this.heard.push([Number(into.timestampMs), into.count]);
    };
    this.transport.start({ message }, this.wire);
    return this;
  }

  /** Packet number `n` of the client arrives. */
  packet(n: number, payloadType = 111): this {
    const bytes = new Uint8Array(200);
    const header = { payloadType, marker: false, sequence: (65_530 + n) & 0xffff, timestamp: 960 * n, ssrc: 5 };
    this.transport.rtp(bytes.subarray(0, writeRtp(header, SILENCE, bytes)));
    return this;
  }

  tick(times = 1): this {
    for (let i = 0; i < times; i += 1) {
      this.clock.advance(20);
      this.transport.tick();
    }
    return this;
  }

  get rtp() {
    return this.sent
      .filter((bytes) => !isRtcp(bytes))
      .map((bytes) => {
        const packet = rtpPacket();
        readRtp(bytes, packet);
        return packet;
      });
  }

  get reports() {
    return this.sent.filter((bytes) => isRtcp(bytes)).map((bytes) => readRtcp(bytes));
  }
}

describe("audio of the client", () => {
  test("reaches the call in order, at once where it is in order", () => {
    const stage = new Stage().begun();
    stage.packet(0);
    expect(stage.heard).toHaveLength(1);
    stage.packet(2);
    expect(stage.heard).toHaveLength(1);
    stage.packet(1);
    expect(stage.heard.map(([, samples]) => samples)).toEqual([320, 320, 320]);
    expect(stage.heard.map(([atMs]) => atMs)).toEqual([0, 20, 40]);
    expect(stage.transport.counters).toMatchObject({ reordered: 1, missing: 0 });
  });

  test("that waits for a lost packet is handed on by the tick, with what was lost made up for", () => {
    const stage = new Stage().begun().packet(0).packet(2);
    stage.tick(RTP_PATIENCE_MS_MAX / 20);
    expect(stage.heard).toEqual([
      [0, 320],
      [20, 640],
    ]);
    stage.packet(1);
    expect(stage.heard).toHaveLength(2);
    expect(stage.transport.counters).toMatchObject({ missing: 1, late: 1 });
  });

  test("of another payload type has its place and is not decoded", () => {
    const stage = new Stage().begun().packet(0).packet(1, 110).packet(2);
    expect(stage.heard).toHaveLength(2);
    expect(stage.transport.counters).toMatchObject({ otherPayload: 1, missing: 0 });
  });

  test("before the call has begun is dropped, and so is what is no RTP and no RTCP", () => {
    const stage = new Stage();
    stage.packet(0);
    stage.begun();
    stage.transport.rtp(Uint8Array.of(1, 2, 3));
    stage.transport.rtcp(Uint8Array.of(0, 200, 3, 4));
    expect(stage.packet(1).heard).toHaveLength(1);
    expect(stage.transport.counters).toMatchObject({ early: 1, malformed: 2 });
  });

  test.each([
    ["a header that is cut off", "rtp", "806f0001000000"],
    ["15 sources that are not there", "rtp", "8f6f00010000000000000005f8fffe"],
    ["an extension that is longer than the packet", "rtp", "906f00010000000000000005bedeffff00"],
    ["more padding than packet", "rtp", "a06f00010000000000000005f8ff40"],
    ["padding of no length", "rtp", "a06f00010000000000000005f8ff00"],
    ["another version", "rtp", "406f00010000000000000005f8fffe"],
    ["a BYE that is longer than the packet", "rtcp", "81cbffff00000005"],
    ["a BYE that is cut off", "rtcp", "81cb"],
  ] as const)("W4: with %s is counted, and what follows is heard", (_, kind, hex) => {
    const stage = new Stage().begun().packet(0);
    stage.transport[kind](Buffer.from(hex, "hex"));
    stage.packet(1);
    expect(stage.heard.map(([atMs]) => atMs)).toEqual([0, 20]);
    expect(stage.transport.counters).toMatchObject({ malformed: 1, missing: 0, restarted: 0 });
  });

  test("W4: whatever is changed in its packets, each is heard, dropped or counted, and good ones after it are heard", () => {
    const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 32));
    const random = new Random(seed);
    const stage = new Stage();
    let heard = 0;
    stage.transport.connected();
    const into = inboundAudio();
    const message = (bytes: Uint8Array): void => {
      heard += 1;
      try {
        stage.wire.decode(bytes, into, true);
      } catch (error) {
        expect(error, `SEED=${seed}`).toMatchObject({ code: "wire_malformed" });
      }
    };
    stage.transport.start({ message }, stage.wire);
    const header = { payloadType: 111, marker: false, ssrc: 5 };
    const block = { fractionLost: 1, packetsLost: 1, highestSequence: 9, jitterTicks: 4, lastSenderReport: 3 };
    const report = writeRtcp({
      ssrc: 5,
      cname: "x",
      block: { ...block, ssrc: stage.sender.ssrc, delaySinceLastSenderReport: 7 },
    });
    for (let n = 0; n < MUTANTS; n += 1) {
      const bytes = new Uint8Array(60);
      const length = writeRtp({ ...header, sequence: n & 0xffff, timestamp: (960 * n) >>> 0 }, SILENCE, bytes);
      const mutant = mutantOf(random.chance(0.7) ? bytes.subarray(0, length) : report, random);
      // What has lost its form altogether comes by either way.
      if (isRtcp(mutant)) stage.transport.rtcp(mutant);
      else stage.transport.rtp(mutant);
      if (n % 10 === 0) stage.tick();
    }
    const { malformed, otherPayload, doubtful, restarted } = stage.transport.counters;
    expect([malformed, otherPayload, doubtful, restarted].every((count) => count > MUTANTS / 1_000)).toBe(true);
    expect(heard).toBeGreaterThan(MUTANTS / 100);
    const before = heard;
    for (let n = 1; n <= 20; n += 1) stage.packet(n).tick();
    expect(heard, `SEED=${seed}`).toBeGreaterThanOrEqual(before + 18);
  }, 60_000);

  test("shows by its absence that the client is lost; RTCP counts, too", () => {
    const silentMs = (): number => elapsedMs(stage.transport.receivedMs, stage.clock.nowMs());
    const stage = new Stage().begun();
    stage.tick(100);
    expect(silentMs()).toBe(2_000);
    stage.packet(0).tick(5);
    expect(silentMs()).toBe(100);
    stage.transport.rtcp(writeRtcp({ ssrc: 5, cname: "x" }));
    expect(silentMs()).toBe(0);
  });
});

describe("audio of the agent", () => {
  test("goes out as RTP with the payload type of the offer, and its end is followed by silence", () => {
    const stage = new Stage().begun();
    for (let n = 0; n < 10; n += 1) {
      // The call sends ahead of playout.
      if (n >= 4) stage.tick();
      expect(stage.transport.send(SILENCE, true)).toBe(true);
    }
    expect(stage.rtp).toHaveLength(10);
    expect(stage.rtp[0]).toMatchObject({ payloadType: 111, marker: true, ssrc: stage.sender.ssrc });
    stage.tick(200);
    expect(stage.rtp).toHaveLength(10 + RTP_SILENCE_PACKETS);
  });

  test("that the peer does not take is dropped and counted, and the call is not ended as by a slow reader", () => {
    const stage = new Stage().begun();
    stage.takes = false;
    expect(stage.transport.send(SILENCE, true)).toBe(true);
    expect(stage.transport.counters.unsent).toBe(1);
  });
});

describe("reports", () => {
  test("are sent each second from the connection on, about what was received and sent", () => {
    const stage = new Stage();
    stage.tick(100);
    expect(stage.sent).toHaveLength(0);
    stage.begun().packet(0).packet(2);
    stage.transport.send(SILENCE, true);
    stage.tick(RTCP_REPORT_MS / 20);
    expect(stage.reports).toHaveLength(1);
    expect(stage.reports[0]?.senderReport).toMatchObject({ ssrc: stage.sender.ssrc });
    expect(stage.reports[0]?.blocks).toMatchObject([{ ssrc: 5, packetsLost: 1 }]);
    stage.tick((2 * RTCP_REPORT_MS) / 20);
    expect(stage.reports).toHaveLength(3);
  });

  test("of the client are read: loss, jitter and the round trip", () => {
    const stage = new Stage().begun();
    stage.transport.send(SILENCE, true);
    stage.tick(RTCP_REPORT_MS / 20);
    const ntpMiddle = stage.reports[0]?.senderReport?.ntpMiddle ?? 0;
    stage.clock.advance(80);
    const block = {
      ssrc: stage.sender.ssrc,
      fractionLost: 64,
      packetsLost: 3,
      highestSequence: 9,
      jitterTicks: 480,
      lastSenderReport: ntpMiddle,
      delaySinceLastSenderReport: Math.round(0.05 * 65_536),
    };
    stage.transport.rtcp(writeRtcp({ ssrc: 5, cname: "x", block }));
    expect(stage.transport.readings).toMatchObject({ peerLossShare: 0.25, peerPacketsLost: 3, peerJitterMs: 10 });
    expect(stage.transport.readings.roundTripMs).toBeCloseTo(30, 0);
  });
});

describe("the socket of the call", () => {
  test("carries texts and pings, and says whether the client reads them", () => {
    const { transport, texts } = new Stage().begun();
    expect([transport.send("a"), transport.send("b"), transport.send("c")]).toEqual([true, true, false]);
    transport.ping();
    expect(texts).toEqual(["a", "b", "c", "ping"]);
    expect(transport).toMatchObject({ bufferedBytes: 12, liveness: DEFAULT_LIVENESS });
  });

  test("is closed with the peer; the peer alone is closed for the fallback, and nothing more is sent to it", () => {
    const stage = new Stage().begun();
    stage.transport.detach();
    expect([stage.peerCloses, stage.closes]).toEqual([1, []]);
    stage.transport.send(SILENCE, true);
    stage.tick(100);
    expect(stage.sent).toHaveLength(0);
    const other = new Stage().begun();
    other.transport.close(1_000, "agent_hangup");
    expect([other.peerCloses, other.closes]).toEqual([1, [[1_000, "agent_hangup"]]]);
  });

  test("outlives the peer, whose end is reported", () => {
    const stage = new Stage().begun();
    stage.transport.closed("failed");
    expect([stage.ends, stage.closes, stage.connections]).toEqual([["failed"], [], 1]);
    expect(stage.transport.send("a")).toBe(true);
  });
});
