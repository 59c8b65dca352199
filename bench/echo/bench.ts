import { callMs, mediaMs } from "../../src/core/clocks.ts";
import {
  CARRIER_FRAME_SAMPLES,
  CARRIER_RATE_HZ,
  FRAME_MS,
  OUTPUT_LEAD_MS,
} from "../../src/core/limits/streams/media.ts";
import { EchoDetector, type EchoVerdict } from "../../src/media/echo/echo-detector.ts";
import { FrameEncoder } from "../../src/media/frame-codec.ts";
import type { SpeechOnset, VoiceActivityDetection } from "../../src/media/voice-activity/detector.ts";
import { DEFAULT_SEGMENTATION } from "../../src/media/voice-activity/segmentation.ts";
import { SpeechSegmenter } from "../../src/media/voice-activity/segmenter.ts";
import { Random } from "../../test/support/random.ts";
import { type Condition, type Span, type Tape, tapeOf } from "./tape.ts";

const SAMPLES_PER_MS = CARRIER_FRAME_SAMPLES / FRAME_MS;
/** An echo outlasts its reply by this. */
const AFTER_REPLY_MS = 400;
/** Speech is noticed within this, or not at all. */
const NOTICED_MS_MAX = 1_500;
/** The caller is heard from the first frame on that is louder than this below the level of speech, dB. */
const ONSET_DB = -44;
/** An utterance is clear that has this many frames in its first half second, at this level. */
const CLEAR_FRAMES = 8;
const CLEAR_DB = -36;

/** What was found in one condition. */
export interface EchoRow {
  name: string;
  replies: number;
  /** How often speech began during a reply, by voice activity alone and with the echo check. */
  pausesWithout: number;
  pauses: number;
  /** Voiced frames of replies that counted as speech, of 100. */
  speechPercent: number;
  utterances: number;
  noticed: number;
  /** From the caller's first clear frame until speech has begun, ms, in order. */
  onsetsMs: number[];
  /** The processor's time of a frame of the call, sent and judged, µs. */
  frameUs: number;
}

export interface Speakers {
  agent: Float64Array[];
  caller: Float64Array[];
}

/** One condition in so many calls of a minute. The same seed gives the same calls. */
export function runCondition(
  condition: Condition,
  { agent, caller }: Speakers,
  voiceActivity: VoiceActivityDetection,
  { calls, seed }: { calls: number; seed: number },
): EchoRow {
  const row: EchoRow = {
    name: condition.name,
    replies: 0,
    pausesWithout: 0,
    pauses: 0,
    speechPercent: 0,
    utterances: 0,
    noticed: 0,
    onsetsMs: [],
    frameUs: 0,
  };
  for (let call = 0; call < calls; call += 1) {
    const random = new Random(seed + 1_000 * call);
    const tape = tapeOf(random, condition, agent, caller);
    const heard = hear(tape, condition, random, voiceActivity);
    row.frameUs += heard.frameUs / calls;
    row.speechPercent += heard.speechPercent / calls;
    countReplies(row, tape, heard);
    countUtterances(row, tape, condition.callerDb ?? 0, heard.starts);
  }
  row.onsetsMs.sort((a, b) => a - b);
  return row;
}

interface Heard {
  startsWithout: number[];
  starts: number[];
  speechPercent: number;
  frameUs: number;
}

/** Derives speech from the frames, by voice activity alone and with the echo check. */
function hear(tape: Tape, condition: Condition, random: Random, voiceActivity: VoiceActivityDetection): Heard {
  const vad = voiceActivity.open(CARRIER_RATE_HZ);
  const frames = Math.floor(tape.caller.length / CARRIER_FRAME_SAMPLES);
  const voiced = Array.from({ length: frames }, (_, frame) => vad.isSpeech(frameOf(tape.caller, frame)));
  vad.destroy();
  const { verdicts, frameUs } = judge(tape, voiced, condition.jitterMs ?? 0, random);
  const speech = voiced.map((isVoiced, frame) => isVoiced && verdicts[frame] === "other");
  const inReplies = voiced.map((isVoiced, frame) => isVoiced && isSent(tape.replies, frame));
  const speechInReplies = speech.filter((isSpeech, frame) => isSpeech && inReplies[frame]);
  return {
    startsWithout: startsOf(voiced, voiceActivity.onset),
    starts: startsOf(speech, voiceActivity.onset),
    speechPercent: (100 * speechInReplies.length) / Math.max(1, inReplies.filter(Boolean).length),
    frameUs,
  };
}

const frameOf = (signal: Int16Array, frame: number): Int16Array =>
  signal.subarray(frame * CARRIER_FRAME_SAMPLES, (frame + 1) * CARRIER_FRAME_SAMPLES);

/** When speech begins, ms. */
function startsOf(decisions: readonly boolean[], onset: SpeechOnset): number[] {
  const segmenter = new SpeechSegmenter({ ...DEFAULT_SEGMENTATION, ...onset });
  return decisions.flatMap((isSpeech, frame) => {
    const nowMs = (frame + 1) * FRAME_MS;
    const edge = segmenter.frame(isSpeech, mediaMs(frame * FRAME_MS), callMs(nowMs));
    return edge === "started" ? [nowMs] : [];
  });
}

/** Sends the agent's frames ahead of their playback and judges the caller's, as a leg does. */
function judge(
  tape: Tape,
  voiced: readonly boolean[],
  jitterMs: number,
  random: Random,
): { verdicts: EchoVerdict[]; frameUs: number } {
  const echo = new EchoDetector({ codec: "mulaw", outboundRateHz: 8_000 });
  const encoder = new FrameEncoder("mulaw", CARRIER_FRAME_SAMPLES);
  const sentFrames = voiced.map((_, frame) => {
    if (!isSent(tape.replies, frame)) return undefined;
    encoder.samples.set(frameOf(tape.agent, frame));
    return encoder.encode().slice();
  });
  const received = voiced.map((_, frame) => frameOf(tape.caller, frame));
  const lateMs = voiced.map(() => random.between(0, jitterMs));
  const verdicts: EchoVerdict[] = [];
  let next = 0;
  const before = process.cpuUsage();
  for (let frame = 0; frame < voiced.length; frame += 1) {
    for (; next * FRAME_MS <= frame * FRAME_MS + OUTPUT_LEAD_MS; next += 1) {
      const bytes = sentFrames[next];
      if (bytes !== undefined) echo.sent(bytes, callMs(next * FRAME_MS));
    }
    const arrivedMs = callMs((frame + 1) * FRAME_MS + (lateMs[frame] as number));
    const isVoiced = voiced[frame] as boolean;
    verdicts.push(echo.judge(received[frame] as Int16Array, isVoiced, mediaMs(frame * FRAME_MS), arrivedMs));
  }
  const { user, system } = process.cpuUsage(before);
  return { verdicts, frameUs: (user + system) / voiced.length };
}

const isSent = (replies: readonly Span[], frame: number): boolean =>
  replies.some(({ from, to }) => (frame + 1) * CARRIER_FRAME_SAMPLES > from && frame * CARRIER_FRAME_SAMPLES < to);

function countReplies(row: EchoRow, { replies }: Tape, { starts, startsWithout }: Heard): void {
  for (const { from, to } of replies) {
    const isWithin = (ms: number): boolean => ms >= from / SAMPLES_PER_MS && ms <= to / SAMPLES_PER_MS + AFTER_REPLY_MS;
    row.replies += 1;
    row.pausesWithout += startsWithout.filter(isWithin).length;
    row.pauses += starts.filter(isWithin).length;
  }
}

function countUtterances(
  row: EchoRow,
  { speech, utterances }: Tape,
  callerDb: number,
  starts: readonly number[],
): void {
  for (const { from, to } of utterances) {
    let onset = from;
    while (onset < to && levelDb(speech, onset) < ONSET_DB + callerDb) onset += 5 * SAMPLES_PER_MS;
    let clear = 0;
    for (let at = onset; at < onset + 500 * SAMPLES_PER_MS; at += CARRIER_FRAME_SAMPLES)
      if (levelDb(speech, at) > CLEAR_DB + callerDb) clear += 1;
    if (clear < CLEAR_FRAMES) continue;
    row.utterances += 1;
    const onsetMs = onset / SAMPLES_PER_MS;
    const start = starts.find((ms) => ms >= onsetMs - 2 * FRAME_MS && ms <= onsetMs + NOTICED_MS_MAX);
    if (start === undefined) continue;
    row.noticed += 1;
    row.onsetsMs.push(start - onsetMs);
  }
}

/** The level of the frame that begins there, dB below full scale. */
function levelDb(signal: Float64Array, from: number): number {
  let sum = 1e-9;
  for (let i = from; i < from + CARRIER_FRAME_SAMPLES; i += 1) sum += (signal[i] ?? 0) ** 2;
  return 10 * Math.log10(sum / CARRIER_FRAME_SAMPLES / 32_768 ** 2);
}
