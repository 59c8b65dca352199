import { createSocket } from "node:dgram";
import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import { PEER_PACKETS_BURST_MAX } from "../../../src/core/limits/streams/webrtc.ts";
import { announce, readOffer } from "../../../src/gateway/webrtc/offer.ts";
import {
  loadWebrtc,
  type Peer,
  type PeerEnd,
  type WebrtcLibrary,
  type WebrtcPort,
} from "../../../src/gateway/webrtc/peer.ts";
import { readRtp, rtpPacket, writeRtp } from "../../../src/media/rtp/packet.ts";
import { readRtcp, writeRtcp } from "../../../src/media/rtp/rtcp.ts";
import { WebrtcCaller } from "../../callers/webrtc-caller.ts";

const HOST = "127.0.0.1";
const OFFER = readOffer(readFileSync(new URL("../../../fixtures/webrtc/chromium_offer.sdp", import.meta.url), "utf8"));
const SILENCE = Uint8Array.of(0xf8, 0xff, 0xfe);
const WAIT = { timeout: 10_000, interval: 10 };

let library: WebrtcLibrary;
let port: WebrtcPort;
const bugs: unknown[] = [];
const portOptions = (first: number, last: number) => ({
  ports: { first, last },
  bindAddress: HOST,
  clock: systemClock,
  onBug: (error: unknown) => bugs.push(error),
});
const IGNORING = { connected: () => {}, rtp: () => {}, rtcp: () => {}, closed: () => {} };

beforeAll(async () => {
  const loaded = await loadWebrtc();
  if (loaded.library === undefined) throw new Error(`node-datachannel is not installed: ${loaded.failure}`);
  library = loaded.library;
  port = await library.openPort(portOptions(46_200, 46_299));
});
afterEach(() => expect(bugs).toEqual([]));
afterAll(() => {
  port.close();
  library.cleanup();
});

/** A caller and the peer that it is connected to, with what the peer received. */
async function connected() {
  const caller = new WebrtcCaller();
  const received = { connected: 0, rtp: [] as Uint8Array[], rtcp: [] as Uint8Array[], closed: [] as PeerEnd[] };
  let peer: Peer | undefined;
  await caller.connect((sdp) => {
    peer = port.accept(readOffer(sdp), {
      connected: () => {
        received.connected += 1;
      },
      rtp: (bytes) => received.rtp.push(Uint8Array.from(bytes)),
      rtcp: (bytes) => received.rtcp.push(Uint8Array.from(bytes)),
      closed: (reason) => received.closed.push(reason),
    });
    return announce(peer.answer, HOST, port.port);
  });
  await vi.waitFor(() => expect(received.connected).toBe(1), WAIT);
  return { caller, peer: peer as Peer, received };
}

const rtpOf = (payload: Uint8Array): Uint8Array => {
  const bytes = new Uint8Array(12 + payload.length);
  writeRtp({ payloadType: 111, marker: true, sequence: 7, timestamp: 960, ssrc: 99 }, payload, bytes);
  return bytes;
};

describe("a peer", () => {
  test("packets of RTP and RTCP go both ways, unchanged", async () => {
    const { caller, peer, received } = await connected();
    caller.send(SILENCE);
    caller.report();
    await vi.waitFor(() => expect([received.rtp.length, received.rtcp.length]).toEqual([1, 1]), WAIT);
    const packet = rtpPacket();
    readRtp(received.rtp[0] as Uint8Array, packet);
    expect(packet).toMatchObject({ payloadType: 111, marker: true, sequence: 65_500, timestamp: 0xffff_0000 });
    expect(readRtcp(received.rtcp[0] as Uint8Array).senderReport).toBeDefined();
    const report = writeRtcp({ ssrc: 99, cname: "x" });
    expect(peer.send(rtpOf(SILENCE))).toBe(true);
    expect(peer.send(report)).toBe(true);
    await vi.waitFor(() => expect([caller.heard.length, caller.reports.length]).toEqual([1, 1]), WAIT);
    expect(caller.heard[0]).toMatchObject({ sequence: 7, timestamp: 960, marker: true });
    expect(caller.reports[0]).toEqual(report);
    caller.close();
    peer.close();
  });

  test("many peers share the port, and each gets its own packets", async () => {
    const before = port.peerCount;
    const calls = await Promise.all([connected(), connected(), connected()]);
    expect(port.peerCount).toBe(before + 3);
    for (const { caller } of calls.slice(0, 2)) caller.send(SILENCE);
    await vi.waitFor(() => expect(calls.map(({ received }) => received.rtp.length)).toEqual([1, 1, 0]), WAIT);
    for (const { caller, peer } of calls) {
      peer.close();
      caller.close();
    }
    expect(port.peerCount).toBe(before);
    // It closed them itself.
    expect(calls.map(({ received }) => received.closed)).toEqual([[], [], []]);
  });

  test("nothing is sent before it is connected, nor after its end, and closing twice has no effect", async () => {
    const unconnected = port.accept(OFFER, IGNORING);
    expect(unconnected.answer).toMatch(/^v=0\r\n.*a=setup:(?:active|passive)\r\n/s);
    expect(unconnected.answer).toContain("m=audio");
    expect(unconnected.send(SILENCE)).toBe(false);
    unconnected.close();
    const { caller, peer, received } = await connected();
    peer.close();
    peer.close();
    expect(peer.send(rtpOf(SILENCE))).toBe(false);
    try {
      caller.send(SILENCE);
    } catch {
      // It has seen the end already.
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(received).toMatchObject({ rtp: [], closed: [] });
    caller.close();
  });

  test("a packet that is larger than a datagram is dropped and counted", async () => {
    const { caller, peer, received } = await connected();
    caller.sendBytes(rtpOf(new Uint8Array(1_600)));
    caller.send(SILENCE);
    await vi.waitFor(() => expect(received.rtp).toHaveLength(1), WAIT);
    expect(peer.oversized).toBe(1);
    caller.close();
  });

  test("W8: a flood of packets ends it", async () => {
    const { caller, received } = await connected();
    for (let n = 0; n < 3 * PEER_PACKETS_BURST_MAX && received.closed.length === 0; n += 1) {
      try {
        caller.send(SILENCE);
      } catch {
        break;
      }
      if (n % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await vi.waitFor(() => expect(received.closed).toEqual(["flood"]), WAIT);
    expect(received.rtp.length).toBeLessThan(3 * PEER_PACKETS_BURST_MAX);
  });
});

describe("the UDP port", () => {
  test("is the first free one of the range, and one for each process that opens it", async () => {
    const taken = createSocket("udp4");
    await new Promise<void>((resolve) => taken.bind(46_300, HOST, resolve));
    const first = await library.openPort(portOptions(46_300, 46_309));
    const second = await library.openPort(portOptions(46_300, 46_309));
    expect([first.port, second.port]).toEqual([46_301, 46_302]);
    first.close();
    second.close();
    expect(() => first.accept(OFFER, IGNORING)).toThrow(expect.objectContaining({ code: "unavailable" }));
    taken.close();
  });

  test("a range without a free port is a mistake of the configuration, which is named", async () => {
    const taken = createSocket("udp4");
    await new Promise<void>((resolve) => taken.bind(46_310, HOST, resolve));
    const error = await library.openPort(portOptions(46_310, 46_310)).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "bad_configuration" });
    expect((error as Error).message).toBe(
      "no UDP port of 127.0.0.1 from 46310 to 46310 is free: set WEBRTC_UDP_PORTS to a range with two free ports for each worker",
    );
    taken.close();
  });
});

describe("loading", () => {
  test("a package that is not installed, or broken, is reported, and the service does without", async () => {
    const missing = Object.assign(new Error("no"), { code: "ERR_MODULE_NOT_FOUND" });
    expect(await loadWebrtc(() => Promise.reject(missing))).toEqual({
      library: undefined,
      failure: "ERR_MODULE_NOT_FOUND",
    });
    const broken = await loadWebrtc(async () => ({}) as never);
    expect(broken.library).toBeUndefined();
    expect(broken.failure).toContain("not a function");
  });

  test("a library that cannot answer an offer is not used", async () => {
    const failing = class {
      close(): void {}
      onTrack(): void {}
      onStateChange(): void {}
      setRemoteDescription(): void {
        throw new Error("broken");
      }
    };
    const listener = class {
      stop(): void {}
    };
    const fake = { initLogger: () => {}, PeerConnection: failing, IceUdpMuxListener: listener };
    const loaded = await loadWebrtc(async () => fake as never);
    const opening = loaded.library?.openPort(portOptions(46_320, 46_329));
    await expect(opening).rejects.toMatchObject({ code: "unavailable" });
  });
});
