import { callMs, mediaMs } from "../../../src/core/clocks.ts";
import { FRAME_MS, OUTPUT_LEAD_MS } from "../../../src/core/limits/streams/media.ts";
import { EchoDetector, type EchoVerdict } from "../../../src/media/echo/echo-detector.ts";
import { FrameEncoder } from "../../../src/media/frame-codec.ts";

export interface EchoCall {
  /** What the agent says, by the time of its playback, and what comes from the caller: samples at these rates. */
  agent: Int16Array;
  caller: Int16Array;
  agentRateHz?: number;
  callerRateHz?: number;
  codec?: "mulaw" | "alaw" | "pcm_s16le";
  /** How late a frame of the caller arrives, ms. */
  lateMs?: (frame: number) => number;
  /** Frames of the caller that do not arrive. */
  isLost?: (frame: number) => boolean;
  /** Frames in which the caller's audio stops, and its media time with it: a client without timestamps is held up. */
  isStopped?: (frame: number) => boolean;
  /** Frames of the agent that are not sent; a pause. */
  isSilent?: (frame: number) => boolean;
  /** Whether the voice activity detector finds a voice; by default in every frame that is not silent. */
  isVoiced?: (samples: Int16Array) => boolean;
  detector?: EchoDetector;
}

export interface JudgedFrame {
  frame: number;
  voiced: boolean;
  verdict: EchoVerdict;
}

const VOICED_LEVEL = 50;
const isNotSilent = (samples: Int16Array): boolean =>
  Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length) > VOICED_LEVEL;

/** Sends the agent's audio ahead of its playback, as a leg does, and judges the caller's frames. */
export function judgeCall(call: EchoCall): JudgedFrame[] {
  const { agent, caller, agentRateHz = 8_000, callerRateHz = 8_000, codec = "mulaw" } = call;
  const { lateMs = () => 0, isLost = () => false, isStopped = () => false } = call;
  const { isSilent = () => false, isVoiced = isNotSilent } = call;
  const detector = call.detector ?? new EchoDetector({ codec, outboundRateHz: agentRateHz });
  const encoder = new FrameEncoder(codec, (agentRateHz / 1_000) * FRAME_MS);
  const callerSamples = (callerRateHz / 1_000) * FRAME_MS;
  const judged: JudgedFrame[] = [];
  let sent = 0;
  let stoppedFrames = 0;
  for (let frame = 0; (frame + 1) * callerSamples <= caller.length; frame += 1) {
    for (; sent * FRAME_MS <= frame * FRAME_MS + OUTPUT_LEAD_MS; sent += 1) {
      const at = sent * encoder.samples.length;
      if (at + encoder.samples.length > agent.length || isSilent(sent)) continue;
      encoder.samples.set(agent.subarray(at, at + encoder.samples.length));
      detector.sent(encoder.encode(), callMs(sent * FRAME_MS));
    }
    if (isStopped(frame)) stoppedFrames += 1;
    if (isLost(frame) || isStopped(frame)) continue;
    const samples = caller.subarray(frame * callerSamples, (frame + 1) * callerSamples);
    const voiced = isVoiced(samples);
    const arrivedMs = callMs((frame + 1) * FRAME_MS + lateMs(frame));
    const mediaTimeMs = mediaMs((frame - stoppedFrames) * FRAME_MS);
    judged.push({ frame, voiced, verdict: detector.judge(samples, voiced, mediaTimeMs, arrivedMs) });
  }
  return judged;
}
