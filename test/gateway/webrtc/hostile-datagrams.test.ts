import { createSocket, type Socket } from "node:dgram";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import { announce, readOffer } from "../../../src/gateway/webrtc/offer.ts";
import { loadWebrtc, type PeerEnd, type WebrtcLibrary, type WebrtcPort } from "../../../src/gateway/webrtc/peer.ts";
import { isRtcp } from "../../../src/media/rtp/packet.ts";
import { writeRtcp } from "../../../src/media/rtp/rtcp.ts";
import { WebrtcCaller } from "../../callers/webrtc-caller.ts";
import { opusStream } from "../../support/audio/opus-packets.ts";
import { quantile, toneSnrDb } from "../../support/audio/tone.ts";
import { LossyProxy } from "../../support/network/lossy-proxy.ts";
import { Random } from "../../support/random.ts";
import { bindingRequest, isDtls, isSrtp, nullClientHello, plainRtp } from "../../support/webrtc/datagrams.ts";
import { type LoopbackCall, loopbackCall } from "../../support/webrtc/loopback-call.ts";

const HOST = "127.0.0.1";
const WAIT = { timeout: 10_000, interval: 10 };
const SEED = Number(process.env.SEED ?? 1);
const SILENCE = Uint8Array.of(0xf8, 0xff, 0xfe);
/** The service takes packets as they come, some seconds ahead of their time. */
const FAST_MS = 5;
const JUMP = 40_000;
/** RFC 3711, section 5.2: HMAC-SHA1-80. */
const TAG_BYTES = 10;

let library: WebrtcLibrary;
let port: WebrtcPort;
const bugs: unknown[] = [];
const cleanups: (() => void)[] = [];
beforeAll(async () => {
  library = (await loadWebrtc()).library as WebrtcLibrary;
  port = await library.openPort({
    ports: { first: 46_500, last: 46_599 },
    bindAddress: HOST,
    clock: systemClock,
    onBug: (error) => bugs.push(error),
  });
});
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
  expect(bugs.splice(0)).toEqual([]);
  expect(port.peerCount).toBe(0);
});
afterAll(() => {
  port.close();
  library.cleanup();
});

const TONE = opusStream(
  { rateHz: 48_000, channels: 1, frameMs: 20, bitrateBps: 32_000, fec: true },
  1_600,
  (at) => 8_000 * Math.sin(2 * Math.PI * 1_000 * at),
);

const called = async (options: Parameters<typeof loopbackCall>[1] = {}): Promise<LoopbackCall> => {
  const call = await loopbackCall(port, options);
  cleanups.push(call.end);
  return call;
};
async function proxied(): Promise<{ proxy: LossyProxy; call: LoopbackCall }> {
  const proxy = await LossyProxy.open(port.port, new Random(SEED));
  cleanups.push(() => proxy.close());
  return { proxy, call: await called({ callerPort: proxy.port }) };
}
/** Everything that was said was heard, once and as it was. */
async function expectUnharmed({ heard, transport, gapsMs }: LoopbackCall, packets: number): Promise<void> {
  await vi.waitFor(() => expect(heard.length).toBe(320 * packets), WAIT);
  expect(gapsMs()).toBe(0);
  expect(quantile(toneSnrDb(Int16Array.from(heard).subarray(3_200), 1_000, 16_000), 0.1)).toBeGreaterThan(25);
  expect(transport.counters).toMatchObject({ missing: 0, duplicate: 0, late: 0, malformed: 0, otherPayload: 0 });
}
const flipped = (datagram: Buffer, at: number): Buffer => {
  const changed = Buffer.from(datagram);
  changed[at] = (changed[at] as number) ^ 0x04;
  return changed;
};

describe("W1: encrypted packets that were changed on the way", () => {
  test.each([
    ["a flipped bit of the authentication tag", (datagram: Buffer) => flipped(datagram, datagram.length - 3)],
    [
      "a tag of zeros",
      (datagram: Buffer) => Buffer.concat([datagram.subarray(0, -TAG_BYTES), Buffer.alloc(TAG_BYTES)]),
    ],
    ["no tag", (datagram: Buffer) => datagram.subarray(0, -TAG_BYTES)],
    ["a flipped bit of the payload", (datagram: Buffer) => flipped(datagram, 14)],
    ["a flipped bit of the timestamp", (datagram: Buffer) => flipped(datagram, 6)],
  ])("with %s are dropped, and those that follow unchanged are heard", async (_, change) => {
    const { proxy, call } = await proxied();
    let changed = 0;
    proxy.fromClient = (datagram) => {
      if (!isSrtp(datagram)) return [datagram];
      changed += 1;
      // First: a copy with a good tag would take the place of the other one.
      return [change(datagram), datagram];
    };
    await call.caller.play(TONE, FAST_MS);
    await expectUnharmed(call, TONE.length);
    expect(changed).toBeGreaterThanOrEqual(TONE.length);
    const { receivedMs } = call.transport;
    call.caller.report();
    await vi.waitFor(() => expect(call.transport.receivedMs).not.toBe(receivedMs), WAIT);
  });
});

describe("W2: datagrams of unauthenticated clients", () => {
  /** What a socket of each address has to say, again and again. */
  function outsiders(datagrams: () => Buffer[]): { sent: () => number; stop: () => void; answers: () => number } {
    let [sent, answers] = [0, 0];
    const sockets: Socket[] = ["127.0.0.1", "127.0.0.2"].map((address) => {
      const socket = createSocket("udp4");
      socket.bind(0, address);
      socket.on("message", () => {
        answers += 1;
      });
      return socket;
    });
    const timer = setInterval(() => {
      for (const socket of sockets)
        for (const datagram of datagrams()) {
          sent += 1;
          socket.send(datagram, port.port, HOST);
        }
    }, 5);
    let isOpen = true;
    const stop = (): void => {
      clearInterval(timer);
      if (isOpen) for (const socket of sockets) socket.close();
      isOpen = false;
    };
    cleanups.push(stop);
    return { sent: () => sent, stop, answers: () => answers };
  }
  const random = new Random(SEED);
  const garbage = (): Buffer => Buffer.from(Array.from({ length: random.whole(0, 200) }, () => random.whole(0, 255)));

  test("who know nothing of the call change nothing, while it is set up and later", async () => {
    let sequence = 65_500;
    const { sent, answers } = outsiders(() => {
      sequence += 1;
      return [
        plainRtp(0x1234_5678, sequence, SILENCE),
        Buffer.from(writeRtcp({ ssrc: 0x1234_5678, cname: "x" })),
        nullClientHello(),
        bindingRequest("none:none", "x".repeat(22)),
        garbage(),
      ];
    });
    const call = await called();
    const duringSetup = sent();
    expect(duringSetup).toBeGreaterThan(0);
    await call.caller.play(TONE.slice(0, 40), FAST_MS);
    await vi.waitFor(() => expect(sent()).toBeGreaterThan(duringSetup + 200), WAIT);
    await call.caller.play(TONE.slice(40), FAST_MS);
    await expectUnharmed(call, TONE.length);
    // Not even an error goes to an address that may be forged.
    expect(answers()).toBe(0);
  });

  test("who know the names of the call, but not its password, change nothing either", async () => {
    let username = "none:none";
    let knowing = 0;
    outsiders(() => {
      if (username !== "none:none") knowing += 1;
      return [bindingRequest(username, "x".repeat(22)), nullClientHello(), garbage()];
    });
    const call = await called({
      signalled: (offer, answer) => {
        const ufragOf = (sdp: string): string => /a=ice-ufrag:(\S+)/.exec(sdp)?.[1] ?? "";
        username = `${ufragOf(answer)}:${ufragOf(offer)}`;
      },
    });
    expect(username).toMatch(/^.{4,}:.{4,}$/);
    await call.caller.play(TONE.slice(0, 40), FAST_MS);
    await vi.waitFor(() => expect(knowing).toBeGreaterThan(50), WAIT);
    await call.caller.play(TONE.slice(40), FAST_MS);
    await expectUnharmed(call, TONE.length);
  });
});

describe("W3: packets that come again, and numbers that jump", () => {
  test("each packet that is replayed, at once or much later, is dropped, also over the wrap of sequence numbers", async () => {
    const { proxy, call } = await proxied();
    const seen: Buffer[] = [];
    let replayed = 0;
    proxy.fromClient = (datagram) => {
      if (!isSrtp(datagram) || isRtcp(datagram)) return [datagram];
      seen.push(datagram);
      const again = [seen.at(-1), seen.at(-2), seen.at(-30), seen[0]].filter((bytes) => bytes !== undefined);
      replayed += again.length;
      return [datagram, ...again];
    };
    await call.caller.play(TONE, FAST_MS);
    await expectUnharmed(call, TONE.length);
    expect(replayed).toBeGreaterThan(3 * TONE.length - 40);
  });

  test("a forged packet whose number is far ahead does not make the library lose its count of the wraps", async () => {
    const { proxy, call } = await proxied();
    let forged = 0;
    proxy.fromClient = (datagram) => {
      if (!isSrtp(datagram) || isRtcp(datagram)) return [datagram];
      forged += 1;
      const ahead = Buffer.from(datagram);
      ahead.writeUInt16BE((datagram.readUInt16BE(2) + JUMP) & 0xffff, 2);
      return [ahead, datagram];
    };
    await call.caller.play(TONE, FAST_MS);
    await expectUnharmed(call, TONE.length);
    expect(forged).toBe(TONE.length);
  });

  test("a client whose numbers jump, or that goes on as another source, is heard from its second packet on", async () => {
    const { caller, heard, transport } = await called();
    await caller.play(TONE.slice(0, 20), FAST_MS);
    // The library of the caller refuses to send what is further ahead.
    caller.jump(20_000);
    await caller.play(TONE.slice(20, 40), FAST_MS);
    await vi.waitFor(() => expect(transport.counters).toMatchObject({ restarted: 1, doubtful: 1 }), WAIT);
    caller.jump(7, 0x9999_0001);
    await caller.play(TONE.slice(40), FAST_MS);
    await vi.waitFor(() => expect(transport.counters).toMatchObject({ restarted: 2, doubtful: 2 }), WAIT);
    await vi.waitFor(() => expect(heard.length).toBeGreaterThanOrEqual(320 * (TONE.length - 2)), WAIT);
  });
});

describe("W4: what a connected peer sends", () => {
  const rtp = (first: number, rest = ""): Uint8Array =>
    Uint8Array.from(Buffer.from(`${first.toString(16)}6f00010000000012345678${rest}`, "hex"));

  test("RTP and RTCP that is broken before it is encrypted is counted, and the call goes on", async () => {
    const { caller, heard, transport } = await called();
    await caller.play(TONE.slice(0, 20), FAST_MS);
    const random = new Random(SEED);
    let sent = 0;
    const good = [rtp(0x80, "f8fffe"), writeRtcp({ ssrc: 0x1234_5678, cname: "caller" })];
    for (let n = 0; n < 600; n += 1) {
      const mutant = Uint8Array.from(random.pick(good));
      for (let change = random.whole(1, 3); change > 0; change -= 1)
        mutant[random.whole(0, mutant.length - 1)] = random.whole(0, 255);
      // Of another source, so that no mutant takes the place of a good packet.
      if (!isRtcp(mutant)) mutant[11] = 1;
      if (caller.trySending(mutant.subarray(0, random.whole(4, mutant.length)))) sent += 1;
      if (n % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(sent).toBeGreaterThan(100);
    const before = heard.length;
    await caller.play(TONE.slice(20), FAST_MS);
    await vi.waitFor(() => expect(heard.length).toBeGreaterThanOrEqual(before + 320 * (TONE.length - 22)), WAIT);
    expect(
      transport.counters.malformed + transport.counters.otherPayload + transport.counters.doubtful,
    ).toBeGreaterThan(20);
  });
});

describe("W5, W6: a peer that does not come about", () => {
  /** A peer that a caller is to reach, whose offer or datagrams are changed. */
  async function attempted(changeOffer: (sdp: string) => string, through = port.port) {
    const caller = new WebrtcCaller();
    cleanups.push(() => caller.close());
    const ends: PeerEnd[] = [];
    let connections = 0;
    const connecting = caller.connect((sdp) => {
      const peer = port.accept(readOffer(changeOffer(sdp)), {
        connected: () => {
          connections += 1;
        },
        rtp: () => {},
        rtcp: () => {},
        closed: (reason) => ends.push(reason),
      });
      cleanups.push(() => peer.close());
      return announce(peer.answer, HOST, through);
    });
    connecting.catch(() => {});
    return { caller, ends, connections: () => connections };
  }

  test("one whose certificate has not the fingerprint of its offer is never connected, and ends", async () => {
    const { ends, connections } = await attempted((sdp) =>
      sdp.replace(/(fingerprint:sha-256 )(..)/, (_, name, byte) => `${name}${byte === "00" ? "01" : "00"}`),
    );
    await vi.waitFor(() => expect(ends).toEqual(["failed"]), WAIT);
    expect([connections(), port.peerCount]).toEqual([0, 0]);
  });

  test("one whose handshake is lost stays unconnected until it is closed", async () => {
    const proxy = await LossyProxy.open(port.port, new Random(SEED));
    cleanups.push(() => proxy.close());
    let hellos = 0;
    proxy.fromClient = (datagram) => {
      if (!isDtls(datagram)) return [datagram];
      hellos += 1;
      return [];
    };
    const { ends, connections } = await attempted((sdp) => sdp, proxy.port);
    await vi.waitFor(() => expect(hellos).toBeGreaterThan(1), WAIT);
    expect([connections(), ends, port.peerCount]).toEqual([0, [], 1]);
  });
});
