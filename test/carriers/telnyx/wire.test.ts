import { describe, expect, test } from "vitest";
import { createTelnyxWire, type TelnyxWire } from "../../../src/carriers/telnyx/wire.ts";
import { mediaMs } from "../../../src/core/clocks.ts";
import type { Wire } from "../../../src/wire/wire.ts";
import { carrierContract } from "../../contract/wire/carrier.ts";
import { costs } from "../../contract/wire/wire.ts";
import { inboundAudio } from "../../support/audio/inbound-audio.ts";
import { Prober } from "../../support/wires/hostile-messages.ts";
import type { CarrierUnderTest } from "../../support/wires/wire-under-test.ts";
import { carrierB } from "./subject.ts";

const pcmu = carrierB("mulaw");
const pcma = carrierB("alaw");
const into = inboundAudio();
const malformed = expect.objectContaining({ code: "wire_malformed" });

const PARAMETERS = { values: { client_state: "example", note: "example" }, droppedCount: 0 };

const golden = ({ streamId, callId, inbound }: CarrierUnderTest): unknown[] => [
  { kind: "ignored", what: "greeting" },
  { kind: "start", streamId, carrierCallId: callId, codec: inbound, parameters: PARAMETERS },
  "audio 1: 160 at NaN",
  "audio 2: 160 at NaN",
  "audio 3: 160 at NaN",
  "audio 5: 160 at NaN",
  "audio 4: 160 at NaN",
  "audio 6: 160 at NaN",
  "audio 7: 160 at NaN",
  "audio 8: 160 at NaN",
  { kind: "dtmf", digit: "2", occurredAtMs: Date.UTC(2026, 10, 20, 9, 30, 12, 481) },
  { kind: "dtmf", digit: "1", occurredAtMs: Date.UTC(2026, 10, 20, 9, 30, 12, 245) },
  "audio 9: 1000 at NaN",
  { kind: "mark", name: "1.0" },
  { kind: "ignored", what: "outbound_track" },
  { kind: "carrier-error", code: "100003" },
  "audio 10: 161 at NaN",
  "audio 11: 162 at NaN",
  "audio 12: 160 at NaN",
  { kind: "mark", name: "2.0" },
  { kind: "stop" },
];

carrierContract(pcmu, golden(pcmu));
carrierContract(pcma, golden(pcma));

const decode = (wire: Wire, message: unknown) => wire.decode(Buffer.from(JSON.stringify(message)), into);

function started(subject = pcmu): Wire {
  const wire = subject.make();
  decode(wire, subject.start(subject.streamId));
  return wire;
}

describe("carrier_b", () => {
  test.each(["mulaw", "alaw"] as const)("sends %s when configured, whatever the inbound codec", (outboundCodec) => {
    const silence = { mulaw: 0xff, alaw: 0xd5 }[outboundCodec];
    for (const subject of [pcmu, pcma]) {
      const wire = createTelnyxWire({ outboundCodec });
      expect(wire).toMatchObject({ outboundCodec, jitterBuffer: { waitMs: 60 }, hasWallClockTimestamps: false });
      expect(wire).toMatchObject({ inboundRateHz: 8_000, outboundRateHz: 8_000, binaryAudio: false });
      expect(decode(wire, subject.start("s"))).toMatchObject({ codec: subject.inbound });
      const bytes = new Uint8Array(160).fill(silence);
      const message = Buffer.from(wire.encodeAudio(bytes)).toString();
      expect(Buffer.from(JSON.parse(message).media.payload, "base64")).toEqual(Buffer.from(bytes));
    }
  });

  test("a second start does not change the law", () => {
    const wire = started(pcma);
    decode(wire, pcmu.start(pcma.streamId));
    decode(wire, pcma.media({ payload: "1dXV" }));
    expect(Math.abs(into.samples[0] as number)).toBeLessThan(10);
  });

  test.each([
    { encoding: "G722", sample_rate: 8_000, channels: 1 },
    { encoding: "L16", sample_rate: 8_000, channels: 1 },
    { encoding: "pcmu", sample_rate: 8_000, channels: 1 },
    { encoding: "audio/x-mulaw", sample_rate: 8_000, channels: 1 },
    { encoding: "PCMA", sample_rate: 16_000, channels: 1 },
    { encoding: "PCMA", sample_rate: 8_000, channels: 2 },
    { encoding: ["PCMA"], sample_rate: 8_000, channels: 1 },
    { encoding: "PCMU", sample_rate: 8_000, channels: "two" },
    { encoding: "PCMU", sample_rate: "8e3" },
    { sample_rate: 8_000, channels: 1 },
    {},
    null,
    "PCMU",
  ])("C11: a start with the format %j is malformed, and starts nothing", (media_format) => {
    const wire = pcmu.make();
    const message = { event: "start", stream_id: "s", start: { call_control_id: "c", media_format } };
    expect(() => decode(wire, message)).toThrow(malformed);
    expect(() => wire.encodeClear()).toThrow("no clear before start");
  });

  test("C11: the refusal of a start names the supported codecs", () => {
    const media_format = { encoding: "AMR-WB", sample_rate: 16_000, channels: 1 };
    const message = { event: "start", stream_id: "s", start: { call_control_id: "c", media_format } };
    expect(() => decode(pcmu.make(), message)).toThrow("PCMU or PCMA, 8000 Hz, 1 channel");
  });

  test("numbers of a start may be strings, and the telephone numbers may be missing or null", () => {
    const media_format = { encoding: "PCMA", sample_rate: "8000", channels: "1" };
    const start = { call_control_id: "c", from: null, client_state: null, media_format };
    expect(decode(pcmu.make(), { event: "start", stream_id: "s", start })).toEqual({
      kind: "start",
      streamId: "s",
      carrierCallId: "c",
      codec: "alaw",
    });
  });

  test.each([
    { encoding: "PCMA" },
    { encoding: "PCMA", sample_rate: 8_000 },
    { encoding: "PCMA", channels: 1 },
    { encoding: "PCMA", sample_rate: null, channels: null },
  ])("C11: a start may leave out what follows from its codec: %j", (media_format) => {
    const message = { event: "start", stream_id: "s", start: { call_control_id: "c", media_format } };
    expect(decode(pcmu.make(), message)).toMatchObject({ kind: "start", streamId: "s", codec: "alaw" });
  });

  test("the stream's id is the one beside `start`, or else the one inside it", () => {
    const { stream_id: _, start } = pcmu.start("s") as { stream_id: string; start: object };
    const inside = { ...start, stream_id: "inside" };
    expect(decode(pcmu.make(), { event: "start", start: inside })).toMatchObject({ streamId: "inside" });
    expect(decode(pcmu.make(), { event: "start", start: inside, stream_id: "s" })).toMatchObject({ streamId: "s" });
    expect(() => decode(pcmu.make(), { event: "start", start })).toThrow(malformed);
  });

  test("the call's id may be beside `start`", () => {
    const { start } = pcmu.start("s") as { start: object };
    const message = { event: "start", start: { ...start, call_control_id: undefined }, stream_id: "s" };
    expect(decode(pcmu.make(), { ...message, call_control_id: "c" })).toMatchObject({ carrierCallId: "c" });
    expect(() => decode(pcmu.make(), message)).toThrow(malformed);
  });

  test.each([
    [Buffer.from("order A-17").toString("base64"), "order A-17"],
    [Buffer.from('{"order":"A-17"}').toString("base64"), '{"order":"A-17"}'],
    [Buffer.from("caf\u00e9").toString("base64").replace(/=+$/, ""), "caf\u00e9"],
    ["no base64!", "no base64!"],
    [Buffer.from([0xff, 0xfe, 0x01]).toString("base64"), "//4B"],
    ["word", "word"],
  ])("the client state %j is the parameter client_state: %j", (client_state, expected) => {
    const { start, ...message } = pcmu.startWith({ client_state: "of another", a: "b" }) as { start: object };
    expect(decode(pcmu.make(), { ...message, start: { ...start, client_state } })).toMatchObject({
      parameters: { values: { client_state: expected, a: "b" }, droppedCount: 1 },
    });
  });

  const stateOf = (client_state: string): string =>
    JSON.stringify({
      event: "start",
      stream_id: "s",
      start: { client_state, call_control_id: "c", media_format: { encoding: "PCMU" } },
    });
  costs(new Prober(pcmu), [
    ["a start with a client state of padding alone", stateOf(`${"=".repeat(60_000)}x`)],
    ["a start with a long client state", stateOf("QUJD".repeat(15_000))],
  ]);

  test("an empty client state is none", () => {
    const { start, ...message } = pcmu.startWith({}) as { start: object };
    const event = decode(pcmu.make(), { ...message, start: { ...start, client_state: "" } });
    expect(event).not.toHaveProperty("parameters");
  });

  test("C6: timestamps are ignored in any format, because their unit is not documented", () => {
    const wire = started() as TelnyxWire;
    for (const timestamp of ["20", 20, "", null, {}]) {
      const message = Buffer.from(JSON.stringify(pcmu.media({ timestamp })));
      for (const read of [wire.decode, wire.decodeFully]) {
        into.timestampMs = mediaMs(7);
        read.call(wire, message, into);
        expect(into.timestampMs).toBeNaN();
      }
    }
  });

  test.each([
    ["2026-11-20T09:30:12.481920Z", Date.UTC(2026, 10, 20, 9, 30, 12, 481)],
    ["2026-11-20T10:30:12+01:00", Date.UTC(2026, 10, 20, 9, 30, 12)],
    ["2026-11-20T09:30:12", Number.NaN],
    ["2026-13-41T09:30:12Z", Number.NaN],
    ["20 November 2026", Number.NaN],
    ["", Number.NaN],
    [1_763_631_012_000, Number.NaN],
    [null, Number.NaN],
  ])("C9: the DTMF time %j is read as %d", (occurred_at, occurredAtMs) => {
    expect(decode(started(), { ...pcmu.dtmf("1"), occurred_at })).toEqual({ kind: "dtmf", digit: "1", occurredAtMs });
  });

  test.each([
    [100_002, "100002"],
    ["100005", "100005"],
    ["rate_limit-reached", "rate_limit-reached"],
    ["x".repeat(64), "x".repeat(64)],
    ["x".repeat(65), "error"],
    ["two words", "error"],
    ["line\nbreak", "error"],
    [1e300, "error"],
    ["", "error"],
    [null, "error"],
    [{}, "error"],
  ])("an error of the code %j is reported as %s", (code, expected) => {
    const message = { event: "error", stream_id: pcmu.streamId, payload: { code, title: "t", detail: "+15550100001" } };
    expect(decode(started(), message)).toEqual({ kind: "carrier-error", code: expected });
  });

  test.each([
    { stop: { user_id: "u", call_control_id: "c" } },
    { stop: { reason: "hangup" } },
    { stop: null },
    { stop: "bare" },
    {},
  ])("C3: every variant of a stop is read: %j", (rest) => {
    expect(decode(started(), { event: "stop", stream_id: pcmu.streamId, ...rest })).toEqual({ kind: "stop" });
  });
});
