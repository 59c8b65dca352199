import { monotonicMs } from "../../src/core/clocks.ts";
import { asCallId } from "../../src/core/ids.ts";
import { FRAME_MS } from "../../src/core/limits/streams/media.ts";
import { RTP_PACKET_BYTES_MAX } from "../../src/core/limits/streams/webrtc.ts";
import { openRtpSender, RtpTransport } from "../../src/gateway/webrtc/rtp-transport.ts";
import { loadRtpOpus } from "../../src/media/opus/load.ts";
import { writeRtp } from "../../src/media/rtp/packet.ts";
import { createWebrtcWire } from "../../src/wire/webrtc/wire.ts";
import { inboundAudio } from "../../test/support/audio/inbound-audio.ts";
import { opus } from "../../test/support/audio/opus-codecs.ts";
import { opusStream } from "../../test/support/audio/opus-packets.ts";
import { DEFAULT_LIVENESS } from "../../test/support/configuration/liveness.ts";
import { Random } from "../../test/support/random.ts";
import type { DelayResult, Scene } from "./result.ts";

const SECONDS = 60;
/** Less than what would let a packet overtake another. */
const JITTER_MS = 15;
const PAYLOAD_TYPE = 111;
const FRAME_TICKS = 960;
const FRAME_SAMPLES = 320;

/**
 * How long audio that comes in order, early and late, is held on its way in: the transport and the wire of the service, on a clock
 * that moves only when the next thing happens. Takes no time.
 */
export async function measureDelay({ options, write }: Scene): Promise<DelayResult> {
  const random = new Random(options.seed);
  let nowMs = 0;
  const clock = { nowMs: () => monotonicMs(nowMs), epochMs: () => 0 as never };
  const sender = openRtpSender(PAYLOAD_TYPE);
  const callId = asCallId("call_0199f3a1-7c55-7e02-9d6b-3f1a2b4c5d6e");
  const wire = createWebrtcWire({ callId, opus: await loadRtpOpus(opus), sender });
  const socket = { liveness: DEFAULT_LIVENESS, bufferedBytes: 0, send: () => true, ping: () => {}, close: () => {} };
  const transport = new RtpTransport({
    socket,
    sender,
    opusPayloadType: PAYLOAD_TYPE,
    clock,
    connected: () => {},
    closed: () => {},
  });
  transport.use({ answer: "", oversized: 0, send: () => true, close: () => {} });
  const into = inboundAudio();
  const arrivedMs: number[] = [];
  let [handedOn, samples, waitedMs, heldFrames] = [0, 0, 0, 0];
  const message = (bytes: Uint8Array): void => {
    wire.decode(bytes, into, true);
    waitedMs = Math.max(waitedMs, nowMs - (arrivedMs[handedOn] as number));
    handedOn += 1;
    samples += into.count;
  };
  transport.connected();
  transport.start({ message }, wire);
  const client = { rateHz: 48_000, channels: 1, frameMs: FRAME_MS, bitrateBps: 32_000, fec: true } as const;
  const packets = opusStream(client, 1_000 * SECONDS, (second) => 8_000 * Math.sin(2 * Math.PI * 440 * second));
  const bytes = new Uint8Array(RTP_PACKET_BYTES_MAX);
  for (const [n, packet] of packets.entries()) {
    nowMs = n * FRAME_MS + random.between(0, JITTER_MS);
    arrivedMs.push(nowMs);
    const header = { payloadType: PAYLOAD_TYPE, marker: n === 0, sequence: n, timestamp: n * FRAME_TICKS, ssrc: 1 };
    transport.rtp(bytes.subarray(0, writeRtp(header, packet, bytes)));
    heldFrames = Math.max(heldFrames, n + 1 - samples / FRAME_SAMPLES);
    nowMs = (n + 1) * FRAME_MS;
    transport.tick();
  }
  wire.close?.();
  write(`delay: ${handedOn} packets in order, waited at most ${waitedMs} ms, held at most ${heldFrames} frames`);
  return { packets: packets.length, waitedMs, heldFrames };
}
