import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { STREAM_CODECS, STREAM_RATES_HZ, type StreamCodec, type StreamRateHz } from "../../../src/core/calls/spec.ts";
import { mediaMs } from "../../../src/core/clocks.ts";
import { TURN_TEXT_CHARS_MAX } from "../../../src/core/limits/calls/calls.ts";
import { FRAME_MS, OPUS_FRAME_BYTES_MAX, OPUS_PACKET_BYTES_MAX } from "../../../src/core/limits/streams/media.ts";
import { pcmBytes } from "../../../src/media/frame-codec.ts";
import { createWebsocketWire } from "../../../src/wire/websocket/wire.ts";
import type { ClientMessage, Wire } from "../../../src/wire/wire.ts";
import { costs, decode, refused, wireContract } from "../../contract/wire/wire.ts";
import { inboundAudio } from "../../support/audio/inbound-audio.ts";
import { opus } from "../../support/audio/opus-codecs.ts";
import { samplesOf } from "../../support/audio/samples.ts";
import { Prober } from "../../support/wires/hostile-messages.ts";
import { CALL_ID, FORMATS, websocket, websocketsUnderTest } from "../../support/wires/websockets.ts";

const malformed = refused("wire_malformed");
const tooLarge = refused("wire_too_large");
const ODD_TEXT = "caf\u00e9 \u200f\u05e9\u05dc\u05d5\u05dd \ud800 \u0000 \u{1F600}";

/** The events of the messages in the fixture of a codec, with the number of samples in its binary messages. */
const golden = (counts: readonly number[]): unknown[] => {
  const audio = counts.map((count) => `audio NaN: ${count} at NaN`);
  return [
    ...audio.slice(0, 2),
    { kind: "dtmf", digit: "5", occurredAtMs: Number.NaN },
    audio[2],
    { kind: "dtmf", digit: "#", occurredAtMs: Number.NaN },
    ...audio.slice(3, 5),
    { kind: "mark", name: "1.0" },
    { kind: "text", text: "What time do you open?" },
    ...audio.slice(5, 7),
    { kind: "cleared", playedMs: 1_240 },
    audio[7],
    { kind: "ignored", what: "unknown_event" },
    { kind: "tool-result", id: "tool_1", result: '{"open":["09:00","17:30"]}', failed: false },
    audio[8],
    { kind: "text", text: ODD_TEXT },
    { kind: "cleared", playedMs: Number.NaN },
    audio[9],
    { kind: "tool-result", id: "tool_2", result: "no such day", failed: true },
    audio[10],
    { kind: "mark", name: "2.0" },
    audio[11],
    { kind: "stop" },
  ];
};

const G711_COUNTS = [160, 160, 160, 80, 161, 1, 159, 320, 3, 157, 160, 160];
const COUNTS: Readonly<Record<StreamCodec, readonly number[]>> = {
  // Of 641 bytes, 1, 638, 1,280, 3 and 639 in the middle: a half is carried over twice.
  pcm_s16le: [320, 320, 320, 160, 320, 1, 319, 640, 1, 320, 320, 320],
  mulaw: G711_COUNTS,
  alaw: G711_COUNTS,
  opus: Array.from({ length: 12 }, () => 320),
};

for (const subject of websocketsUnderTest()) {
  const codec = STREAM_CODECS.find((name) => subject.name.endsWith(name)) as StreamCodec;
  wireContract(subject, golden(COUNTS[codec]));
}

const into = inboundAudio();

function wireOf(codec: StreamCodec, inputRateHz: StreamRateHz = 8_000, outputRateHz: StreamRateHz = 8_000): Wire {
  return createWebsocketWire({ format: { codec, inputRateHz, outputRateHz }, callId: CALL_ID, opus });
}

/** The samples that a wire makes of binary messages in a row. */
function heard(wire: Wire, messages: readonly Uint8Array[]): Int16Array {
  const samples: number[] = [];
  for (const message of messages) {
    if (wire.decode(message, into, true).kind !== "audio") throw new Error("a binary message that is no audio");
    samples.push(...into.samples.subarray(0, into.count));
  }
  return Int16Array.from(samples);
}

const pairsOfRates = STREAM_RATES_HZ.flatMap((input) => STREAM_RATES_HZ.map((output) => [input, output] as const));

describe("websocket: the formats", () => {
  test.each(pairsOfRates)("M9: PCM is received at %d Hz and sent at %d Hz", (inputRateHz, outputRateHz) => {
    const wire = wireOf("pcm_s16le", inputRateHz, outputRateHz);
    expect(wire).toMatchObject({ inboundRateHz: inputRateHz, outboundRateHz: outputRateHz });
    expect(wire).toMatchObject({
      outboundCodec: "pcm_s16le",
      binaryAudio: true,
      jitterBuffer: undefined,
      hasWallClockTimestamps: false,
    });
    const frame = Int16Array.from({ length: (outputRateHz * FRAME_MS) / 1_000 }, (_, i) => 50 * i - 20_000);
    expect(samplesOf("pcm_s16le", wire.encodeAudio(pcmBytes(frame)))).toEqual(frame);
  });

  test.each([
    "mulaw",
    "alaw",
    "pcm_s16le",
  ] as const)("the stream starts with the socket, and is recorded in %s", (codec) => {
    const implicitStart = { kind: "start", streamId: CALL_ID, carrierCallId: undefined, codec };
    expect(wireOf(codec)).toMatchObject({ implicitStart, outboundCodec: codec });
  });

  test("M9: a format that no call can have fails an assertion", () => {
    for (const rateHz of [0, -8_000, 7_999, 8_000.5, 44_100, 192_000, Number.NaN, "8000"] as StreamRateHz[]) {
      expect(() => wireOf("pcm_s16le", rateHz, 8_000)).toThrow("no stream has");
      expect(() => wireOf("pcm_s16le", 8_000, rateHz)).toThrow("no stream has");
    }
    for (const codec of ["mulaw", "alaw"] as const) {
      expect(() => wireOf(codec, 16_000, 8_000)).toThrow("G.711 is at 8,000 Hz");
      expect(() => wireOf(codec, 8_000, 16_000)).toThrow("G.711 is at 8,000 Hz");
    }
  });
});

describe("websocket: inbound audio", () => {
  const pcm = Uint8Array.from({ length: 1_000 }, (_, i) => (i * 37 + (i >> 8)) & 255);

  test("M2: a stream of PCM is the same to the bit, with any split and any memory offset of its messages", () => {
    const expected = samplesOf("pcm_s16le", pcm);
    const splits = fc.array(fc.nat(pcm.length), { maxLength: 40 });
    fc.assert(
      fc.property(splits, fc.nat(7), (positions, offset) => {
        const at = [0, ...positions.sort((a, b) => a - b), pcm.length];
        const chunks = at.slice(1).map((end, i) => pcm.subarray(at[i], end));
        const messages = chunks.filter(({ length }) => length > 0).map((chunk) => moved(chunk, offset));
        const samples = heard(wireOf("pcm_s16le"), messages);
        expect(Buffer.compare(pcmBytes(samples), pcmBytes(expected))).toBe(0);
      }),
      { numRuns: 300 },
    );
  });

  test("M2: byte by byte it is the same too, and half a sample gives no sample", () => {
    const wire = wireOf("pcm_s16le");
    expect(heard(wire, [pcm.subarray(0, 1)])).toHaveLength(0);
    expect(heard(wire, [pcm.subarray(1, 2)])).toEqual(samplesOf("pcm_s16le", pcm.subarray(0, 2)));
    const bytes = Array.from(pcm, (_, i) => pcm.subarray(i, i + 1));
    expect(heard(wireOf("pcm_s16le"), bytes)).toEqual(samplesOf("pcm_s16le", pcm));
  });

  test("M2: half a sample is retained across texts, refused messages and a change of the output buffer", () => {
    const wire = wireOf("pcm_s16le");
    heard(wire, [Uint8Array.of(0x34)]);
    expect(decode(wire, { type: "mark", name: "a" })).toEqual({ kind: "mark", name: "a" });
    expect(() => decode(wire, "{}")).toThrow(malformed);
    expect(() => wire.decode(new Uint8Array(), into, true)).toThrow(malformed);
    expect(() => wire.decode(new Uint8Array(100_000), into, true)).toThrow(tooLarge);
    const elsewhere = inboundAudio();
    expect(wire.decode(Uint8Array.of(0x12, 0x78), elsewhere, true)).toEqual({ kind: "audio" });
    expect([elsewhere.count, elsewhere.samples[0]]).toEqual([1, 0x1234]);
    expect(heard(wire, [Uint8Array.of(0x56)])).toEqual(Int16Array.of(0x5678));
  });

  test("M2: half a sample of one leg does not reach another leg with the same output buffer", () => {
    const [one, other] = [wireOf("pcm_s16le"), wireOf("pcm_s16le")];
    heard(one, [Uint8Array.of(0x34)]);
    heard(other, [Uint8Array.of(0x01, 0x02, 0x03)]);
    expect(heard(one, [Uint8Array.of(0x12)])).toEqual(Int16Array.of(0x1234));
    expect(heard(other, [Uint8Array.of(0x04)])).toEqual(Int16Array.of(0x0403));
  });

  test.each(["mulaw", "alaw"] as const)("every code of %s is decoded unchanged, and as its sample", (codec) => {
    const codes = Uint8Array.from({ length: 256 }, (_, i) => i);
    expect(heard(wireOf(codec), [moved(codes, 3)])).toEqual(samplesOf(codec, codes));
    expect(into.bytes.slice(0, 256)).toEqual(codes);
  });

  test.each([
    ...STREAM_RATES_HZ.map((rateHz) => ["pcm_s16le", rateHz, 2 * rateHz] as const),
    ["mulaw", 8_000, 8_000] as const,
    ["alaw", 8_000, 8_000] as const,
  ])("M3: of %s at %d Hz a message of %d bytes is read, and a longer one is too large", (codec, rateHz, bytes) => {
    const wire = wireOf(codec, rateHz);
    expect(heard(wire, [new Uint8Array(bytes)])).toHaveLength(rateHz);
    for (const length of [bytes + 1, bytes + 2, 57_600_000]) {
      expect(() => wire.decode(new Uint8Array(length), into, true)).toThrow(tooLarge);
    }
  });

  test("M3: after half a sample there is still room for a second of PCM", () => {
    const wire = wireOf("pcm_s16le", 48_000);
    heard(wire, [Uint8Array.of(1)]);
    expect(heard(wire, [new Uint8Array(96_000).fill(2)])).toHaveLength(48_000);
    expect(heard(wire, [Uint8Array.of(3)])).toEqual(Int16Array.of(0x0302));
  });

  test("audio has neither a time nor a sequence number", () => {
    into.timestampMs = mediaMs(20);
    into.chunk = 1;
    heard(wireOf("mulaw"), [Uint8Array.of(1)]);
    expect([into.timestampMs, into.chunk]).toEqual([Number.NaN, Number.NaN]);
  });

  test("an output buffer that is too small for the longest message fails an assertion", () => {
    const message = Uint8Array.of(1, 2);
    for (const codec of ["pcm_s16le", "mulaw"] as const) {
      expect(() => wireOf(codec).decode(message, inboundAudio(7_999), true)).toThrow("no room for the longest message");
    }
    expect(() => wireOf("pcm_s16le").decode(message, inboundAudio(8_000), true)).toThrow("and half a sample");
  });

  test.each(
    websocketsUnderTest().map((subject) => [subject.name, subject] as const),
  )("M1: %s: a binary message without audio is malformed, and a text of audio is no JSON object", (_, subject) => {
    expect(() => subject.make().decode(new Uint8Array(), into, true)).toThrow(malformed);
    const audio = subject.messages.find(({ isBinary }) => isBinary)?.bytes as Uint8Array;
    expect(() => subject.make().decode(audio, into)).toThrow(refused("wire_wrong_data"));
  });
});

/** The same bytes at another place of a larger memory, with other bytes around them. */
function moved(bytes: Uint8Array, offset: number): Uint8Array {
  const memory = new Uint8Array(bytes.length + 16).fill(0xaa);
  memory.set(bytes, offset);
  return memory.subarray(offset, offset + bytes.length);
}

describe("websocket: Opus", () => {
  test.each(STREAM_RATES_HZ)("audio of a client of %d Hz is decoded at a rate of the bus", (rateHz) => {
    const wire = wireOf("opus", rateHz, 48_000);
    const busRateHz = rateHz === 8_000 ? 8_000 : 16_000;
    expect(wire).toMatchObject({ inboundRateHz: busRateHz, outboundRateHz: 48_000, outboundCodec: "pcm_s16le" });
    expect(wire.implicitStart).toMatchObject({ codec: "pcm_s16le" });
    const packet = opus.encoder(rateHz).encode(new Int16Array((rateHz * FRAME_MS) / 1_000));
    expect(heard(wire, [packet])).toHaveLength((busRateHz * FRAME_MS) / 1_000);
  });

  test.each(STREAM_RATES_HZ)("a frame of %d Hz is one packet", (rateHz) => {
    const wire = wireOf("opus", 8_000, rateHz);
    const frame = Int16Array.from({ length: (rateHz * FRAME_MS) / 1_000 }, (_, i) => 9_000 * Math.sin(i / 9));
    // At an odd address, as a frame of a ring may be.
    const borrowed = new Uint8Array(frame.byteLength + 1).subarray(1);
    borrowed.set(pcmBytes(frame));
    const packet = Uint8Array.from(wire.encodeAudio(borrowed));
    expect(packet.length).toBeLessThanOrEqual(1 + OPUS_FRAME_BYTES_MAX);
    expect(packet).toEqual(Uint8Array.from(opus.encoder(rateHz).encode(frame)));
  });

  test("M1: an invalid packet of any length is malformed, and the stream continues", () => {
    const wire = wireOf("opus", 48_000);
    for (const bad of [Uint8Array.of(0xff), new Uint8Array(OPUS_PACKET_BYTES_MAX + 1), new Uint8Array(200_000)]) {
      expect(() => wire.decode(bad, into, true)).toThrow(malformed);
    }
    expect(heard(wire, [opus.encoder(48_000).encode(new Int16Array(960))])).toHaveLength(320);
  });
});

describe("websocket: received texts", () => {
  const wire = wireOf("pcm_s16le");

  test.each([
    "x",
    ODD_TEXT,
    "\ufeffa\u202e\u200f\u0007",
    "\u0000",
    " a\n",
    "x".repeat(TURN_TEXT_CHARS_MAX),
  ])("B13: the typed text %j is returned unchanged, escaped or not", (text) => {
    expect(decode(wire, { type: "text", text })).toEqual({ kind: "text", text });
    const escaped = text.replaceAll(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
    if (escaped.length < 60_000) {
      expect(decode(wire, `{"type":"text","text":"${escaped}"}`)).toEqual({ kind: "text", text });
    }
  });

  test.each([
    "",
    " ",
    "\n\t \u00a0\u3000",
    "x".repeat(TURN_TEXT_CHARS_MAX + 1),
    7,
    null,
    ["a"],
    {},
  ])("a typed text of %j is malformed", (text) => {
    expect(() => decode(wire, { type: "text", text })).toThrow(malformed);
    expect(() => decode(wire, { type: "text", text })).toThrow("text must be a string of 1 to 16384 characters");
  });

  test.each([
    [undefined, Number.NaN],
    [null, Number.NaN],
    [0, 0],
    [1_240, 1_240],
    [12.5, 12.5],
    ["1240", 1_240],
  ])("a clear may have been carried out after %j ms", (playedMs, expected) => {
    expect(decode(wire, { type: "cleared", playedMs })).toEqual({ kind: "cleared", playedMs: expected });
  });

  test.each([-1, "soon", "", {}, [1], true])("a clear that was done after %j ms is malformed", (playedMs) => {
    expect(() => decode(wire, { type: "cleared", playedMs })).toThrow(malformed);
  });

  test.each([
    ["a text", "a text"],
    [{ a: [1, null] }, '{"a":[1,null]}'],
    [17, "17"],
    [false, "false"],
    [undefined, "null"],
    [null, "null"],
  ])("the tool result %j reaches the LLM as %s", (value, result) => {
    const expected = { kind: "tool-result", id: "3.1", result, failed: false };
    expect(decode(wire, { type: "toolResult", id: "3.1", result: value })).toEqual(expected);
  });

  test.each([
    ["an id that is missing", { result: 1 }, "id must be a string"],
    ["an id that is a number", { id: 3, result: 1 }, "id must be a string"],
    ["an id without end", { id: "x".repeat(257), result: 1 }, "id must be a string"],
    ["33 levels", { id: "3.1", result: JSON.parse(`${"[".repeat(33)}${"]".repeat(33)}`) }, "at most 32 levels"],
    ["an error that is no text", { id: "3.1", error: { a: 1 } }, "error must be a string"],
  ])("a tool's result with %s is malformed", (_what, fields, why) => {
    expect(() => decode(wire, { type: "toolResult", ...fields })).toThrow(why);
  });

  test.each(["message", "ready", "clear", "End", "text "])("the type %j is nothing that we know", (type) => {
    expect(decode(wire, { type })).toEqual({ kind: "ignored", what: "unknown_event" });
  });

  const room = 60_000;
  const nested = `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`;
  costs(new Prober(websocket("pcm_s16le")), [
    ["a long typed text", JSON.stringify({ type: "text", text: "x".repeat(room) })],
    ["a typed text of nothing but blanks", JSON.stringify({ type: "text", text: " ".repeat(room) })],
    ["a result that is nested deeply", `{"type":"toolResult","id":"3.1","result":${nested}}`],
    ["an endless number", `{"type":"cleared","playedMs":${"9".repeat(room)}}`],
  ]);
});

describe("websocket: what we say", () => {
  const notices: readonly (readonly [ClientMessage, string])[] = [
    [{ kind: "state", state: "thinking" }, '{"type":"state","state":"thinking"}'],
    [
      { kind: "state", state: "speaking", latency: { endOfTurnMs: 500, firstAudioMs: 600, firstFrameMs: 610 } },
      '{"type":"state","state":"speaking","latency":{"endOfTurnMs":500,"firstAudioMs":600,"firstFrameMs":610}}',
    ],
    [
      { kind: "transcript", role: "agent", text: ODD_TEXT, final: false, turnId: 3 },
      `{"type":"transcript","role":"agent","text":${JSON.stringify(ODD_TEXT)},"final":false,"turnId":3}`,
    ],
    [
      { kind: "error", code: "unknown_type", message: 'no "x"' },
      '{"type":"error","code":"unknown_type","message":"no \\"x\\""}',
    ],
    [
      { kind: "tool-call", id: "3.1", name: "show", arguments: { page: 2 } },
      '{"type":"toolCall","id":"3.1","name":"show","arguments":{"page":2}}',
    ],
    [{ kind: "ended", reason: "agent_hangup" }, '{"type":"ended","reason":"agent_hangup"}'],
  ];

  test.each(notices)("%j is this, and nothing more", (notice, text) => {
    const said = wireOf("pcm_s16le").encodeClientMessage?.(notice);
    expect(said).toBe(text);
    expect(JSON.parse(Buffer.from(text).toString())).toEqual(JSON.parse(text));
  });

  test.each(
    websocketsUnderTest().map((subject) => [subject.name, subject] as const),
  )("%s: a leg that is ready reports what was negotiated", (name, subject) => {
    const { codec, inputRateHz, outputRateHz } = FORMATS[name.slice("websocket with ".length) as StreamCodec];
    expect(subject.make().encodeClientMessage?.({ kind: "ready", callId: CALL_ID })).toBe(
      `{"type":"ready","callId":"${CALL_ID}","input":{"codec":"${codec}","sampleRate":${inputRateHz}},` +
        `"output":{"codec":"${codec}","sampleRate":${outputRateHz}}}`,
    );
  });
});
