import { TelnyxWire, telnyxMediaLayouts } from "../../../src/carriers/telnyx/wire.ts";
import type { G711Codec } from "../../../src/wire/wire.ts";
import { carrierLines, common, holdsAs, PAYLOAD } from "../../support/wires/carrier-subject.ts";
import type { CarrierUnderTest } from "../../support/wires/wire-under-test.ts";

/** `inbound`: the law of the telephone leg; the stream's own codec is the other one, so that a mistaken one shows. */
export function carrierB(inbound: G711Codec): CarrierUnderTest {
  const encoding = inbound === "alaw" ? "PCMA" : "PCMU";
  const lines = carrierLines("telnyx").map((line) => line.replace('"PCMU"', `"${encoding}"`));
  const streamId = "5b1f4c7e-8a0d-4f63-9e2b-c3d7a1908f54";
  const callId = "v3:kTq0nXw2Zc8JmVb5RfLd1HyGs7UaPe4iOo9CtNxSgMhKjBuWlQzDrA";
  const media_format = { encoding, sample_rate: 8_000, channels: 1 };
  const audio = (payload: string): string => `{"event":"media","media":{"payload":"${payload}"}}`;
  return {
    name: `carrier_b with ${encoding}`,
    connectionType: "carrier_b",
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
    startWith: (custom_parameters) => ({
      event: "start",
      start: { call_control_id: callId, client_state: null, custom_parameters, media_format },
      stream_id: streamId,
    }),
    place: (chunk, atMs) => ({ chunk: String(chunk), timestamp: String(atMs) }),
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

/** See `carriersUnderTest`. */
export const subjects = (): CarrierUnderTest[] => [carrierB("mulaw"), carrierB("alaw")];
