import { describe, expect, test } from "vitest";
import {
  MALFORMED_PER_SECOND_MAX,
  MESSAGES_PER_SECOND_MAX,
  NON_AUDIO_MESSAGES_PER_SECOND_MAX,
} from "../../../../src/core/limits/streams/messages.ts";
import { leg } from "../../../callers/leg.ts";
import { websocketLeg } from "../../../callers/websocket-leg.ts";
import { carriersUnderTest } from "../../../support/wires/carriers.ts";

const QUIET = { spec: { firstSpeaker: "user" as const, inactivityTimeoutMs: 300_000 } };

describe("B14: the wrong kind of data ends the call with 1003", () => {
  test.each(carriersUnderTest())("a binary message to $name, before its stream has begun or after", ({ make }) => {
    for (const length of [0, 1, 160, 100_000]) {
      const call = leg({ wire: make() });
      call.connection.message(new Uint8Array(length), true);
      expect(call.socket.ended).toEqual({ code: 1_003, reason: "protocol_error" });
      expect(call.ends()).toHaveLength(1);
    }
  });

  test.each([
    "",
    "{",
    "null",
    "[]",
    '"text"',
    "5",
    "{}}",
    '{"type":"end"',
    "\u0000",
    "RIFF",
    "[{}]",
  ])("the text %j, which is no JSON object, to the raw protocol", (text) => {
    const call = websocketLeg(QUIET);
    call.text(text);
    expect(call.socket.messages.at(-1)).toEqual({ type: "ended", reason: "protocol_error" });
    expect(call.socket.ended).toEqual({ code: 1_003, reason: "protocol_error" });
    expect(call.ends()).toMatchObject([{ malformed: 1 }]);
  });

  test("B13: and bytes that are no UTF-8, should the socket let them pass", () => {
    const call = websocketLeg(QUIET);
    call.connection.message(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), false);
    expect(call.socket.ended).toEqual({ code: 1_003, reason: "protocol_error" });
  });
});

describe("B7: too much in one message ends the call with 1009", () => {
  test("64 KiB of text are read, a byte more is not, whatever it says", () => {
    const call = websocketLeg(QUIET);
    const typed = { type: "text", text: "Hello", pad: "" };
    const padded = (bytes: number): string =>
      JSON.stringify({ ...typed, pad: "x".repeat(bytes - JSON.stringify(typed).length) });
    const read = (): number => call.transcripts().filter((line) => line.endsWith("user: Hello ...")).length;
    call.text(padded(65_536));
    expect(read()).toBe(1);
    expect(Buffer.byteLength(padded(65_537))).toBe(65_537);
    call.text(padded(65_537));
    expect(read()).toBe(1);
    expect(call.socket.ended).toEqual({ code: 1_009, reason: "protocol_error" });
  });
});

describe("meaningless messages of a client", () => {
  test("W5: an offer or a fallback where the audio is on the socket has no meaning, and the call goes on", () => {
    const call = websocketLeg(QUIET);
    call.json({ type: "offer", sdp: "v=0" });
    call.json({ type: "fallback", codec: "opus" });
    expect(call.received("error")).toMatchObject([{ code: "unknown_type" }]);
    call.json({ type: "dtmf", digit: "5" });
    expect(call.digits()).toBe("5");
    expect(call.hangUp()).toMatchObject({ ignored: 2, malformed: 0 });
  });

  test("C10: an unknown type is answered once with error, and ignored like all that follow", () => {
    const call = websocketLeg(QUIET);
    for (const type of ["weather", "TEXT", "", "__proto__", "constructor", "ready"]) call.json({ type, text: "x" });
    expect(call.received("error")).toEqual([
      { type: "error", code: "unknown_type", message: expect.stringMatching(/ignored/) },
    ]);
    call.json({ type: "toolResult", id: "1", result: { anything: 1 } });
    call.json({ type: "dtmf", digit: "5", extra: { deep: [1] } });
    expect(call.received("error").slice(1)).toEqual([
      { type: "error", code: "unknown_tool_call", message: expect.stringMatching(/no pending tool call/) },
    ]);
    expect(call.digits()).toBe("5");
    expect(call.hangUp()).toMatchObject({ ignored: 7, malformed: 0 });
  });

  test("any other mistake is answered each time with error, which quotes nothing, and the call continues", async () => {
    const call = websocketLeg();
    const wrong: object[] = [
      {},
      { type: 5 },
      { type: ["end"] },
      { type: "mark" },
      { type: "mark", name: 5 },
      { type: "mark", name: "" },
      { type: "mark", name: "secret".repeat(100) },
      { type: "cleared", playedMs: "secret" },
      { type: "text" },
      { type: "text", text: { secret: 1 } },
      { type: "toolResult", id: 5, result: "secret" },
      { type: "toolResult", id: "1", error: ["secret"] },
    ];
    for (const message of wrong) call.json(message);
    call.audio(Buffer.alloc(0));
    const errors = call.received("error");
    expect(errors.map(({ code }) => code)).toEqual(Array(wrong.length + 1).fill("wire_malformed"));
    for (const { message } of errors) expect(message).not.toContain("secret");
    await call.clock.play(500);
    expect(call.socket.audio.length).toBeGreaterThan(10);
    expect(call.hangUp()).toMatchObject({ malformed: wrong.length + 1 });
  });

  test("M1: fifty malformed messages in each second are tolerated, one more in a second ends the call", async () => {
    const call = websocketLeg(QUIET);
    for (let round = 0; round < 3; round += 1) {
      for (let i = 0; i < MALFORMED_PER_SECOND_MAX; i += 1) call.json({ type: "mark" });
      await call.clock.play(1_000);
    }
    expect(call.socket.ended).toBeUndefined();
    for (let i = 0; i <= MALFORMED_PER_SECOND_MAX; i += 1) call.json({ type: "mark" });
    expect(call.socket.ended).toEqual({ code: 1_008, reason: "protocol_error" });
  });

  test("C9: digits faster than twenty a second are ignored, and so are marks beyond a hundred", () => {
    const call = websocketLeg(QUIET);
    for (let i = 0; i < 200; i += 1) call.json({ type: "dtmf", digit: String(i % 10) });
    for (let i = 0; i < 300; i += 1) call.json({ type: "mark", name: "x".repeat(256) });
    expect(call.digits()).toHaveLength(20);
    expect(call.hangUp()).toMatchObject({ dtmfDigits: 20, marksReturned: 100, ignored: 180 + 200 });
  });

  test("M5: 500 messages without audio in each second are tolerated, one more in a second ends the call", async () => {
    const call = websocketLeg(QUIET);
    for (let round = 0; round < 3; round += 1) {
      for (let i = 0; i < NON_AUDIO_MESSAGES_PER_SECOND_MAX; i += 1) call.json({ type: "weather" });
      for (let i = 0; i < 50; i += 1) call.audio(Buffer.alloc(640));
      await call.clock.play(1_000);
    }
    expect(call.socket.ended).toBeUndefined();
    for (let i = 0; i <= NON_AUDIO_MESSAGES_PER_SECOND_MAX; i += 1) call.json({ type: "weather" });
    expect(call.socket.ended).toEqual({ code: 1_008, reason: "protocol_error" });
  });

  test("M5: a flood of messages ends the call, whatever they are", () => {
    for (const [flood, reason] of [
      [(call: ReturnType<typeof websocketLeg>) => call.json({ type: "weather" }), "protocol_error"],
      [(call: ReturnType<typeof websocketLeg>) => call.audio(Buffer.alloc(2)), "protocol_error"],
      [(call: ReturnType<typeof websocketLeg>) => call.type("x".repeat(16_384)), "message_flood"],
    ] as const) {
      const call = websocketLeg(QUIET);
      for (let i = 0; i < MESSAGES_PER_SECOND_MAX + 100; i += 1) flood(call);
      expect(call.socket.ended).toEqual({ code: 1_008, reason });
      expect(call.logged.join()).not.toContain("journal failed");
    }
  });
});

describe("C11: audio that is not of the negotiated codec", () => {
  const garbage = (seed: number, length: number): Buffer =>
    Buffer.from(Uint8Array.from({ length }, (_, i) => Math.imul(seed * 977 + i + 1, 0x9e37_79b1) >>> 24));

  test.each(["pcm_s16le", "mulaw", "alaw"] as const)("is noise to %s, and crashes nothing", async (codec) => {
    const call = websocketLeg({ ...QUIET, format: { codec, inputRateHz: 8_000, outputRateHz: 8_000 } });
    for (let seed = 0; seed < 500; seed += 1) {
      await call.clock.play(20);
      call.audio(garbage(seed, codec === "pcm_s16le" ? 320 : 160));
    }
    expect(call.hangUp()).toMatchObject({ framesIn: 500, malformed: 0, reason: "caller_hangup" });
  });

  test("M6: is counted by Opus and answered with error, the call continues, and too much of it ends the call", async () => {
    const call = websocketLeg({ ...QUIET, format: { codec: "opus", inputRateHz: 48_000, outputRateHz: 48_000 } });
    // A packet of three frames of 60 ms, one without frames, one that is too large, and half a frame.
    const wrong = [Buffer.of(0x1b, 0x03), Buffer.of(0x03, 0x00), garbage(1, 7_665), Buffer.of(0xf9, 0x00)];
    for (let i = 0; i < 48; i += 1) call.audio(wrong[i % 4] as Buffer);
    expect(call.received("error")).toHaveLength(48);
    const { malformed, opusRefused } = call.connection.read().counts;
    expect({ malformed, opusRefused }).toEqual({
      malformed: 48,
      opusRefused: { too_long: 12, no_frames: 12, too_large: 12, corrupted: 12 },
    });
    expect(call.socket.ended).toBeUndefined();
    await call.clock.play(1_000);
    for (let seed = 0; seed < 40; seed += 1) {
      await call.clock.play(120);
      call.audio(garbage(seed, 1 + seed * 7));
    }
    expect(call.socket.ended).toBeUndefined();
    await call.clock.play(1_000);
    for (let i = 0; i < 51; i += 1) call.audio(wrong[i % 4] as Buffer);
    expect(call.socket.ended).toEqual({ code: 1_008, reason: "protocol_error" });
  });
});

describe("M4: audio faster than real time", () => {
  test.each([
    ["pcm_s16le", 48_000, 96_000],
    ["pcm_s16le", 8_000, 16_000],
    ["alaw", 8_000, 8_000],
  ] as const)("two seconds ahead are accepted by %s at %i Hz, more are a flood", async (codec, rateHz, secondBytes) => {
    const call = websocketLeg({ ...QUIET, format: { codec, inputRateHz: rateHz, outputRateHz: rateHz } });
    const second = Buffer.alloc(secondBytes);
    call.audio(second);
    call.audio(second);
    await call.clock.play(1_000);
    call.audio(second);
    expect(call.socket.ended).toBeUndefined();
    call.audio(second);
    expect(call.socket.messages.at(-1)).toEqual({ type: "ended", reason: "audio_flood" });
    expect(call.socket.ended).toEqual({ code: 1_008, reason: "audio_flood" });
  });

  test("a hundred times real time ends within the first messages, and no more of it is used than may be ahead", () => {
    const call = websocketLeg(QUIET);
    let sent = 0;
    for (; call.socket.ended === undefined && sent < 3_000; sent += 1) {
      call.clock.advance(0.2);
      call.audio(Buffer.alloc(640));
    }
    expect(sent).toBeLessThanOrEqual(105);
    expect(call.ends()[0]).toMatchObject({ reason: "audio_flood", framesIn: sent });
  });

  test("a tenth faster than real time is detected, too, after twenty seconds", async () => {
    const call = websocketLeg(QUIET);
    let atMs = 0;
    for (; call.socket.ended === undefined && atMs < 60_000; atMs += 18) {
      await call.clock.play(18);
      call.audio(Buffer.alloc(640));
    }
    expect(call.socket.ended).toEqual({ code: 1_008, reason: "audio_flood" });
    expect(atMs).toBeGreaterThan(15_000);
    expect(atMs).toBeLessThan(25_000);
  });
});
