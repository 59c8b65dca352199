import alawmulaw from "alawmulaw";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { CARRIER_MESSAGE_BYTES_MAX, STREAM_ID_CHARS_MAX } from "../../src/core/limits.ts";
import type { Wire } from "../../src/wire/wire.ts";
import { byteStrings, jsonShapes, MESSAGE_MS_MAX, Prober, shortened } from "../support/hostile-messages.ts";
import { inboundAudio } from "../support/inbound-audio.ts";
import { byteMutations, duplicates, nearMisses, reorderings } from "../support/mutate.ts";
import type { WireUnderTest } from "../support/wires.ts";

/** Pieces of JSON that change what stands behind them, or do not. */
const INSERTED = [" ", "\n", "\t", '"', "\\", ",", ":", "{", "}", "=", "A", "0", "\u0000", "\u00e9", '\\"', "null"];

const malformed = expect.objectContaining({ name: "TrunklineError", code: "wire_malformed", fault: "peer" });

/** What every dialect must do. `golden`: what each line of its fixture tells, audio in a few words. */
export function wireContract(subject: WireUnderTest, golden: readonly unknown[]): void {
  describe(`wire contract: ${subject.name}`, () => {
    inboundContract(subject, golden);
    streamContract(subject);
    outboundContract(subject);
    hostileContract(subject);
    shortCutContract(subject);
  });
}

const into = inboundAudio();
const textOf = (message: unknown): string => (typeof message === "string" ? message : JSON.stringify(message));
const decode = (wire: Wire, message: unknown) => wire.decode(Buffer.from(textOf(message)), into);

function started(subject: WireUnderTest, streamId = subject.streamId): Wire {
  const wire = subject.make();
  decode(wire, subject.start(streamId));
  return wire;
}

function inboundContract(subject: WireUnderTest, golden: readonly unknown[]): void {
  test("C12: the messages of a whole stream become these events", () => {
    const wire = subject.make();
    const told = subject.lines.map((line) => {
      const event = decode(wire, line);
      return event.kind === "audio" ? `audio ${into.chunk}: ${into.count} at ${into.timestampMs}` : event;
    });
    expect(told).toEqual(golden);
  });

  test("audio arrives as the carrier's bytes and as their samples, by the law of the start", () => {
    const wire = subject.make();
    let heard = 0;
    for (const line of subject.lines) {
      if (decode(wire, line).kind !== "audio") continue;
      const bytes = new Uint8Array(Buffer.from(JSON.parse(line).media.payload, "base64"));
      expect(into.bytes.slice(0, into.count)).toEqual(bytes);
      expect(into.samples.slice(0, into.count)).toEqual(alawmulaw[subject.inbound].decode(bytes));
      heard += 1;
    }
    expect(heard).toBeGreaterThan(8);
  });

  test("audio that comes before the start is told all the same: who must not take it knows", () => {
    expect(decode(subject.make(), subject.media({}))).toEqual({ kind: "audio" });
  });

  test.each([
    ["20", 20],
    [20, 20],
    ["0", 0],
    ["007", 7],
    [20.5, 20.5],
    ["65536", 65_536],
    ["4294967296", 4_294_967_296],
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
  ])("C5: the chunk %j is read as %d", (chunk, expected) => {
    expect(decode(started(subject), subject.media({ chunk }))).toEqual({ kind: "audio" });
    expect(into.chunk).toBe(expected);
  });

  test("C6: a number beyond every double is none", () => {
    const text = textOf(subject.media({ chunk: 4, timestamp: 4 })).replaceAll(/:4\b/g, ":1e999");
    expect(text).toContain('"chunk":1e999');
    decode(started(subject), text);
    expect([into.chunk, into.timestampMs]).toEqual([Number.NaN, Number.NaN]);
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
    expect(() => decode(started(subject), subject.media({ payload }))).toThrow(malformed);
  });

  test("M3: the longest message is decoded, a longer one is malformed, whatever it says", () => {
    const message = (payload: string): string => textOf(subject.media({ payload }));
    const chars = Math.floor((CARRIER_MESSAGE_BYTES_MAX - message("").length) / 4) * 4;
    expect(decode(started(subject), message("A".repeat(chars)))).toEqual({ kind: "audio" });
    expect(into.count).toBe((chars / 4) * 3);
    expect(() => decode(started(subject), message("A".repeat(chars + 4)))).toThrow(malformed);
    const start = textOf(subject.start(subject.streamId));
    expect(() => decode(subject.make(), " ".repeat(CARRIER_MESSAGE_BYTES_MAX) + start)).toThrow(malformed);
  });

  test("audio that does not fit where it should go is malformed, and what fits just so is not", () => {
    const wire = started(subject);
    for (const [payload, bytes] of [
      ["f39/f39/", 6],
      ["f39/f38=", 5],
      ["f39/fw==", 4],
    ] as const) {
      const message = Buffer.from(textOf(subject.media({ payload })));
      const exact = inboundAudio(bytes);
      expect(wire.decode(message, exact)).toEqual({ kind: "audio" });
      expect([...exact.bytes]).toEqual([0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f].slice(0, bytes));
      expect(() => wire.decode(message, inboundAudio(bytes - 1))).toThrow(malformed);
    }
  });

  test("only the outbound track is ignored; a track that does not exist is malformed", () => {
    const wire = started(subject);
    for (const track of ["outbound", "outbound_track"]) {
      expect(decode(wire, subject.media({ track }))).toEqual({ kind: "ignored", what: "outbound_track" });
    }
    for (const track of [undefined, null, "inbound_track", "inbound/outbound"]) {
      expect(decode(wire, subject.media({ track }))).toEqual({ kind: "audio" });
    }
    for (const track of ["both", "Inbound", "", 7, ["inbound"]]) {
      expect(() => decode(wire, subject.media({ track }))).toThrow(malformed);
    }
  });

  test.each(["0", "9", "*", "#", "A", "D"])("C9: the key %s is told", (digit) => {
    expect(decode(started(subject), subject.dtmf(digit))).toMatchObject({ kind: "dtmf", digit });
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
    expect(decode(started(subject), subject.dtmf(digit))).toEqual({ kind: "ignored", what: "bad_digit" });
  });

  test.each(["Media", "MEDIA", "media ", "", "toString", "__proto__"])("C10: the event %j is ignored", (event) => {
    expect(decode(started(subject), { event, media: {} })).toEqual({ kind: "ignored", what: "unknown_event" });
  });

  test("C10: fields that nobody knows are ignored, wherever they stand", () => {
    const wire = started(subject);
    const text = textOf(subject.media({ other: { deep: [1] } }));
    expect(decode(wire, text.replace("{", '{"other":null,'))).toEqual({ kind: "audio" });
    expect(decode(wire, { ...subject.mark("a"), other: 1 })).toEqual({ kind: "mark", name: "a" });
  });
}

function streamContract(subject: WireUnderTest): void {
  test("C2: a second start is told as it stands, and the wire stays with its stream", () => {
    const wire = started(subject);
    const { streamId } = subject;
    expect(decode(wire, subject.start(streamId))).toMatchObject({ kind: "start", streamId });
    expect(decode(wire, subject.start("other"))).toMatchObject({ kind: "start", streamId: "other" });
    expect(wire.encodeClear()).toBe(subject.sent.clear(streamId));
    expect(decode(wire, subject.media({}))).toEqual({ kind: "audio" });
    expect(() => decode(wire, subject.media({}, "other"))).toThrow(malformed);
  });

  test("C8: a message of another stream is malformed", () => {
    const wire = started(subject);
    for (const id of ["other", `${subject.streamId} `, subject.streamId.slice(1), 7, "", [subject.streamId]]) {
      for (const message of [subject.media({}, id), subject.mark("a", id), subject.dtmf("1", id), subject.stop(id)]) {
        expect(() => decode(wire, message), textOf(message)).toThrow(malformed);
      }
    }
  });

  test("a message that names no stream is ours", () => {
    const wire = started(subject);
    expect(decode(wire, subject.media({}, null))).toEqual({ kind: "audio" });
    expect(decode(wire, subject.mark("a", null))).toEqual({ kind: "mark", name: "a" });
    expect(decode(wire, { event: "stop" })).toEqual({ kind: "stop" });
  });

  test.each([
    ["10 KB", "M".repeat(10_240)],
    ["one character more than allowed", "M".repeat(STREAM_ID_CHARS_MAX + 1)],
    ["no", ""],
  ])("C8: ids and names of %s characters are malformed", (_, id) => {
    expect(() => decode(subject.make(), subject.start(id))).toThrow(malformed);
    expect(() => decode(subject.make(), subject.start(subject.streamId, id))).toThrow(malformed);
    expect(() => decode(started(subject), subject.mark(id))).toThrow(malformed);
  });

  test.each([
    "../../etc",
    'a"b',
    "a\\b",
    "a\nb",
    "nul\u0000",
    "\u0001\u0002\u0003\u0004",
    "\u{1F600}",
    "\ud800",
    "\ufffd",
    "x",
    "M".repeat(STREAM_ID_CHARS_MAX),
    "'; DROP TABLE calls; --",
  ])("C8: the id %j is data: it is told, sent and compared as it is", (id) => {
    const wire = subject.make();
    expect(decode(wire, subject.start(id, id))).toMatchObject({ streamId: id, carrierCallId: id });
    expect(decode(wire, subject.media({}, id))).toEqual({ kind: "audio" });
    expect([into.count, into.bytes[2]]).toEqual([3, 0x7f]);
    expect(() => decode(wire, subject.media({}, `${id}x`))).toThrow(malformed);
    const bytes = new Uint8Array(160);
    const audio = Buffer.from(wire.encodeAudio(new Int16Array(160), bytes)).toString();
    expect(audio).toBe(subject.sent.audio(id, Buffer.from(bytes).toString("base64")));
    expect(wire.encodeMark(id)).toBe(subject.sent.mark(id, id));
    expect(wire.encodeClear()).toBe(subject.sent.clear(id));
  });
}

function outboundContract(subject: WireUnderTest): void {
  const { streamId, sent } = subject;
  const samples = Int16Array.from({ length: 160 }, (_, i) => Math.round(30_000 * Math.sin(i / 3)));

  test("audio is the message that the carrier asks for, with nothing in it that it does not know", () => {
    const wire = started(subject);
    const message = Buffer.from(wire.encodeAudio(samples, new Uint8Array(160))).toString();
    const { payload } = JSON.parse(message).media;
    expect(payload).toHaveLength(216);
    expect(message).toBe(sent.audio(streamId, payload));
  });

  test("every sample there is comes out as an independent codec has it, in the message and in `bytes`", () => {
    const wire = started(subject);
    const codec = alawmulaw[wire.outboundCodec];
    const bytes = new Uint8Array(170).fill(1);
    const others: number[] = [];
    for (let from = -32_768; from < 32_768; from += 160) {
      const frame = Int16Array.from({ length: 160 }, (_, i) => from + i);
      const { payload } = JSON.parse(Buffer.from(wire.encodeAudio(frame, bytes)).toString()).media;
      const sentBytes = new Uint8Array(Buffer.from(payload, "base64"));
      expect(Buffer.compare(sentBytes, bytes.subarray(0, 160))).toBe(0);
      // The library differs by one step where a negative sample sits on a threshold: see src/media/g711.ts.
      const steps = codec.decode(codec.encode(frame));
      const ours = codec.decode(sentBytes);
      others.push(...frame.filter((_, i) => ours[i] !== steps[i]));
    }
    expect(others.every((sample) => sample < 0)).toBe(true);
    expect(others.length).toBeLessThanOrEqual(127);
    expect(bytes.subarray(160)).toEqual(new Uint8Array(10).fill(1));
  });

  test("the message is the wire's own buffer, made once; another wire has another", () => {
    const [one, other] = [started(subject), started(subject)];
    const bytes = new Uint8Array(160);
    const message = one.encodeAudio(samples, bytes);
    const before = Buffer.from(message);
    expect(other.encodeAudio(new Int16Array(160), bytes)).not.toBe(message);
    expect(before.equals(message)).toBe(true);
    expect(one.encodeAudio(new Int16Array(160), bytes)).toBe(message);
    expect(before.equals(message)).toBe(false);
  });

  test("marks and clears are minimal and escaped, and a mark comes back under its name", () => {
    const wire = started(subject, 'id"1');
    expect(wire.encodeMark('a"b')).toBe(sent.mark('id"1', 'a"b'));
    expect(wire.encodeClear()).toBe(sent.clear('id"1'));
    expect(decode(wire, subject.mark('a"b', 'id"1'))).toEqual({ kind: "mark", name: 'a"b' });
  });

  test("sending before the start, or anything but one frame, is our bug", () => {
    const wire = subject.make();
    const bytes = new Uint8Array(160);
    expect(() => wire.encodeAudio(samples, bytes)).toThrow("no audio before start");
    expect(() => wire.encodeMark("m")).toThrow("no mark before start");
    expect(() => wire.encodeClear()).toThrow("no clear before start");
    expect(() => started(subject).encodeAudio(new Int16Array(159), bytes)).toThrow("one frame at a time");
    expect(() => started(subject).encodeAudio(samples, new Uint8Array(159))).toThrow("no room for the frame");
  });
}

function hostileContract(subject: WireUnderTest): void {
  const prober = new Prober(subject);
  const { stackTraceLimit } = Error;
  beforeAll(() => {
    // Errors are made by the hundred thousand here, and nobody reads where: their stacks would cost most of the time.
    Error.stackTraceLimit = 0;
    return () => Object.assign(Error, { stackTraceLimit });
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
    '{"event":"dtmf"}',
    '{"event":"start"}',
  ])("C10: %s is malformed", (text) => {
    expect(() => decode(started(subject), text)).toThrow(malformed);
  });

  test.each([undefined, null, 7, {}, ["a"]])("C10: a mark of the name %j is malformed", (name) => {
    expect(() => decode(started(subject), subject.mark(name ?? null))).toThrow(malformed);
  });

  test("C10: of a member that comes twice the last one counts", () => {
    const wire = started(subject);
    const twice = textOf(subject.media({})).replace('"payload"', '"payload":"AAAA","payload"');
    decode(wire, twice);
    expect(into.bytes[0]).toBe(0x7f);
    expect(decode(wire, '{"event":"media","event":"stop"}')).toEqual({ kind: "stop" });
  });

  test("C10: a parsed prototype changes no object", () => {
    const polluting = '"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}';
    decode(started(subject), `{"event":"stop",${polluting}}`);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test("C10: what somebody else has put into every object is no part of a message", () => {
    const wire = started(subject);
    Object.defineProperty(Object.prototype, "event", { value: "stop", configurable: true });
    try {
      expect(() => decode(wire, "{}")).toThrow(malformed);
    } finally {
      Reflect.deleteProperty(Object.prototype, "event");
    }
  });

  test("bytes that are not UTF-8 are malformed where they matter and never throw anything else", () => {
    expect(() => started(subject).decode(Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), into)).toThrow(malformed);
    const message = Buffer.from(textOf(subject.media({ payload: "f39\xff" })), "latin1");
    expect(() => started(subject).decode(message, into)).toThrow(malformed);
  });

  test("C10: no near miss of any message escapes as anything but wire_malformed, nor is read in two ways", () => {
    for (const line of [...subject.lines, ...shortened(subject.lines)]) {
      for (const miss of nearMisses(line)) prober.probe(Buffer.from(miss));
    }
  });

  test("C10: neither does a message with one byte wrong", () => {
    for (const line of new Set(shortened(subject.lines))) {
      for (const message of byteMutations(line, ['"', "\\", "\u0000"])) prober.probe(message);
    }
  });

  test("C10: neither do 10,000 objects that resemble messages", () => {
    fc.assert(
      fc.property(jsonShapes(subject), (text) => prober.probe(Buffer.from(text))),
      { numRuns: 10_000 },
    );
  });

  test("C10: neither do 10,000 strings of bytes", () => {
    fc.assert(
      fc.property(byteStrings(subject), (bytes) => prober.probe(bytes)),
      { numRuns: 10_000 },
    );
  });

  const room = CARRIER_MESSAGE_BYTES_MAX - 1_000;
  const nested = `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`;
  test.each([
    ["brackets", "[".repeat(room)],
    ["nothing but quotes", '"'.repeat(room)],
    ["a mark that is nested deeply", `{"event":"mark","mark":${nested}}`],
    ["audio that is nested deeply", `{"event":"media","media":${nested}}`],
    ["a start that is nested deeply", textOf(subject.start("x")).replace(/}$/, `,"extra_headers":${nested}}`)],
    ["an endless number", `{"event":"media","media":{"chunk":${"9".repeat(room)}}}`],
    ["a long payload that is wrong at its end", textOf(subject.media({ payload: `${"A".repeat(room - 1_000)}!` }))],
    ["a long name", textOf(subject.mark("x".repeat(room - 1_000)))],
    ["a long event", JSON.stringify({ event: "x".repeat(room) })],
    ["many members", `{"event":"stop"${Array.from({ length: 6_000 }, (_, i) => `,"k${i}":1`).join("")}}`],
  ])("C10: %s cost no more than a moment", (_, text) => {
    const message = Buffer.from(text);
    expect(message.length).toBeLessThanOrEqual(CARRIER_MESSAGE_BYTES_MAX);
    prober.probe(message);
    expect(prober.decodeMs(message)).toBeLessThan(Math.max(MESSAGE_MS_MAX, 3 * parseMs(text)));
  });
}

/** What reading a text comes to by any means: on a slow machine it takes longer than a message should. */
function parseMs(text: string): number {
  const beganMs = performance.now();
  try {
    JSON.parse(text);
  } catch {
    // It takes as long all the same.
  }
  return performance.now() - beganMs;
}

function shortCutContract(subject: WireUnderTest): void {
  const prober = new Prober(subject);
  const frames = subject.lines.filter((line) => prober.isShort(Buffer.from(line)));
  const short = shortened(frames);

  test("the short cut is taken for audio as the carrier writes it, in each of its layouts, and for nothing else", () => {
    const inbound = subject.lines.filter((line) => /"track":"inbound",.*"payload"/.test(line));
    // The fixtures of b and c have one frame each whose numbers are written otherwise.
    expect(inbound.length - frames.length).toBe(subject.name === "carrier_a" ? 0 : 1);
    expect(frames.length).toBeGreaterThan(7);
    for (const line of frames) expect(inbound).toContain(line);
    for (const layout of subject.layouts) {
      const one = new Prober({ ...subject, layouts: [layout] });
      expect(frames.some((line) => one.isShort(Buffer.from(line)))).toBe(true);
    }
  });

  test("a message is read wherever it lies in memory, and nothing beside it", () => {
    const line = frames[3] as string;
    for (let offset = 0; offset < 8; offset += 1) {
      const memory = Buffer.from(`${'"'.repeat(offset)}${line}${"}".repeat(8)}`);
      const message = new Uint8Array(memory.buffer, memory.byteOffset + offset, line.length);
      expect(prober.isShort(message)).toBe(true);
      prober.probe(message);
    }
  });

  test("it says what the full parse says of every fixture, indented, with members in another order or twice", () => {
    for (const line of [...subject.lines, ...short]) {
      prober.probe(Buffer.from(line));
      prober.probe(Buffer.from(JSON.stringify(JSON.parse(line), null, 2)));
      for (const other of reorderings(line)) prober.probe(Buffer.from(other));
    }
    for (const line of [...frames, ...short]) for (const twice of duplicates(line)) prober.probe(Buffer.from(twice));
  });

  test("it says so whichever byte is changed, dropped, doubled, cut off, escaped or joined by others", () => {
    const layouts = new Map(short.map((line) => [line.replaceAll(/\d+/g, ""), line]));
    for (const line of layouts.values()) for (const message of byteMutations(line, INSERTED)) prober.probe(message);
  });

  test("it says so of payloads and numbers of every length and content", () => {
    const payload = fc.oneof(
      fc.uint8Array({ maxLength: 700 }).map((bytes) => Buffer.from(bytes).toString("base64")),
      fc.base64String({ maxLength: 400 }),
      fc.string({ maxLength: 12, unit: fc.constantFrom(..."Az09+/=-_ ") }),
    );
    const digits = fc.oneof(fc.stringMatching(/^[0-9]{0,20}$/), fc.nat().map(String));
    fc.assert(
      fc.property(fc.constantFrom(...short), payload, digits, fc.nat(2), (line, text, number, which) => {
        let at = 0;
        const numbered = line.replaceAll(/\d+(?="?,)/g, (found) => (at++ === which ? number : found));
        prober.probe(Buffer.from(numbered.replace(/"payload":"[^"]*"/, () => `"payload":"${text}"`)));
      }),
      { numRuns: 3_000 },
    );
  });
}
