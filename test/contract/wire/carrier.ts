import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PARAMETERS_BYTES_MAX, PARAMETERS_MAX } from "../../../src/core/limits/calls/calls.ts";
import { CARRIER_MESSAGE_BYTES_MAX, STREAM_ID_CHARS_MAX } from "../../../src/core/limits/streams/messages.ts";
import type { Wire } from "../../../src/wire/wire.ts";
import { inboundAudio } from "../../support/audio/inbound-audio.ts";
import { isShort } from "../../support/wires/carriers.ts";
import { Prober, shortened } from "../../support/wires/hostile-messages.ts";
import { byteMutations, duplicates, nearMisses, reorderings } from "../../support/wires/mutations.ts";
import type { CarrierUnderTest } from "../../support/wires/wire-under-test.ts";
import { costs, ODD_NAMES, refused, textOf, wireContract } from "./wire.ts";

/** Parts of JSON that change the meaning of what follows, or do not. */
const INSERTED = [" ", "\n", "\t", '"', "\\", ",", ":", "{", "}", "=", "A", "0", "\u0000", "\u00e9", '\\"', "null"];

const malformed = refused("wire_malformed");

/** What every carrier's dialect must do: what all wires must, and what comes of audio as base64 in JSON, in a stream with an id. */
export function carrierContract(subject: CarrierUnderTest, golden: readonly unknown[]): void {
  wireContract(subject, golden);
  describe(`carrier contract: ${subject.name}`, () => {
    audioContract(subject);
    streamContract(subject);
    parametersContract(subject);
    messageContract(subject);
    hostileContract(subject);
    shortCutContract(subject);
  });
}

const into = inboundAudio();
const decode = (wire: Wire, message: unknown) => wire.decode(Buffer.from(textOf(message)), into);

function started(subject: CarrierUnderTest, streamId = subject.streamId): Wire {
  const wire = subject.make();
  decode(wire, subject.start(streamId));
  return wire;
}

function audioContract(subject: CarrierUnderTest): void {
  test("audio before the start is emitted too: the receiver decides", () => {
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

  test("C6: a number beyond the range of a double is read as none", () => {
    const text = textOf(subject.media({ chunk: 4, timestamp: 4 })).replaceAll(/:4\b/g, ":1e999");
    expect(text).toContain('"chunk":1e999');
    decode(started(subject), text);
    expect([into.chunk, into.timestampMs]).toEqual([Number.NaN, Number.NaN]);
  });

  test.each([
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

  test("an empty payload is no audio, and counts as nothing: before the start, after it, and on the outbound track", () => {
    const nothing = { kind: "ignored", what: "empty_audio" };
    expect(decode(subject.make(), subject.media({ payload: "" }))).toEqual(nothing);
    const wire = started(subject);
    expect(decode(wire, subject.media({ payload: "" }))).toEqual(nothing);
    expect(decode(wire, subject.media({ payload: "", track: "outbound" }))).toMatchObject({ kind: "ignored" });
    expect(decode(wire, subject.media({}))).toEqual({ kind: "audio" });
    const message = Buffer.from(textOf(subject.media({ payload: "" })));
    expect(subject.make().decodeFully(message, into)).toEqual(nothing);
  });

  test("M3: the longest message of audio is decoded", () => {
    const message = (payload: string): string => textOf(subject.media({ payload }));
    const chars = Math.floor((CARRIER_MESSAGE_BYTES_MAX - message("").length) / 4) * 4;
    expect(decode(started(subject), message("A".repeat(chars)))).toEqual({ kind: "audio" });
    expect(into.count).toBe((chars / 4) * 3);
    expect(() => decode(started(subject), message("A".repeat(chars + 4)))).toThrow(malformed);
  });

  test("audio that exceeds the output buffer is malformed, audio that fills it exactly is not", () => {
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

  test("C10: unknown fields are ignored, wherever they are", () => {
    const wire = started(subject);
    const text = textOf(subject.media({ other: { deep: [1] } }));
    expect(decode(wire, text.replace("{", '{"other":null,'))).toEqual({ kind: "audio" });
  });

  test("C10: the last one of duplicate members counts", () => {
    decode(started(subject), textOf(subject.media({})).replace('"payload"', '"payload":"AAAA","payload"'));
    expect(into.bytes[0]).toBe(0x7f);
  });
}

function streamContract(subject: CarrierUnderTest): void {
  test("C2: a second start is emitted, and the wire keeps its stream", () => {
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

  test("a message without a stream id is accepted", () => {
    const wire = started(subject);
    expect(decode(wire, subject.media({}, null))).toEqual({ kind: "audio" });
    expect(decode(wire, subject.mark("a", null))).toEqual({ kind: "mark", name: "a" });
    expect(decode(wire, { event: "stop" })).toEqual({ kind: "stop" });
  });

  test.each([
    ["10 KB", "M".repeat(10_240)],
    ["one character more than allowed", "M".repeat(STREAM_ID_CHARS_MAX + 1)],
    ["no", ""],
  ])("C8: ids of %s characters are malformed", (_, id) => {
    expect(() => decode(subject.make(), subject.start(id))).toThrow(malformed);
    expect(() => decode(subject.make(), subject.start(subject.streamId, id))).toThrow(malformed);
  });

  test.each(ODD_NAMES)("C8: the id %j is data: it is emitted, sent and compared as it is", (id) => {
    const wire = subject.make();
    expect(decode(wire, subject.start(id, id))).toMatchObject({ streamId: id, carrierCallId: id });
    expect(decode(wire, subject.media({}, id))).toEqual({ kind: "audio" });
    expect([into.count, into.bytes[2]]).toEqual([3, 0x7f]);
    expect(() => decode(wire, subject.media({}, `${id}x`))).toThrow(malformed);
    const audio = Buffer.from(wire.encodeAudio(FRAME)).toString();
    expect(audio).toBe(subject.sent.audio(Buffer.from(FRAME).toString("base64"), id));
    expect(wire.encodeMark(id)).toBe(subject.sent.mark(id, id));
    expect(wire.encodeClear()).toBe(subject.sent.clear(id));
  });
}

function parametersContract(subject: CarrierUnderTest): void {
  const parametersOf = (parameters: unknown): unknown => {
    const event = decode(subject.make(), subject.startWith(parameters));
    return event.kind === "start" ? event.parameters : event;
  };

  test("a start without parameters has none", () => {
    for (const parameters of [{}, null, undefined, { order: null }]) expect(parametersOf(parameters)).toBeUndefined();
  });

  test("parameters of a start are emitted in their order", () => {
    const values = { order: "A-17", name: "Zo\u00eb", returning: "true" };
    expect(parametersOf(values)).toEqual({ values, droppedCount: 0 });
    expect(Object.keys((parametersOf({ b: "1", a: "2" }) as { values: object }).values)).toEqual(["b", "a"]);
  });

  test("C10: parameters that are hostile, nested, too many or too long do not cost the call its start", () => {
    const hostile = JSON.parse('{"__proto__":"x","constructor":"y","toString":{"a":1},"a":["b"],"n":7}');
    expect(parametersOf(hostile)).toEqual({ values: { constructor: "y", n: "7" }, droppedCount: 3 });
    const many = Object.fromEntries(Array.from({ length: PARAMETERS_MAX + 1 }, (_, i) => [`k${i}`, "v"]));
    expect(parametersOf(many)).toMatchObject({ values: { k0: "v", k63: "v" }, droppedCount: 1 });
    const long = { ...many, k0: "x".repeat(PARAMETERS_BYTES_MAX), k1: { k2: { k3: "v" } } };
    expect(parametersOf(long)).toMatchObject({ values: { k2: "v", k64: "v" }, droppedCount: 2 });
    for (const parameters of ["text", 7, true, ["a"], [{ name: "a", value: "b" }]]) {
      expect(decode(subject.make(), subject.startWith(parameters))).toMatchObject({ kind: "start" });
    }
  });

  test("near misses of a start with parameters bring an event or a typed refusal", () => {
    const prober = new Prober(subject);
    const start = textOf(subject.startWith({ order: "A-17", constructor: "x" }));
    for (const text of nearMisses(start)) prober.probe(Buffer.from(text));
  });
}

/** Audio, in whatever law: a wire does not look into it. */
const FRAME = Uint8Array.from({ length: 160 }, (_, i) => (i * 7) % 256);

function messageContract(subject: CarrierUnderTest): void {
  const { sent } = subject;
  test("outbound audio is exactly the message that the carrier documents", () => {
    const message = Buffer.from(started(subject).encodeAudio(FRAME)).toString();
    const { payload } = JSON.parse(message).media;
    expect(payload).toHaveLength(216);
    expect(message).toBe(sent.audio(payload));
  });

  test("the message is made once", () => {
    const wire = started(subject);
    const message = wire.encodeAudio(FRAME);
    const before = Buffer.from(message);
    expect(wire.encodeAudio(new Uint8Array(160))).toBe(message);
    expect(before.equals(message)).toBe(false);
  });

  test("sending before the start fails an assertion", () => {
    const wire = subject.make();
    expect(() => wire.encodeAudio(FRAME)).toThrow("no audio before start");
    expect(() => wire.encodeMark("m")).toThrow("no mark before start");
    expect(() => wire.encodeClear()).toThrow("no clear before start");
  });
}

function hostileContract(subject: CarrierUnderTest): void {
  test.each([
    '{"event":"media"}',
    '{"event":"media","media":"f39/"}',
    '{"event":"media","__proto__":{"media":{"payload":"f39/"}}}',
    '{"event":"dtmf"}',
    '{"event":"start"}',
  ])("C10: %s is malformed", (text) => {
    expect(() => decode(started(subject), text)).toThrow(malformed);
  });

  test("M1: a payload with a byte that is not UTF-8 is malformed", () => {
    const message = Buffer.from(textOf(subject.media({ payload: "f39\xff" })), "latin1");
    expect(() => started(subject).decode(message, into)).toThrow(malformed);
  });

  const room = CARRIER_MESSAGE_BYTES_MAX - 1_000;
  const nested = `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`;
  const thousands = Object.fromEntries(Array.from({ length: room / 20 }, (_, i) => [`k${i}`, "v"]));
  costs(new Prober(subject), [
    ["audio that is nested deeply", `{"event":"media","media":${nested}}`],
    ["a start that is nested deeply", textOf(subject.start("x")).replace(/}$/, `,"extra_headers":${nested}}`)],
    ["a start with thousands of parameters", textOf(subject.startWith(thousands))],
    ["a start with a long parameter", textOf(subject.startWith({ a: "\ud800\u2028".repeat(room / 30) }))],
    ["an endless number", `{"event":"media","media":{"chunk":${"9".repeat(room)}}}`],
    ["a long payload that is wrong at its end", textOf(subject.media({ payload: `${"A".repeat(room - 1_000)}!` }))],
  ]);
}

function shortCutContract(subject: CarrierUnderTest): void {
  const prober = new Prober(subject);
  const frames = subject.lines.filter((line) => isShort(subject, Buffer.from(line)));
  const short = shortened(frames);

  test("the fast path reads audio in each of the carrier's layouts, and nothing else", () => {
    const inbound = subject.lines.filter((line) => /"track":"inbound",.*"payload"/.test(line));
    expect(inbound.length - frames.length).toBe(subject.unusual);
    expect(frames.length).toBeGreaterThan(7);
    for (const line of frames) expect(inbound).toContain(line);
    for (const layout of subject.layouts) {
      const one = { ...subject, layouts: [layout] };
      expect(frames.some((line) => isShort(one, Buffer.from(line)))).toBe(true);
    }
  });

  test("a message is read at any memory offset, and no byte outside it", () => {
    const line = frames[3] as string;
    for (let offset = 0; offset < 8; offset += 1) {
      const memory = Buffer.from(`${'"'.repeat(offset)}${line}${"}".repeat(8)}`);
      const message = new Uint8Array(memory.buffer, memory.byteOffset + offset, line.length);
      expect(isShort(subject, message)).toBe(true);
      prober.probe(message);
    }
  });

  test("the fast path agrees with the full parse on every fixture, also indented, reordered or with duplicate members", () => {
    for (const line of [...subject.lines, ...short]) {
      prober.probe(Buffer.from(line));
      prober.probe(Buffer.from(JSON.stringify(JSON.parse(line), null, 2)));
      for (const other of reorderings(line)) prober.probe(Buffer.from(other));
    }
    for (const line of [...frames, ...short]) for (const twice of duplicates(line)) prober.probe(Buffer.from(twice));
  });

  test("the fast path agrees with the full parse on messages with changed, missing, duplicate, escaped or added bytes", () => {
    const layouts = new Map(short.map((line) => [line.replaceAll(/\d+/g, ""), line]));
    for (const line of layouts.values()) for (const message of byteMutations(line, INSERTED)) prober.probe(message);
  });

  test("the fast path agrees with the full parse on payloads and numbers of every length and content", () => {
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
