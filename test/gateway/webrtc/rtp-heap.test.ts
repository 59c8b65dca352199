import { expect, test } from "vitest";
import { monotonicMs } from "../../../src/core/clocks.ts";
import { asCallId } from "../../../src/core/ids.ts";
import { FRAME_MS } from "../../../src/core/limits/streams/media.ts";
import { openRtpSender, RtpTransport } from "../../../src/gateway/webrtc/rtp-transport.ts";
import type { LossyOpusDecoder, OpusEncoder } from "../../../src/media/opus/codecs.ts";
import { putUint32, writeRtp } from "../../../src/media/rtp/packet.ts";
import { createWebrtcWire } from "../../../src/wire/webrtc/wire.ts";
import { inboundAudio } from "../../support/audio/inbound-audio.ts";
import { DEFAULT_LIVENESS } from "../../support/configuration/liveness.ts";
import { heapBytesPerRun } from "../../support/heap.ts";

/** Times that are passed on are boxed where the compiler does not inline, 16 bytes each; a view is an object of more than that. */
const NUMBERS_BYTES_MAX = 70;
const SAMPLES = 320;
/** The lengths of packets of speech: each has its view from the first time on. */
const LENGTHS = [40, 71, 83, 120];

/** In place of the library, which makes an object of each packet that it returns: the length of the next one changes. */
const packets = LENGTHS.map((length) => new Uint8Array(length).fill(7));
let encoded = 0;
const encoder: OpusEncoder = {
  encode: () => {
    encoded += 1;
    return packets[encoded % packets.length] as Uint8Array;
  },
  close: () => {},
};
const decoder: LossyOpusDecoder = { decode: () => SAMPLES, decodeLost: () => 0, close: () => {} };

function stage() {
  const now = { ms: 0.25 };
  const sender = openRtpSender(111);
  const wire = createWebrtcWire({
    callId: asCallId("call_0199f3a1-7c55-7e02-9d6b-3f1a2b4c5d6e"),
    opus: { decoder: () => decoder, encoder: () => encoder },
    sender,
  });
  const socket = { liveness: DEFAULT_LIVENESS, bufferedBytes: 0, send: () => true, ping: () => {}, close: () => {} };
  const clock = { nowMs: () => monotonicMs(now.ms) };
  const events = { connected: () => {}, closed: () => {} };
  const transport = new RtpTransport({ socket, sender, opusPayloadType: 111, clock, ...events });
  const sent = { bytes: 0 };
  transport.use({
    answer: "",
    oversized: 0,
    send: (packet) => {
      sent.bytes += packet.length;
      return true;
    },
    close: () => {},
  });
  transport.connected();
  return { now, wire, transport, sent };
}

test("a packet of the client reaches the decoder without leaving an object on the heap", () => {
  const { now, wire, transport } = stage();
  const into = inboundAudio();
  const heard = { samples: 0, packets: 0 };
  const message = (bytes: Uint8Array, isBinary: boolean): void => {
    wire.decode(bytes, into, isBinary);
    heard.samples += into.count;
  };
  transport.start({ message }, wire);
  const header = { payloadType: 111, marker: false, sequence: 0, timestamp: 0, ssrc: 5 };
  const datagrams = packets.map((payload) => {
    const bytes = new Uint8Array(12 + payload.length);
    writeRtp(header, payload, bytes);
    return bytes;
  });
  const bytes = heapBytesPerRun(() => {
    const datagram = datagrams[heard.packets % datagrams.length] as Uint8Array;
    datagram[2] = heard.packets >> 8;
    datagram[3] = heard.packets;
    putUint32(datagram, 4, heard.packets * 960);
    heard.packets += 1;
    now.ms += FRAME_MS;
    transport.rtp(datagram);
  }, 200);
  expect(heard.samples).toBe(heard.packets * SAMPLES);
  expect(bytes).toBeLessThan(NUMBERS_BYTES_MAX);
});

test("a frame of the agent reaches the peer without leaving an object on the heap", () => {
  const { now, wire, transport, sent } = stage();
  const frame = new Uint8Array(960);
  const bytes = heapBytesPerRun(() => {
    now.ms += FRAME_MS;
    transport.send(wire.encodeAudio(frame), true);
  }, 200);
  expect(sent.bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThan(NUMBERS_BYTES_MAX);
});
