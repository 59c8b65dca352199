import { PlivoWire, plivoMediaLayouts } from "../../../src/carriers/plivo/wire.ts";
import { carrierLines, common, holdsAs, PAYLOAD } from "../../support/wires/carrier-subject.ts";
import type { CarrierUnderTest } from "../../support/wires/wire-under-test.ts";

/** When the recorded stream began, by the carrier's clock. */
const EPOCH_MS = 1_763_631_012_000;

export function carrierC(): CarrierUnderTest {
  const lines = carrierLines("plivo");
  const streamId = "e07b93d2-61fc-4a58-8d3e-f5120c9ab764";
  const callId = "2c8d4f19-b3e0-4716-a95c-7e60d182fb3a";
  const mediaFormat = { encoding: "audio/x-mulaw", sampleRate: 8_000 };
  const extra_headers = "call=example;purpose=fixture";
  const audio = (payload: string): string =>
    `{"event":"playAudio","media":{"contentType":"audio/x-mulaw","sampleRate":8000,"payload":"${payload}"}}`;
  return {
    name: "carrier_c",
    connectionType: "carrier_c",
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
    startWith: (parameters) => ({
      event: "start",
      start: { callId, streamId, mediaFormat },
      extra_headers: parameters === null ? null : JSON.stringify(parameters),
    }),
    place: (chunk, atMs) => ({ chunk, timestamp: String(EPOCH_MS + atMs) }),
    media: (media, id = streamId) => ({
      event: "media",
      sequenceNumber: 2,
      streamId: id,
      media: { track: "inbound", timestamp: String(EPOCH_MS), chunk: 1, payload: PAYLOAD, ...media },
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

/** See `carriersUnderTest`. */
export const subjects = (): CarrierUnderTest[] => [carrierC()];
