import { describe, expect, test } from "vitest";
import { scanMedia } from "../../../src/carriers/media-scanner.ts";
import { createTwilioWire, TwilioWire, twilioMediaLayouts } from "../../../src/carriers/twilio/wire.ts";
import { carrierContract } from "../../contract/wire/carrier.ts";
import { inboundAudio } from "../../support/audio/inbound-audio.ts";
import { carrierA } from "./subject.ts";

const subject = carrierA();
const into = inboundAudio();
const malformed = expect.objectContaining({ code: "wire_malformed" });

carrierContract(subject, [
  { kind: "ignored", what: "greeting" },
  { kind: "start", streamId: subject.streamId, carrierCallId: subject.callId, codec: "mulaw" },
  "audio 1: 160 at 102",
  "audio 2: 160 at 122",
  "audio 3: 160 at 142",
  "audio 4: 160 at 161",
  "audio 5: 160 at 182",
  "audio 6: 160 at 202",
  { kind: "dtmf", digit: "1", occurredAtMs: Number.NaN },
  { kind: "dtmf", digit: "#", occurredAtMs: Number.NaN },
  "audio 7: 160 at 222",
  "audio 8: 160 at 742",
  { kind: "mark", name: "1.0" },
  { kind: "ignored", what: "outbound_track" },
  "audio 10: 320 at 762",
  "audio 11: 161 at 802",
  "audio 12: 162 at 822",
  { kind: "mark", name: "2.0" },
  { kind: "stop" },
]);

function decode(message: unknown, wire = createTwilioWire()) {
  return wire.decode(Buffer.from(JSON.stringify(message)), into);
}

describe("carrier_a", () => {
  test("sends mu-law and needs no reordering", () => {
    expect(createTwilioWire()).toMatchObject({
      inboundRateHz: 8_000,
      outboundRateHz: 8_000,
      binaryAudio: false,
      outboundCodec: "mulaw",
      jitterBuffer: undefined,
      hasWallClockTimestamps: false,
    });
  });

  test.each([
    { encoding: "audio/x-alaw", sampleRate: 8_000, channels: 1 },
    { encoding: "audio/x-mulaw", sampleRate: 16_000, channels: 1 },
    { encoding: "audio/x-mulaw", sampleRate: 8_000, channels: 2 },
    { encoding: "audio/x-mulaw", sampleRate: "8e3", channels: 1 },
    { encoding: "AUDIO/X-MULAW", sampleRate: 8_000, channels: 1 },
    { encoding: "audio/x-mulaw", sampleRate: 8_000, channels: "two" },
    { sampleRate: 16_000 },
    [],
    7,
    "audio/x-mulaw",
  ])("C11: a start with the format %j is malformed, and starts nothing", (mediaFormat) => {
    const wire = createTwilioWire();
    const start = { streamSid: "s", callSid: "c", mediaFormat };
    expect(() => decode({ event: "start", start }, wire)).toThrow(malformed);
    expect(() => wire.encodeClear()).toThrow("no clear before start");
  });

  test.each([
    undefined,
    null,
    {},
    { encoding: "audio/x-mulaw" },
    { encoding: "audio/x-mulaw", sampleRate: 8_000 },
    { sampleRate: 8_000, channels: null },
  ])("C11: a start may have the format %j: the carrier has no other", (mediaFormat) => {
    const start = { streamSid: "s", callSid: "c", mediaFormat };
    expect(decode({ event: "start", start })).toMatchObject({ kind: "start", codec: "mulaw" });
  });

  test("the ids of a start may be beside `start`", () => {
    const message = { event: "start", start: {}, streamSid: "s", callSid: "c" };
    expect(decode(message)).toMatchObject({ streamId: "s", carrierCallId: "c" });
    expect(() => decode({ ...message, callSid: undefined })).toThrow(malformed);
    expect(() => decode({ ...message, streamSid: undefined })).toThrow(malformed);
  });

  test("numbers of a start may be strings", () => {
    const mediaFormat = { encoding: "audio/x-mulaw", sampleRate: "8000", channels: "1" };
    const start = { streamSid: "s", callSid: "c", mediaFormat };
    expect(decode({ event: "start", start })).toMatchObject({ kind: "start" });
  });

  test("the stream's id may be only inside `start`, but two different ids are refused", () => {
    const message = subject.start("s");
    expect(decode({ ...message, streamSid: undefined })).toMatchObject({ streamId: "s" });
    expect(() => decode({ ...message, streamSid: "other" })).toThrow(malformed);
  });

  test.each([
    ["20", 20],
    [20.5, 20.5],
    ["NaN", Number.NaN],
    [-20, Number.NaN],
    [null, Number.NaN],
  ])("C6: the timestamp %j is read as %d", (timestamp, timestampMs) => {
    expect(decode(subject.media({ timestamp }))).toEqual({ kind: "audio" });
    expect(into.timestampMs).toBe(timestampMs);
  });

  test("the fast path is not taken before the start", () => {
    const message = Buffer.from(JSON.stringify(subject.media({})));
    expect(scanMedia(message, [], "mulaw", into)).toBe(false);
    expect(scanMedia(message, twilioMediaLayouts(subject.streamId), "mulaw", into)).toBe(true);
    expect(new TwilioWire().decode(message, into)).toEqual({ kind: "audio" });
  });
});
