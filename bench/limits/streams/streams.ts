import type { CallSpec, StreamFormat } from "../../../src/core/calls/spec.ts";
import { INBOUND_STALL_MS_MAX } from "../../../src/core/limits/streams/caller-audio.ts";
import { CARRIER_RATE_HZ, FRAME_MS } from "../../../src/core/limits/streams/media.ts";
import { CARRIER_MESSAGE_BYTES_MAX } from "../../../src/core/limits/streams/messages.ts";
import { encodeFrame, OPCODE } from "../../../test/support/network/raw-ws.ts";
import { BENCH_SPEC } from "../../harness/call-spec.ts";
import type { LimitStream } from "../limit.ts";

// The streams over which limits are driven. Their agents wait, so that what is measured is what the peer causes.

export const STREAM_ID = "18ad3ab5a668481ce02b83e7395059f0";
export const EPOCH_MS = Date.UTC(2026, 0, 1);

const WAITING: CallSpec = { ...BENCH_SPEC, firstSpeaker: "user", interruptible: true, recordingEnabled: true };

export function rawStream(codec: StreamFormat["codec"], rateHz: StreamFormat["inputRateHz"]): LimitStream {
  const spec: CallSpec = {
    ...WAITING,
    connectionType: "websocket",
    websocket: { codec, inputRateHz: rateHz, outputRateHz: rateHz },
  };
  return { name: `websocket, ${codec} ${rateHz / 1_000} kHz`, spec, opening: [] };
}

export type CarrierName = "carrier_a" | "carrier_b" | "carrier_c";
export const CARRIER_NAMES: readonly CarrierName[] = ["carrier_a", "carrier_b", "carrier_c"];

const FORMAT = { encoding: "audio/x-mulaw", sampleRate: CARRIER_RATE_HZ, channels: 1 };
const STARTS: Readonly<Record<CarrierName, object>> = {
  carrier_a: { event: "start", start: { streamSid: STREAM_ID, callSid: "CA0", mediaFormat: FORMAT } },
  carrier_b: {
    event: "start",
    stream_id: STREAM_ID,
    start: {
      call_control_id: "v3:0",
      media_format: { encoding: "PCMU", sample_rate: CARRIER_RATE_HZ, channels: 1 },
    },
  },
  carrier_c: { event: "start", start: { streamId: STREAM_ID, callId: "call" } },
};

export const carrierStream = (name: CarrierName): LimitStream => ({
  name,
  spec: { ...WAITING, connectionType: name },
  opening: [JSON.stringify(STARTS[name])],
});

/** Audio as each carrier writes it, which its fast reader knows; of the stream's time `atMs`. */
export function usualMedia(
  name: CarrierName,
  chunk: number,
  samples: number,
  atMs = Math.floor((chunk * samples * 1_000) / CARRIER_RATE_HZ),
): string {
  const payload = Buffer.alloc(samples, 0x55).toString("base64");
  const before = `"media":{"track":"inbound","chunk":"${chunk}","timestamp":"${atMs}","payload":"${payload}"}`;
  switch (name) {
    case "carrier_a":
      return `{"event":"media","sequenceNumber":"${chunk + 1}",${before},"streamSid":"${STREAM_ID}"}`;
    case "carrier_b":
      return `{"event":"media","sequence_number":"${chunk + 1}",${before},"stream_id":"${STREAM_ID}"}`;
    case "carrier_c":
      return (
        `{"event":"media","sequenceNumber":${chunk + 1},"streamId":"${STREAM_ID}",` +
        `"media":{"track":"inbound","timestamp":"${EPOCH_MS + atMs}","chunk":${chunk},"payload":"${payload}"}}`
      );
  }
}

/** The same audio with its members in another order, which is parsed in full. */
export function unusualMedia(name: CarrierName, chunk: number, samples: number, track = "inbound"): string {
  const { media, ...rest } = JSON.parse(usualMedia(name, chunk, samples)) as { media: object };
  return JSON.stringify({ media: { ...media, track }, ...rest });
}

/** Audio of 3 samples beside a payload that is none and fills the message. */
export function decoyMedia(name: CarrierName, chunk: number): string {
  const media = unusualMedia(name, chunk, 3);
  const around = '"x":{"payload":""},'.length;
  return `{"x":{"payload":"${"A".repeat(CARRIER_MESSAGE_BYTES_MAX - media.length - around)}"},${media.slice(1)}`;
}

/** One sample in its turn, followed by `count` messages of carrier_b that arrive too late: 15 at most, because more begin a new count. */
export const lateMedia = (index: number, count: number, samples: number): Buffer =>
  messages(count, (at) => usualMedia("carrier_b", 1_000 + index - at, at === 0 ? 1 : samples));

/** One sample after a leap of the carrier's clock, and `count` messages of carrier_c that are older by it than what is made up for. */
export function staleMedia(index: number, count: number, samples: number): Buffer {
  const staleMs = index * 2 * INBOUND_STALL_MS_MAX;
  const newMs = staleMs + INBOUND_STALL_MS_MAX + FRAME_MS;
  return messages(count, (at) => usualMedia("carrier_c", 1, at === 0 ? 1 : samples, at === 0 ? newMs : staleMs));
}

const messages = (count: number, of: (at: number) => string): Buffer =>
  Buffer.concat(Array.from({ length: 1 + count }, (_, at) => textFrame(of(at))));

export const textFrame = (text: string): Buffer => encodeFrame({ opcode: OPCODE.text, payload: text });
export const binaryFrame = (bytes: Uint8Array): Buffer => encodeFrame({ opcode: OPCODE.binary, payload: bytes });
