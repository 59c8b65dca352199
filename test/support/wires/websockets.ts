import { STREAM_CODECS, type StreamCodec, type StreamFormat } from "../../../src/core/calls/spec.ts";
import { asCallId } from "../../../src/core/ids.ts";
import { TEXT_MESSAGE_BYTES_MAX } from "../../../src/core/limits/streams/messages.ts";
import { createWebsocketWire } from "../../../src/wire/websocket/wire.ts";
import { opus } from "../audio/opus-codecs.ts";
import { samplesOf } from "../audio/samples.ts";
import { fixtureLines, messageOf, type WireMessage, type WireUnderTest } from "./wire-under-test.ts";

/** The id of the call whose legs are tested. */
export const CALL_ID = asCallId("call_0199f3a1-7c55-7e02-9d6b-3f1a2b4c5d6e");

/** What is negotiated in the tests of a codec: both rates differ where they can. */
export const FORMATS: Readonly<Record<StreamCodec, StreamFormat>> = {
  pcm_s16le: { codec: "pcm_s16le", inputRateHz: 16_000, outputRateHz: 24_000 },
  mulaw: { codec: "mulaw", inputRateHz: 8_000, outputRateHz: 8_000 },
  alaw: { codec: "alaw", inputRateHz: 8_000, outputRateHz: 8_000 },
  opus: { codec: "opus", inputRateHz: 48_000, outputRateHz: 24_000 },
};

export function websocket(codec: StreamCodec): WireUnderTest {
  const keptIn = codec === "opus" ? "pcm_s16le" : codec;
  return {
    name: `websocket with ${codec}`,
    make: () => createWebsocketWire({ format: FORMATS[codec], callId: CALL_ID, opus }),
    messages: fixtureLines(`wire/websocket_${codec}.jsonl`).map(messageOf),
    inbound: keptIn,
    heard: (audio) => {
      if (codec === "opus") return { samples: unpacked(audio), bytes: new Uint8Array() };
      const bytes = new Uint8Array(Buffer.concat(audio.map((message) => message.bytes)));
      return { samples: samplesOf(keptIn, bytes), bytes };
    },
    kindKey: "type",
    mark: (name) => ({ type: "mark", name }),
    dtmf: (digit) => ({ type: "dtmf", digit }),
    stop: () => ({ type: "end" }),
    stopBytesMax: TEXT_MESSAGE_BYTES_MAX,
    refusals: { notAnObject: "wire_wrong_data", tooLong: "wire_too_large" },
    sent: {
      mark: (name) => `{"type":"mark","name":${JSON.stringify(name)}}`,
      clear: () => '{"type":"clear"}',
      holds: (message, bytes) => {
        if (codec !== "opus") return Buffer.compare(message, bytes) === 0;
        return unpacked([{ bytes: message, isBinary: true }]).length === 320;
      },
    },
  };
}

/** The raw protocol in every codec. */
export const websocketsUnderTest = (): WireUnderTest[] => STREAM_CODECS.map(websocket);

/** What a decoder of its own makes of a stream's packets, at 16,000 Hz. */
function unpacked(packets: readonly WireMessage[]): Int16Array {
  const decoder = opus.decoder(16_000);
  const into = new Int16Array(5_760);
  const samples = packets.flatMap(({ bytes }) => [...into.subarray(0, decoder.decode(bytes, into))]);
  decoder.close();
  return Int16Array.from(samples);
}
