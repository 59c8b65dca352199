import { TwilioWire, twilioMediaLayouts } from "../../../src/carriers/twilio/wire.ts";
import { carrierLines, common, holdsAs, PAYLOAD } from "../../support/wires/carrier-subject.ts";
import type { CarrierUnderTest } from "../../support/wires/wire-under-test.ts";

export function carrierA(): CarrierUnderTest {
  const lines = carrierLines("twilio");
  const streamId = "MZ18ad3ab5a668481ce02b83e7395059f0";
  const callId = "CA9c1e5f0d3a7b4862a1c0e4d2f6b81937";
  const mediaFormat = { encoding: "audio/x-mulaw", sampleRate: 8_000, channels: 1 };
  const audio = (payload: string, id = streamId): string =>
    `{"event":"media","streamSid":${JSON.stringify(id)},"media":{"payload":"${payload}"}}`;
  return {
    name: "carrier_a",
    connectionType: "carrier_a",
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
    startWith: (customParameters) => ({
      event: "start",
      start: { streamSid: streamId, callSid: callId, mediaFormat, customParameters },
      streamSid: streamId,
    }),
    place: (chunk, atMs) => ({ chunk: String(chunk), timestamp: String(atMs) }),
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

/** See `carriersUnderTest`. */
export const subjects = (): CarrierUnderTest[] => [carrierA()];
