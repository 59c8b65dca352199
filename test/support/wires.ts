import { CarrierA, carrierALayouts } from "../../src/wire/carrier-a.ts";
import { CarrierB, carrierBLayouts } from "../../src/wire/carrier-b.ts";
import { CarrierC, carrierCLayouts } from "../../src/wire/carrier-c.ts";
import type { MediaLayout } from "../../src/wire/media-scan.ts";
import type { G711Codec, Wire } from "../../src/wire/wire.ts";
import { fixtureLines } from "./mutate.ts";

/** One dialect with what the tests of every dialect must know of it: how its carrier says things, and how we must. */
export interface WireUnderTest {
  name: string;
  make(): Wire & { decodeFully: Wire["decode"] };
  /** One whole stream, the start of it as `start` says it, in the codec `inbound`. */
  lines: readonly string[];
  streamId: string;
  callId: string;
  inbound: G711Codec;
  /** How that stream's audio is written. */
  layouts: readonly MediaLayout[];
  start(streamId: unknown, callId?: unknown): Record<string, unknown>;
  /** Three bytes of audio that come in, with the members of `media` on top. */
  media(media: object, streamId?: unknown): object;
  mark(name: unknown, streamId?: unknown): object;
  dtmf(digit: unknown, streamId?: unknown): object;
  stop(streamId?: unknown): object;
  /** What we say, byte for byte. */
  sent: {
    audio(streamId: string, payload: string): string;
    mark(streamId: string, name: string): string;
    clear(streamId: string): string;
  };
}

const PAYLOAD = "f39/";

export function carrierA(): WireUnderTest {
  const lines = fixtureLines("wire/carrier_a.jsonl");
  const streamId = "MZ18ad3ab5a668481ce02b83e7395059f0";
  const callId = "CA9c1e5f0d3a7b4862a1c0e4d2f6b81937";
  const mediaFormat = { encoding: "audio/x-mulaw", sampleRate: 8_000, channels: 1 };
  return {
    name: "carrier_a",
    make: () => new CarrierA(),
    lines,
    streamId,
    callId,
    inbound: "mulaw",
    layouts: carrierALayouts(streamId),
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
      audio: (id, payload) => `{"event":"media","streamSid":${JSON.stringify(id)},"media":{"payload":"${payload}"}}`,
      mark: (id, name) => `{"event":"mark","streamSid":${JSON.stringify(id)},"mark":{"name":${JSON.stringify(name)}}}`,
      clear: (id) => `{"event":"clear","streamSid":${JSON.stringify(id)}}`,
    },
  };
}

/** `inbound`: the law of the telephone leg; the stream's own codec is the other one, so that a mistaken one shows. */
export function carrierB(inbound: G711Codec): WireUnderTest {
  const encoding = inbound === "alaw" ? "PCMA" : "PCMU";
  const lines = fixtureLines("wire/carrier_b.jsonl").map((line) => line.replace('"PCMU"', `"${encoding}"`));
  const streamId = "5b1f4c7e-8a0d-4f63-9e2b-c3d7a1908f54";
  const callId = "v3:kTq0nXw2Zc8JmVb5RfLd1HyGs7UaPe4iOo9CtNxSgMhKjBuWlQzDrA";
  const media_format = { encoding, sample_rate: 8_000, channels: 1 };
  return {
    name: `carrier_b with ${encoding}`,
    make: () => new CarrierB({ outboundCodec: inbound === "alaw" ? "mulaw" : "alaw" }),
    lines,
    streamId,
    callId,
    inbound,
    layouts: carrierBLayouts(streamId),
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
      audio: (_, payload) => `{"event":"media","media":{"payload":"${payload}"}}`,
      mark: (_, name) => `{"event":"mark","mark":{"name":${JSON.stringify(name)}}}`,
      clear: () => '{"event":"clear"}',
    },
  };
}

export function carrierC(): WireUnderTest {
  const lines = fixtureLines("wire/carrier_c.jsonl");
  const streamId = "e07b93d2-61fc-4a58-8d3e-f5120c9ab764";
  const callId = "2c8d4f19-b3e0-4716-a95c-7e60d182fb3a";
  const mediaFormat = { encoding: "audio/x-mulaw", sampleRate: 8_000 };
  const extra_headers = "call=example;purpose=fixture";
  return {
    name: "carrier_c",
    make: () => new CarrierC(),
    lines,
    streamId,
    callId,
    inbound: "mulaw",
    layouts: carrierCLayouts(streamId, extra_headers),
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
      audio: (_, payload) =>
        `{"event":"playAudio","media":{"contentType":"audio/x-mulaw","sampleRate":8000,"payload":"${payload}"}}`,
      mark: (id, name) => `{"event":"checkpoint","streamId":${JSON.stringify(id)},"name":${JSON.stringify(name)}}`,
      clear: (id) => `{"event":"clearAudio","streamId":${JSON.stringify(id)}}`,
    },
  };
}

/** Every dialect, in each codec that it can bring. */
export const wiresUnderTest = (): WireUnderTest[] => [carrierA(), carrierB("mulaw"), carrierB("alaw"), carrierC()];
