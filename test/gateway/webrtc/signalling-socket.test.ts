import { describe, expect, test } from "vitest";
import { TrunklineError, unavailable } from "../../../src/core/errors.ts";
import { TEXT_BYTES_BURST_MAX } from "../../../src/core/limits/streams/messages.ts";
import {
  FALLBACK_ANSWER_MS_MAX,
  OFFER_MS_MAX,
  OFFERS_MAX,
  RTP_SILENCE_MS_MAX,
  WEBRTC_CONNECT_MS_MAX,
} from "../../../src/core/limits/streams/webrtc.ts";
import { type RtpEvents, SignallingSocket } from "../../../src/gateway/webrtc/signalling-socket.ts";
import { FakeSocket } from "../../callers/leg.ts";
import { ManualClock } from "../../support/manual-clock.ts";

const OFFER = { type: "offer", sdp: "v=0" };

/** A signalling socket whose RTP and legs are scripted; `happened` has what it did, in order. */
function scene() {
  const clock = new ManualClock();
  const socket = new FakeSocket();
  const happened: string[] = [];
  let rtpEvents: RtpEvents | undefined;
  let hasMemory = true;
  let receivedMs = clock.nowMs();
  const legOf = (name: string) => ({
    message: (bytes: Uint8Array, isBinary: boolean) =>
      void happened.push(`${name} got ${isBinary ? "audio" : Buffer.from(bytes).toString()}`),
    pinged: () => void happened.push(`${name} pinged`),
    ponged: () => void happened.push(`${name} ponged`),
    closed: (code: number) => void happened.push(`${name} closed ${code}`),
  });
  const signalling = new SignallingSocket({
    socket,
    iceServers: [{ urls: ["turn:turn.example.com"], username: "u", credential: "c" }],
    resumeUrl: undefined,
    clock,
    openRtp(sdp, events) {
      if (sdp === "no library") throw unavailable("the WebRTC library did not answer an offer");
      if (sdp !== OFFER.sdp) throw new TrunklineError("bad_offer", "peer", "the offer cannot be used: it has video");
      rtpEvents = events;
      receivedMs = clock.nowMs();
      return {
        answer: "v=0 answer",
        get receivedMs() {
          return receivedMs;
        },
        attach: () => {
          happened.push("rtp attached");
          return legOf("rtp");
        },
        close: () => void happened.push("rtp closed"),
      };
    },
    attachSocket(codec) {
      if (!hasMemory) throw unavailable("there is no memory for a codec");
      happened.push(`socket attached with ${codec}`);
      return legOf("socket");
    },
    isOver: () => false,
    end: (reason) => void happened.push(`end ${reason}`),
    closedWithoutLeg: (reason, isCut) => void happened.push(`closed ${reason}${isCut ? ", cut" : ""}`),
  });
  signalling.begin();
  const json = (message: object): void => signalling.message(Buffer.from(JSON.stringify(message)), false);
  return {
    clock,
    socket,
    signalling,
    happened,
    json,
    offer: () => json(OFFER),
    runOutOfMemory: () => {
      hasMemory = false;
    },
    connected: () => rtpEvents?.connected(),
    peerClosed: (reason: "closed" | "failed" | "flood") => rtpEvents?.closed(reason),
    packet: () => {
      receivedMs = clock.nowMs();
    },
    types: () => socket.messages.map(({ type, code }) => (code === undefined ? type : `${type} ${code}`)),
  };
}

describe("the socket of a WebRTC call", () => {
  test("says hello with the ICE servers, answers an offer, and attaches the leg when RTP is connected", () => {
    const call = scene();
    expect(call.socket.messages[0]).toMatchObject({ type: "hello", iceServers: [{ urls: ["turn:turn.example.com"] }] });
    call.offer();
    expect(call.socket.messages[1]).toEqual({ type: "answer", sdp: "v=0 answer" });
    expect(call.happened).toEqual([]);
    call.connected();
    call.json({ type: "text", text: "hi" });
    call.signalling.ponged();
    expect(call.happened).toEqual(["rtp attached", 'rtp got {"type":"text","text":"hi"}', "rtp ponged"]);
  });

  test("W6: without an offer in time, and without RTP in time after the answer, the call ends with unreachable", async () => {
    const silent = scene();
    await silent.clock.play(OFFER_MS_MAX);
    expect(silent.happened).toEqual(["end unreachable"]);
    const blocked = scene();
    await blocked.clock.play(OFFER_MS_MAX - 1);
    blocked.offer();
    await blocked.clock.play(WEBRTC_CONNECT_MS_MAX - 1);
    expect(blocked.happened).toEqual([]);
    await blocked.clock.play(1);
    expect(blocked.happened).toEqual(["end unreachable"]);
  });

  test("a bad offer is an error and may be tried again; the third one ends the call", () => {
    const call = scene();
    for (let tries = 1; tries <= OFFERS_MAX; tries += 1) {
      expect(call.happened).toEqual([]);
      call.json({ type: "offer", sdp: "video" });
      expect(call.types().at(-1)).toBe("error bad_offer");
    }
    expect(call.happened).toEqual(["end protocol_error"]);
    expect(call.socket.messages.at(-1)?.message).toContain("it has video");
  });

  test("an offer that the library does not answer makes the service ask for the fallback, and is no bad offer", () => {
    const call = scene();
    call.json({ type: "offer", sdp: "no library" });
    expect(call.types().at(-1)).toBe("fallback");
    call.json({ type: "fallback" });
    expect(call.happened).toEqual(["socket attached with pcm_s16le"]);
  });

  test("a fallback for which there is no memory ends the call, and no leg has the socket", () => {
    const call = scene();
    call.offer();
    call.connected();
    expect(call.signalling.hasLeg).toBe(true);
    call.runOutOfMemory();
    call.json({ type: "fallback" });
    expect(call.happened).toEqual(["rtp attached", "rtp closed", "end worker_lost"]);
    expect(call.signalling.hasLeg).toBe(false);
  });

  test("W5: an offer over 16 KiB is answered with an error, and what is parsed here has the budget of a leg's texts", async () => {
    const call = scene();
    call.json({ type: "offer", sdp: "x".repeat(60_000) });
    expect(call.types().at(-1)).toBe("error bad_offer");
    call.offer();
    call.connected();
    const text = { type: "offer", sdp: "x".repeat(16_000) };
    const size = JSON.stringify(text).length;
    const left = Math.floor((TEXT_BYTES_BURST_MAX - 60_100) / size) - 1;
    for (let n = 0; n < left; n += 1) call.json(text);
    expect(call.happened).toEqual(["rtp attached"]);
    for (let n = 0; n < 3; n += 1) call.json(text);
    expect(call.happened).toContain("end protocol_error");
  });

  test("W5: a second offer is refused, and changes nothing", () => {
    const call = scene();
    call.offer();
    call.offer();
    call.connected();
    call.offer();
    expect(call.types()).toEqual(["hello", "answer", "error bad_offer", "error bad_offer"]);
    expect(call.happened).toEqual(["rtp attached"]);
  });

  test.each([
    ["before an offer", () => {}, ["socket attached with pcm_s16le"]],
    [
      "while RTP connects",
      (call: ReturnType<typeof scene>) => call.offer(),
      ["rtp closed", "socket attached with pcm_s16le"],
    ],
    [
      "when RTP carries the audio",
      (call: ReturnType<typeof scene>) => {
        call.offer();
        call.connected();
      },
      ["rtp attached", "rtp closed", "socket attached with pcm_s16le"],
    ],
  ])("the fallback works %s, and once", async (_when, before, expected) => {
    const call = scene();
    before(call);
    call.json({ type: "fallback" });
    call.json({ type: "fallback", codec: "opus" });
    call.signalling.message(new Uint8Array(640), true);
    call.peerClosed("closed");
    await call.clock.play(60_000);
    expect(call.happened).toEqual([...expected, "socket got audio"]);
  });

  test("the fallback has a codec that the service knows", () => {
    const call = scene();
    call.json({ type: "fallback", codec: "mp3" });
    expect(call.types().at(-1)).toBe("error wire_malformed");
    call.json({ type: "fallback", codec: "opus" });
    expect(call.happened).toEqual(["socket attached with opus"]);
  });

  test("RTP that stops makes the service ask for the fallback, and ends the call without it", async () => {
    const call = scene();
    call.offer();
    call.connected();
    await call.clock.play(5_000);
    call.packet();
    await call.clock.play(RTP_SILENCE_MS_MAX - 1_000);
    expect(call.types()).not.toContain("fallback");
    await call.clock.play(2_000);
    expect(call.types().at(-1)).toBe("fallback");
    await call.clock.play(FALLBACK_ANSWER_MS_MAX);
    expect(call.happened).toEqual(["rtp attached", "end unreachable"]);
  });

  test.each(["closed", "failed"] as const)("a peer that is %s while the socket lives may fall back", async (reason) => {
    const call = scene();
    call.offer();
    call.connected();
    call.peerClosed(reason);
    expect(call.types().at(-1)).toBe("fallback");
    call.json({ type: "fallback" });
    await call.clock.play(60_000);
    expect(call.happened).toEqual(["rtp attached", "rtp closed", "socket attached with pcm_s16le"]);
  });

  test("W6: a peer that fails before it is connected gives its client no more time", async () => {
    const call = scene();
    call.offer();
    await call.clock.play(WEBRTC_CONNECT_MS_MAX - 1_000);
    call.peerClosed("failed");
    expect(call.types().at(-1)).toBe("fallback");
    await call.clock.play(999);
    expect(call.happened).toEqual([]);
    await call.clock.play(1);
    expect(call.happened).toEqual(["end unreachable"]);
  });

  test("a peer that floods ends its call", () => {
    const call = scene();
    call.offer();
    call.connected();
    call.peerClosed("flood");
    expect(call.happened.at(-1)).toBe("end message_flood");
  });

  test("W5: audio before the answer or the fallback is dropped, and so are messages before there is a leg, but not without end", () => {
    const call = scene();
    call.signalling.message(new Uint8Array(640), true);
    call.json({ type: "text", text: "early" });
    call.signalling.message(Buffer.from("no JSON"), false);
    expect(call.happened).toEqual([]);
    for (let count = 0; count < 1_000; count += 1) call.signalling.message(new Uint8Array(640), true);
    expect(call.happened[0]).toBe("end protocol_error");
  });

  test("a client that hangs up before there is a leg ends its call; one whose connection is cut may come back", () => {
    const ended = scene();
    ended.json({ type: "end" });
    expect(ended.happened).toEqual(["end caller_hangup"]);
    const closed = scene();
    closed.offer();
    closed.signalling.closed(1_000, false);
    expect(closed.happened).toEqual(["rtp closed", "closed caller_hangup"]);
    const cut = scene();
    cut.signalling.closed(1_006, false);
    expect(cut.happened).toEqual(["closed caller_hangup, cut"]);
  });

  test("when the socket is closed its leg is notified, and RTP is closed; no deadline follows", async () => {
    const call = scene();
    call.offer();
    call.connected();
    call.signalling.closed(1_006, false);
    await call.clock.play(60_000);
    expect(call.happened).toEqual(["rtp attached", "rtp closed 1006", "rtp closed"]);
  });
});
