import alawmulaw from "alawmulaw";
import { scanMedia } from "../../../src/carriers/media-scanner.ts";
import { PlivoWire, plivoMediaLayouts } from "../../../src/carriers/plivo/wire.ts";
import { TelnyxWire, telnyxMediaLayouts } from "../../../src/carriers/telnyx/wire.ts";
import { TwilioWire, twilioMediaLayouts } from "../../../src/carriers/twilio/wire.ts";
import { CARRIER_MESSAGE_BYTES_MAX } from "../../../src/core/limits/messages.ts";
import type { G711Codec } from "../../../src/wire/wire.ts";
import { inboundAudio } from "../audio/inbound-audio.ts";
import { type CarrierUnderTest, fixtureLines, messageOf, type WireMessage } from "./wire-under-test.ts";

const PAYLOAD = "f39/";

/** What the three have in common: how their audio is written, and that there is but one kind of refusal. */
function common(lines: readonly string[], inbound: G711Codec) {
  return {
    lines,
    messages: lines.map(messageOf),
    inbound,
    heard: (audio: readonly WireMessage[]) => {
      const payloads = audio.map(({ bytes }) => JSON.parse(Buffer.from(bytes).toString()).media.payload);
      const bytes = new Uint8Array(Buffer.concat(payloads.map((payload) => Buffer.from(payload, "base64"))));
      return { samples: alawmulaw[inbound].decode(bytes), bytes };
    },
    kindKey: "event",
    stopBytesMax: CARRIER_MESSAGE_BYTES_MAX,
    refusals: { notAnObject: "wire_malformed", tooLong: "wire_malformed" },
  };
}

/** Whether a message is the one that `audio` makes of the payload. */
const holdsAs = (audio: (payload: string) => string) => (message: Uint8Array, bytes: Uint8Array) =>
  Buffer.from(message).toString() === audio(Buffer.from(bytes).toString("base64"));

export function carrierA(): CarrierUnderTest {
  const lines = fixtureLines("wire/carrier_a.jsonl");
  const streamId = "MZ18ad3ab5a668481ce02b83e7395059f0";
  const callId = "CA9c1e5f0d3a7b4862a1c0e4d2f6b81937";
  const mediaFormat = { encoding: "audio/x-mulaw", sampleRate: 8_000, channels: 1 };
  const audio = (payload: string, id = streamId): string =>
    `{"event":"media","streamSid":${JSON.stringify(id)},"media":{"payload":"${payload}"}}`;
  return {
    name: "carrier_a",
    ...common(lines, "mulaw"),
    make: () => new TwilioWire(),
    streamId,
    callId,
    layouts: twilioMediaLayouts(streamId),
    unusual: 0,
    start: (streamSid, callSid = callId) => ({
      event: "start",
      sequenceNumber: "1",
      start: { streamSid, callSid, mediaFormat },
      streamSid,
    }),
    media: (media, streamSid = streamId) => ({
      event: "media",
      sequenceNumber: "2",
      media: { track: "inbound", chunk: "1", timestamp: "20", payload: PAYLOAD, ...media },
      streamSid,
    }),
    mark: (name, streamSid = streamId) => ({ event: "mark", sequenceNumber: "3", streamSid, mark: { name } }),
    dtmf: (digit, streamSid = streamId) => ({ event: "dtmf", streamSid, sequenceNumber: "4", dtmf: { digit } }),
    stop: (streamSid = streamId) => ({ event: "stop", sequenceNumber: "5", streamSid }),
    sent: {
      audio,
      holds: holdsAs(audio),
      mark: (name, id = streamId) =>
        `{"event":"mark","streamSid":${JSON.stringify(id)},"mark":{"name":${JSON.stringify(name)}}}`,
      clear: (id = streamId) => `{"event":"clear","streamSid":${JSON.stringify(id)}}`,
    },
  };
}

/** `inbound`: the law of the telephone leg; the stream's own codec is the other one, so that a mistaken one shows. */
export function carrierB(inbound: G711Codec): CarrierUnderTest {
  const encoding = inbound === "alaw" ? "PCMA" : "PCMU";
  const lines = fixtureLines("wire/carrier_b.jsonl").map((line) => line.replace('"PCMU"', `"${encoding}"`));
  const streamId = "5b1f4c7e-8a0d-4f63-9e2b-c3d7a1908f54";
  const callId = "v3:kTq0nXw2Zc8JmVb5RfLd1HyGs7UaPe4iOo9CtNxSgMhKjBuWlQzDrA";
  const media_format = { encoding, sample_rate: 8_000, channels: 1 };
  const audio = (payload: string): string => `{"event":"media","media":{"payload":"${payload}"}}`;
  return {
    name: `carrier_b with ${encoding}`,
    ...common(lines, inbound),
    make: () => new TelnyxWire({ outboundCodec: inbound === "alaw" ? "mulaw" : "alaw" }),
    streamId,
    callId,
    layouts: telnyxMediaLayouts(streamId),
    unusual: 1,
    start: (stream_id, call_control_id = callId) => ({
      event: "start",
      sequence_number: "1",
      start: { call_control_id, media_format },
      stream_id,
    }),
    media: (media, stream_id = streamId) => ({
      event: "media",
      sequence_number: "2",
      media: { track: "inbound", chunk: "1", timestamp: "5", payload: PAYLOAD, ...media },
      stream_id,
    }),
    mark: (name, stream_id = streamId) => ({ event: "mark", stream_id, sequence_number: "3", mark: { name } }),
    dtmf: (digit, stream_id = streamId) => ({ event: "dtmf", stream_id, sequence_number: "4", dtmf: { digit } }),
    stop: (stream_id = streamId) => ({ event: "stop", sequence_number: "5", stream_id }),
    sent: {
      audio,
      holds: holdsAs(audio),
      mark: (name) => `{"event":"mark","mark":{"name":${JSON.stringify(name)}}}`,
      clear: () => '{"event":"clear"}',
    },
  };
}

export function carrierC(): CarrierUnderTest {
  const lines = fixtureLines("wire/carrier_c.jsonl");
  const streamId = "e07b93d2-61fc-4a58-8d3e-f5120c9ab764";
  const callId = "2c8d4f19-b3e0-4716-a95c-7e60d182fb3a";
  const mediaFormat = { encoding: "audio/x-mulaw", sampleRate: 8_000 };
  const extra_headers = "call=example;purpose=fixture";
  const audio = (payload: string): string =>
    `{"event":"playAudio","media":{"contentType":"audio/x-mulaw","sampleRate":8000,"payload":"${payload}"}}`;
  return {
    name: "carrier_c",
    ...common(lines, "mulaw"),
    make: () => new PlivoWire(),
    streamId,
    callId,
    layouts: plivoMediaLayouts(streamId, extra_headers),
    unusual: 1,
    start: (id, call = callId) => ({
      event: "start",
      sequenceNumber: 1,
      start: { callId: call, streamId: id, tracks: ["inbound"], mediaFormat },
      extra_headers,
    }),
    media: (media, id = streamId) => ({
      event: "media",
      sequenceNumber: 2,
      streamId: id,
      media: { track: "inbound", timestamp: "1763631012000", chunk: 1, payload: PAYLOAD, ...media },
      extra_headers,
    }),
    mark: (name, id = streamId) => ({ event: "playedStream", sequenceNumber: 3, streamId: id, name }),
    dtmf: (digit, id = streamId) => ({ event: "dtmf", sequenceNumber: 4, streamId: id, dtmf: { digit } }),
    stop: (id = streamId) => ({ event: "stop", sequenceNumber: 5, streamId: id }),
    sent: {
      audio,
      holds: holdsAs(audio),
      mark: (name, id = streamId) =>
        `{"event":"checkpoint","streamId":${JSON.stringify(id)},"name":${JSON.stringify(name)}}`,
      clear: (id = streamId) => `{"event":"clearAudio","streamId":${JSON.stringify(id)}}`,
    },
  };
}

/** The three carriers, in each codec that they can bring. */
export const carriersUnderTest = (): CarrierUnderTest[] => [
  carrierA(),
  carrierB("mulaw"),
  carrierB("alaw"),
  carrierC(),
];

const scanned = inboundAudio();

/** Whether the fixture's stream takes the short cut for a message. */
export const isShort = ({ layouts, inbound }: CarrierUnderTest, message: Uint8Array): boolean =>
  scanMedia(message, layouts, inbound, scanned);
