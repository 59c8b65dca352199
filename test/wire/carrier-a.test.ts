import alawmulaw from "alawmulaw";
import { describe, expect, test } from "vitest";
import { CARRIER_MESSAGE_BYTES_MAX, STREAM_ID_CHARS_MAX } from "../../src/core/limits.ts";
import { createCarrierA } from "../../src/wire/carrier-a.ts";
import type { Wire } from "../../src/wire/wire.ts";
import { inboundAudio } from "../support/inbound-audio.ts";
import { fixtureLines } from "../support/mutate.ts";

const LINES = fixtureLines("wire/carrier_a.jsonl");
const STREAM_ID = "MZ18ad3ab5a668481ce02b83e7395059f0";
const CALL_ID = "CA9c1e5f0d3a7b4862a1c0e4d2f6b81937";

const into = inboundAudio();

const decode = (wire: Wire, message: unknown) =>
  wire.decode(Buffer.from(typeof message === "string" ? message : JSON.stringify(message)), into);

const malformed = expect.objectContaining({ name: "TrunklineError", code: "wire_malformed", fault: "peer" });

function startMessage(
  streamSid: string,
  mediaFormat: unknown = { encoding: "audio/x-mulaw", sampleRate: 8_000, channels: 1 },
) {
  return { event: "start", sequenceNumber: "1", streamSid, start: { streamSid, callSid: CALL_ID, mediaFormat } };
}

function started(streamSid = STREAM_ID): Wire {
  const wire = createCarrierA();
  decode(wire, startMessage(streamSid));
  return wire;
}

const mediaMessage = (media: object, streamSid: unknown = STREAM_ID) => ({
  event: "media",
  sequenceNumber: "2",
  media: { track: "inbound", chunk: "1", timestamp: "20", payload: "f39/", ...media },
  streamSid,
});

describe("carrier_a, inbound", () => {
  test("C12: the messages of a whole stream become these events", () => {
    const wire = createCarrierA();
    const told = LINES.map((line) => {
      const event = decode(wire, line);
      return event.kind === "audio" ? `audio ${into.count} at ${into.timestampMs}` : event;
    });
    expect(told).toEqual([
      { kind: "ignored", what: "greeting" },
      { kind: "start", streamId: STREAM_ID, carrierCallId: CALL_ID },
      "audio 160 at 102",
      "audio 160 at 122",
      "audio 160 at 142",
      "audio 160 at 161",
      "audio 160 at 182",
      "audio 160 at 202",
      { kind: "dtmf", digit: "1" },
      { kind: "dtmf", digit: "#" },
      "audio 160 at 222",
      "audio 160 at 742",
      { kind: "mark", name: "1.0" },
      { kind: "ignored", what: "outbound_track" },
      "audio 320 at 762",
      "audio 161 at 802",
      "audio 162 at 822",
      { kind: "mark", name: "2.0" },
      { kind: "stop" },
    ]);
  });

  test("audio arrives as the carrier's bytes and as their samples", () => {
    const wire = started();
    for (const line of LINES.filter((text) => text.includes('"inbound","chunk"'))) {
      decode(wire, line);
      const bytes = new Uint8Array(Buffer.from(JSON.parse(line).media.payload, "base64"));
      expect(into.bytes.slice(0, into.count)).toEqual(bytes);
      expect(into.samples.slice(0, into.count)).toEqual(alawmulaw.mulaw.decode(bytes));
    }
  });

  test("audio that comes before the start is told all the same: who must not take it knows", () => {
    expect(decode(createCarrierA(), mediaMessage({}))).toEqual({ kind: "audio" });
  });

  test.each([
    ["20", 20],
    [20, 20],
    ["0", 0],
    ["007", 7],
    [20.5, 20.5],
    ["999999999999999", 999_999_999_999_999],
    ["1000000000000000", Number.NaN],
    ["", Number.NaN],
    [" 20", Number.NaN],
    ["1e3", Number.NaN],
    ["-20", Number.NaN],
    [-20, Number.NaN],
    ["NaN", Number.NaN],
    [null, Number.NaN],
    [undefined, Number.NaN],
    [{}, Number.NaN],
    [[20], Number.NaN],
  ])("the timestamp %j is read as %d", (timestamp, timestampMs) => {
    expect(decode(started(), mediaMessage({ timestamp }))).toEqual({ kind: "audio" });
    expect(into.timestampMs).toBe(timestampMs);
  });

  test("a timestamp beyond every number is none", () => {
    decode(started(), JSON.stringify(mediaMessage({ timestamp: 0 })).replace('"timestamp":0', '"timestamp":1e999'));
    expect(into.timestampMs).toBeNaN();
  });

  test.each([
    ["empty", ""],
    ["another alphabet", "!!!!"],
    ["a length of 4n+1", "f39/f"],
    ["no padding", "f38"],
    ["too little padding", "fw="],
    ["too much padding", "fw==="],
    ["padding alone", "===="],
    ["padding inside", "fw==f39/"],
    ["a single padding inside", "f3=/"],
    ["the URL-safe alphabet", "f3-_"],
    ["white space", "f39/ f39/"],
    ["a newline", "f39/\nf39/"],
    ["a trailing newline", "f39/\n"],
    ["bits that no byte claims", "fx=="],
    ["bits that no byte claims, of two bytes", "f3+="],
    ["a character beyond Latin-1 that ends like a good one", "f39\u0141"],
    ["a number", 7],
    ["nothing", null],
    ["an object", {}],
  ])("M1: a payload with %s is malformed", (_, payload) => {
    expect(() => decode(started(), mediaMessage({ payload }))).toThrow(malformed);
  });

  test("M3: the longest message is decoded, a longer one is malformed, whatever it says", () => {
    const message = (payload: string): string => JSON.stringify(mediaMessage({ payload }));
    const chars = Math.floor((CARRIER_MESSAGE_BYTES_MAX - message("").length) / 4) * 4;
    const longest = message("A".repeat(chars));
    expect(decode(started(), longest)).toEqual({ kind: "audio" });
    expect(into.count).toBe((chars / 4) * 3);
    expect(() => decode(started(), message("A".repeat(chars + 4)))).toThrow(malformed);
    expect(() => decode(started(), " ".repeat(CARRIER_MESSAGE_BYTES_MAX) + LINES[1])).toThrow(malformed);
  });

  test("audio that does not fit where it should go is malformed, and what fits just so is not", () => {
    const wire = started();
    for (const [payload, bytes] of [
      ["f39/f39/", 6],
      ["f39/f38=", 5],
      ["f39/fw==", 4],
    ] as const) {
      const message = Buffer.from(JSON.stringify(mediaMessage({ payload })));
      const exact = inboundAudio(bytes);
      expect(wire.decode(message, exact)).toEqual({ kind: "audio" });
      expect([...exact.bytes]).toEqual([0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f].slice(0, bytes));
      expect(() => wire.decode(message, inboundAudio(bytes - 1))).toThrow(malformed);
    }
  });

  test("only the outbound track is ignored; a track that does not exist is malformed", () => {
    const wire = started();
    expect(decode(wire, mediaMessage({ track: "outbound" }))).toEqual({ kind: "ignored", what: "outbound_track" });
    expect(decode(wire, mediaMessage({ track: undefined }))).toEqual({ kind: "audio" });
    expect(() => decode(wire, mediaMessage({ track: "both" }))).toThrow(malformed);
  });

  test.each(["0", "9", "*", "#", "A", "D"])("C9: the key %s is told", (digit) => {
    expect(decode(started(), { event: "dtmf", dtmf: { digit } })).toEqual({ kind: "dtmf", digit });
  });

  test.each([
    "",
    "E",
    "a",
    "11",
    "1\n",
    "1; DROP",
    "x".repeat(100),
    1,
    null,
    ["1"],
    {},
  ])("C9: the key %j is ignored", (digit) => {
    expect(decode(started(), { event: "dtmf", dtmf: { digit } })).toEqual({ kind: "ignored", what: "bad_digit" });
  });

  test.each([
    "Media",
    "MEDIA",
    "media ",
    "",
    "clear",
    "toString",
    "__proto__",
  ])("C10: the event %j is ignored", (event) => {
    expect(decode(started(), { event, media: {} })).toEqual({ kind: "ignored", what: "unknown_event" });
  });

  test.each([
    "",
    "nonsense",
    "null",
    "7",
    '"media"',
    "[]",
    '[{"event":"stop"}]',
    "{}",
    '{"event":null}',
    '{"event":["stop"]}',
    '{"event":{"toString":"stop"}}',
    '{"event":"stop"} x',
    '{"event":"stop"',
    '\ufeff{"event":"stop"}',
    '{"__proto__":{"event":"stop"}}',
    '{"event":"media"}',
    '{"event":"media","media":"f39/"}',
    '{"event":"media","__proto__":{"media":{"payload":"f39/"}}}',
    '{"event":"mark","mark":{}}',
    '{"event":"mark","mark":{"name":7}}',
    '{"event":"dtmf"}',
    '{"event":"start"}',
  ])("C10: %s is malformed", (text) => {
    expect(() => decode(started(), text)).toThrow(malformed);
  });

  test("C10: of a member that comes twice the last one counts", () => {
    const wire = started();
    expect(decode(wire, '{"event":"stop","event":"mark","mark":{"name":"a"},"mark":{"name":"b"}}')).toEqual({
      kind: "mark",
      name: "b",
    });
    const twice = JSON.stringify(mediaMessage({})).replace('"payload"', '"payload":"AAAA","payload"');
    decode(wire, twice);
    expect(into.bytes[0]).toBe(0x7f);
  });

  test("C10: a parsed prototype changes no object", () => {
    decode(started(), '{"event":"stop","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test("C10: what somebody else has put into every object is no part of a message", () => {
    const wire = started();
    Object.defineProperty(Object.prototype, "event", { value: "stop", configurable: true });
    try {
      expect(() => decode(wire, "{}")).toThrow(malformed);
    } finally {
      Reflect.deleteProperty(Object.prototype, "event");
    }
  });

  test("bytes that are not UTF-8 are malformed where they matter and never throw anything else", () => {
    expect(() => started().decode(Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), into)).toThrow(malformed);
    expect(() =>
      started().decode(Buffer.from(JSON.stringify(mediaMessage({ payload: "f39\xff" })), "latin1"), into),
    ).toThrow(malformed);
  });
});

describe("carrier_a, the stream", () => {
  test.each([
    { encoding: "audio/x-alaw", sampleRate: 8_000, channels: 1 },
    { encoding: "audio/x-mulaw", sampleRate: 16_000, channels: 1 },
    { encoding: "audio/x-mulaw", sampleRate: 8_000, channels: 2 },
    { encoding: "audio/x-mulaw", sampleRate: "8e3", channels: 1 },
    { encoding: "AUDIO/X-MULAW", sampleRate: 8_000, channels: 1 },
    { encoding: "audio/x-mulaw", sampleRate: 8_000 },
    {},
    null,
    "audio/x-mulaw",
  ])("C11: a start with the format %j is malformed, and starts nothing", (mediaFormat) => {
    const wire = createCarrierA();
    expect(() => decode(wire, startMessage(STREAM_ID, mediaFormat))).toThrow(malformed);
    expect(() => wire.encodeClear()).toThrow("no clear before start");
  });

  test("numbers of a start may be written as text", () => {
    const format = { encoding: "audio/x-mulaw", sampleRate: "8000", channels: "1" };
    expect(decode(createCarrierA(), startMessage(STREAM_ID, format))).toMatchObject({ kind: "start" });
  });

  test("the stream's id may stand in `start` alone, but not contradict itself", () => {
    const message = startMessage(STREAM_ID);
    expect(decode(createCarrierA(), { ...message, streamSid: undefined })).toMatchObject({ streamId: STREAM_ID });
    expect(() => decode(createCarrierA(), { ...message, streamSid: "MZother" })).toThrow(malformed);
  });

  test("C2: a second start is told as it stands, and the wire stays with its stream", () => {
    const wire = started();
    expect(decode(wire, startMessage(STREAM_ID))).toMatchObject({ kind: "start", streamId: STREAM_ID });
    expect(decode(wire, startMessage("MZother"))).toMatchObject({ kind: "start", streamId: "MZother" });
    expect(JSON.parse(wire.encodeClear()).streamSid).toBe(STREAM_ID);
    expect(decode(wire, mediaMessage({}))).toEqual({ kind: "audio" });
  });

  test.each([
    mediaMessage({}, "MZother"),
    mediaMessage({}, 7),
    mediaMessage({}, `${STREAM_ID} `),
    { event: "mark", streamSid: "MZother", mark: { name: "1.0" } },
    { event: "dtmf", streamSid: "MZother", dtmf: { digit: "1" } },
    { event: "stop", streamSid: "MZother" },
  ])("C8: a message of another stream is malformed: %j", (message) => {
    expect(() => decode(started(), message)).toThrow(malformed);
  });

  test("a message that names no stream is ours", () => {
    expect(decode(started(), mediaMessage({}, undefined))).toEqual({ kind: "audio" });
    expect(decode(started(), { event: "stop" })).toEqual({ kind: "stop" });
  });

  test.each([
    ["10 KB", "M".repeat(10_240)],
    ["one character more than allowed", "M".repeat(STREAM_ID_CHARS_MAX + 1)],
    ["none", ""],
  ])("C8: ids of %s characters are malformed", (_, id) => {
    expect(() => decode(createCarrierA(), startMessage(id))).toThrow(malformed);
    const message = startMessage(STREAM_ID);
    expect(() => decode(createCarrierA(), { ...message, start: { ...message.start, callSid: id } })).toThrow(malformed);
    expect(() => decode(started(), { event: "mark", mark: { name: id } })).toThrow(malformed);
  });

  test.each([
    "../../etc",
    'a"b',
    "a\\b",
    "a\nb",
    "nul\u0000",
    "\u{1F600}",
    "\ud800",
    "\ufffd",
    "x",
    "M".repeat(STREAM_ID_CHARS_MAX),
    "'; DROP TABLE calls; --",
  ])("C8: the id %j is data: it is told, sent and compared as it is", (id) => {
    const wire = createCarrierA();
    expect(decode(wire, startMessage(id))).toMatchObject({ streamId: id });
    expect(decode(wire, mediaMessage({}, id))).toEqual({ kind: "audio" });
    expect(() => decode(wire, mediaMessage({}, `${id}x`))).toThrow(malformed);
    const audio = wire.encodeAudio(new Int16Array(160), new Uint8Array(160));
    for (const message of [Buffer.from(audio).toString(), wire.encodeMark("m"), wire.encodeClear()]) {
      expect(JSON.parse(message).streamSid).toBe(id);
    }
  });
});

describe("carrier_a, outbound", () => {
  const samples = Int16Array.from({ length: 160 }, (_, i) => Math.round(30_000 * Math.sin(i / 3)));

  test("audio is the message the carrier asks for, with nothing in it that it does not know", () => {
    const bytes = new Uint8Array(160);
    const message = Buffer.from(started().encodeAudio(samples, bytes)).toString();
    const expected = Buffer.from(bytes).toString("base64");
    expect(message).toBe(`{"event":"media","streamSid":"${STREAM_ID}","media":{"payload":"${expected}"}}`);
    expect(expected).toHaveLength(216);
  });

  test("`bytes` receives the same frame in the leg's codec, in front of what else is there", () => {
    const bytes = new Uint8Array(170).fill(1);
    started().encodeAudio(
      Int16Array.from({ length: 160 }, (_, i) => i * 200),
      bytes,
    );
    const expected = alawmulaw.mulaw.encode(Int16Array.from({ length: 160 }, (_, i) => i * 200));
    expect(bytes.subarray(0, 160)).toEqual(expected);
    expect(bytes.subarray(160)).toEqual(new Uint8Array(10).fill(1));
  });

  test("what one leg encodes another one decodes, for every sample value there is", () => {
    const wire = started();
    const bytes = new Uint8Array(160);
    for (let from = -32_768; from < 32_768; from += 160) {
      const frame = Int16Array.from({ length: 160 }, (_, i) => from + i);
      const { media } = JSON.parse(Buffer.from(wire.encodeAudio(frame, bytes)).toString());
      decode(wire, mediaMessage(media));
      expect(Buffer.compare(into.bytes.subarray(0, into.count), bytes)).toBe(0);
    }
  });

  test("the message is the wire's own buffer, made once; another wire has another", () => {
    const [one, other] = [started(), started()];
    const bytes = new Uint8Array(160);
    const message = one.encodeAudio(samples, bytes);
    const before = Buffer.from(message);
    expect(other.encodeAudio(new Int16Array(160), bytes)).not.toBe(message);
    expect(before.equals(message)).toBe(true);
    expect(one.encodeAudio(new Int16Array(160), bytes)).toBe(message);
    expect(before.equals(message)).toBe(false);
  });

  test("marks and clears are minimal and escaped", () => {
    const wire = started('MZ"1');
    expect(wire.encodeMark('a"b')).toBe('{"event":"mark","streamSid":"MZ\\"1","mark":{"name":"a\\"b"}}');
    expect(wire.encodeClear()).toBe('{"event":"clear","streamSid":"MZ\\"1"}');
  });

  test("sending before the start, or anything but one frame, is our bug", () => {
    const wire = createCarrierA();
    const bytes = new Uint8Array(160);
    expect(() => wire.encodeAudio(samples, bytes)).toThrow("no audio before start");
    expect(() => wire.encodeMark("m")).toThrow("no mark before start");
    expect(() => wire.encodeClear()).toThrow("no clear before start");
    expect(() => started().encodeAudio(new Int16Array(159), bytes)).toThrow("one frame at a time");
    expect(() => started().encodeAudio(samples, new Uint8Array(159))).toThrow("no room for the frame");
  });
});
