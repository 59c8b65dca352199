import { CARRIER_FRAME_SAMPLES, FRAME_MS } from "../../src/core/limits/streams/media.ts";
import { MU_LAW } from "../../src/media/g711.ts";

// What carrier_a sends, message by message. fixtures/wire/ has where the messages are documented.

export const STREAM_ID = "MZ00000000000000000000000000000001";
/** 20 ms, base64. */
export const SILENCE = Buffer.alloc(CARRIER_FRAME_SAMPLES, MU_LAW.silenceByte).toString("base64");

export const CONNECTED = { event: "connected", protocol: "Call", version: "1.0.0" };

export const startMessage = (streamId = STREAM_ID): object => ({
  event: "start",
  sequenceNumber: "1",
  streamSid: streamId,
  start: {
    accountSid: "AC0",
    streamSid: streamId,
    callSid: "CA0",
    tracks: ["inbound"],
    mediaFormat: { encoding: "audio/x-mulaw", sampleRate: 8_000, channels: 1 },
    customParameters: {},
  },
});

/** The frame of this number, counted from 1; `payload` is base64. */
export const mediaMessage = (number: number, payload = SILENCE): object => ({
  event: "media",
  sequenceNumber: String(number + 1),
  streamSid: STREAM_ID,
  media: { track: "inbound", chunk: String(number), timestamp: String(number * FRAME_MS), payload },
});
