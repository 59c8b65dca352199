import { describe, expect, test } from "vitest";
import { scanMedia } from "../../../src/carriers/media-scanner.ts";
import { createPlivoWire, plivoMediaLayouts } from "../../../src/carriers/plivo/wire.ts";
import { millisecondsOf } from "../../../src/core/clocks.ts";
import { EXTRA_HEADERS_CHARS_MAX } from "../../../src/core/limits/streams/messages.ts";
import type { Wire } from "../../../src/wire/wire.ts";
import { carrierContract } from "../../contract/wire/carrier.ts";
import { costs } from "../../contract/wire/wire.ts";
import { inboundAudio } from "../../support/audio/inbound-audio.ts";
import { Prober } from "../../support/wires/hostile-messages.ts";
import { carrierC } from "./subject.ts";

const subject = carrierC();
const { streamId } = subject;
const into = inboundAudio();
const malformed = expect.objectContaining({ code: "wire_malformed" });

carrierContract(subject, [
  {
    kind: "start",
    streamId,
    carrierCallId: subject.callId,
    codec: "mulaw",
    parameters: { values: { call: "example", purpose: "fixture" }, droppedCount: 0 },
  },
  "audio 1: 160 at 0",
  "audio 2: 160 at 20",
  "audio 3: 160 at 41",
  "audio 4: 160 at 60",
  "audio 5: 160 at 79",
  { kind: "dtmf", digit: "4", occurredAtMs: Number.NaN },
  { kind: "dtmf", digit: "#", occurredAtMs: Number.NaN },
  "audio 6: 160 at 100",
  { kind: "mark", name: "1.0" },
  "audio 7: 160 at 820",
  { kind: "cleared", playedMs: Number.NaN },
  { kind: "ignored", what: "outbound_track" },
  "audio 9: 320 at 840",
  { kind: "carrier-error", code: "invalid_payload" },
  { kind: "carrier-error", code: "error" },
  { kind: "mark", name: "2.0" },
  "audio 10: 161 at 880",
  "audio 11: 162 at 900",
  "audio 12: 160 at 920",
  { kind: "stop" },
]);

const decode = (wire: Wire, message: unknown) => wire.decode(Buffer.from(JSON.stringify(message)), into);

function started(): Wire {
  const wire = createPlivoWire();
  decode(wire, subject.start(streamId));
  return wire;
}

describe("carrier_c", () => {
  test("sends mu-law with timestamps and needs no reordering", () => {
    expect(createPlivoWire()).toMatchObject({
      inboundRateHz: 8_000,
      outboundRateHz: 8_000,
      binaryAudio: false,
      outboundCodec: "mulaw",
      jitterBuffer: undefined,
      hasWallClockTimestamps: true,
    });
  });

  test("a greeting is an unknown event", () => {
    expect(decode(createPlivoWire(), { event: "connected" })).toEqual({ kind: "ignored", what: "unknown_event" });
  });

  test.each([
    undefined,
    null,
    {},
    { encoding: "audio/x-mulaw", sampleRate: 8_000 },
    { encoding: "audio/x-mulaw", sampleRate: "8000" },
    { encoding: "audio/x-mulaw" },
    { type: "audio/x-mulaw", rate: 8_000 },
    { rate: "8000" },
  ])("C11: a start may have the format %j", (mediaFormat) => {
    const message = { event: "start", sequenceNumber: 0, start: { callId: "c", streamId: "s", mediaFormat } };
    expect(decode(createPlivoWire(), message)).toEqual({
      kind: "start",
      streamId: "s",
      carrierCallId: "c",
      codec: "mulaw",
    });
  });

  test.each([
    { encoding: "audio/x-l16", sampleRate: 8_000 },
    { encoding: "audio/x-mulaw", sampleRate: 16_000 },
    { encoding: "audio/x-alaw", sampleRate: 8_000 },
    { encoding: "audio/x-mulaw", sampleRate: null, rate: 16_000 },
    { type: "audio/x-l16", rate: 8_000 },
    { rate: "8e3" },
    "audio/x-mulaw",
    [],
    7,
  ])("C11: a start with the format %j is malformed, and starts nothing", (mediaFormat) => {
    const wire = createPlivoWire();
    const start = { callId: "c", streamId: "s", mediaFormat };
    expect(() => decode(wire, { event: "start", start })).toThrow(malformed);
    expect(() => wire.encodeClear()).toThrow("no clear before start");
  });

  test("DTMF is sent with one message", () => {
    expect(started().encodeDtmf?.("12#")).toBe('{"event":"sendDTMF","dtmf":"12#"}');
  });

  test("the ids of a start may be beside `start`", () => {
    const message = { event: "start", start: {}, streamId: "s", callId: "c" };
    expect(decode(createPlivoWire(), message)).toMatchObject({ streamId: "s", carrierCallId: "c" });
    expect(() => decode(createPlivoWire(), { ...message, callId: undefined })).toThrow(malformed);
  });

  test.each([
    ["k1=v1,k2=v2", { k1: "v1", k2: "v2" }, 0],
    ["k1=v1;k2=v%202, and more;", { k1: "v1", k2: "v 2, and more" }, 0],
    [" a = b = c ; d = ", { a: "b = c", d: "" }, 0],
    ["a=100%;b=%e2%82%ac", { a: "100%", b: "\u20ac" }, 0],
    ['{"k1":"v1","k2":2}', { k1: "v1", k2: "2" }, 0],
    ["no pair", {}, 1],
    ["=v;a=b;alone", { a: "b" }, 2],
    ["a=1;a=2", { a: "1" }, 1],
    ['{"broken', {}, 1],
    ["__proto__=x;constructor=y", { constructor: "y" }, 1],
    [{ k1: "v1" }, { k1: "v1" }, 0],
    [7, {}, 1],
  ])("the extra headers %j are the parameters %j, and %d are left out", (extra_headers, values, droppedCount) => {
    expect(decode(createPlivoWire(), { ...subject.start("s"), extra_headers })).toMatchObject({
      parameters: { values, droppedCount },
    });
  });

  const headersOf = (extra_headers: string): string => JSON.stringify({ ...subject.start("s"), extra_headers });
  costs(new Prober(subject), [
    ["a start with thousands of broken headers", headersOf("%=%;".repeat(15_000))],
    ["a start with thousands of encoded headers", headersOf("%41x".repeat(15_000))],
    ["a start with headers that begin nothing", headersOf(`{${"[".repeat(60_000)}`)],
  ]);

  test.each(["", "{}", " ; ;", null, undefined])("the extra headers %j are no parameters", (extra_headers) => {
    const event = decode(createPlivoWire(), { ...subject.start("s"), extra_headers });
    expect(event).not.toHaveProperty("parameters");
  });

  test("a start that names two streams is malformed", () => {
    expect(() => decode(createPlivoWire(), { ...subject.start("s"), streamId: "other" })).toThrow(malformed);
  });

  test("C6: times are counted from the first audio that has one", () => {
    const wire = started();
    const at = (timestamp: unknown): number => {
      decode(wire, subject.media({ timestamp }));
      return millisecondsOf(into.timestampMs);
    };
    expect(at("not a time")).toBeNaN();
    expect(at("1763631012000")).toBe(0);
    expect(at(1_763_631_012_020)).toBe(20);
    expect(at(null)).toBeNaN();
    expect(at("1763631015500")).toBe(3_500);
    expect(at("1763631011980")).toBe(-20);
    expect(at("0")).toBe(-1_763_631_012_000);
  });

  test("an outbound frame is not the caller's audio, so its time is not the first", () => {
    const wire = started();
    decode(wire, subject.media({ track: "outbound", timestamp: "1000" }));
    decode(wire, subject.media({ timestamp: "2000" }));
    expect(into.timestampMs).toBe(0);
  });

  test.each([
    "k1=v1,k2=v2",
    "k1=v1;k2=v%202",
    '{"k1":"v1"}',
    "{}",
    "",
    '"quoted" \\ \u0001 \u{1F600} \ud800',
    "x".repeat(EXTRA_HEADERS_CHARS_MAX),
  ])("with the headers %j audio still takes the fast path", (extra_headers) => {
    const wire = createPlivoWire();
    expect(decode(wire, { ...subject.start(streamId), extra_headers })).toMatchObject({ kind: "start" });
    const message = { ...subject.media({}), extra_headers };
    const layouts = plivoMediaLayouts(streamId, extra_headers);
    expect(scanMedia(Buffer.from(JSON.stringify(message)), layouts, "mulaw", into)).toBe(true);
    expect(decode(wire, message)).toEqual({ kind: "audio" });
    expect(decode(wire, { ...message, extra_headers: "others" })).toEqual({ kind: "audio" });
    expect(decode(wire, { ...message, extra_headers: undefined })).toEqual({ kind: "audio" });
  });

  test.each([
    undefined,
    null,
  ])("without headers (%j) audio has none either, and takes the fast path too", (extra_headers) => {
    const message = Buffer.from(JSON.stringify({ ...subject.media({}), extra_headers: undefined }));
    const layouts = plivoMediaLayouts(streamId, extra_headers ?? undefined);
    expect(scanMedia(message, layouts, "mulaw", into)).toBe(true);
  });

  test.each([
    7,
    {},
    ["a"],
    true,
    "x".repeat(EXTRA_HEADERS_CHARS_MAX + 1),
  ])("headers that are not a text, or are long, are accepted without the fast path", (extra_headers) => {
    const wire = createPlivoWire();
    decode(wire, { ...subject.start(streamId), extra_headers });
    expect(plivoMediaLayouts(streamId, extra_headers)).toEqual([]);
    expect(decode(wire, { ...subject.media({}), extra_headers })).toEqual({ kind: "audio" });
  });

  test("C13: a played checkpoint is a mark, with or without the stream's id", () => {
    const wire = started();
    expect(decode(wire, { event: "playedStream", sequenceNumber: 5, streamId, name: "1.0" })).toEqual({
      kind: "mark",
      name: "1.0",
    });
    expect(decode(wire, { event: "playedStream", name: "1.0" })).toEqual({ kind: "mark", name: "1.0" });
  });

  test("an executed clear is reported, except one of another stream", () => {
    const wire = started();
    expect(decode(wire, { event: "clearedAudio" })).toEqual({ kind: "cleared", playedMs: Number.NaN });
    expect(() => decode(wire, { event: "clearedAudio", streamId: "other" })).toThrow(malformed);
  });

  test.each([
    [{ event: "playFailed" }, "playFailed"],
    [{ event: "playFailed", reason: "invalid_payload" }, "invalid_payload"],
    [{ event: "error", reason: "buffer-full" }, "buffer-full"],
    [{ event: "error", reason: "the caller said +15550100001" }, "error"],
    [{ event: "error", reason: { code: 1 } }, "error"],
  ])("the error %j is reported as %s", (message, code) => {
    expect(decode(started(), message)).toEqual({ kind: "carrier-error", code });
  });
});
