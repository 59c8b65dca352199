import { CARRIER_FRAME_SAMPLES, CARRIER_RATE_HZ, FRAME_MS } from "../../../src/core/limits/streams/media.ts";
import { mulawDecode, mulawEncode } from "../../../src/media/g711.ts";
import type { Prosody } from "../../../src/media/prosody/prosody.ts";
import { ProsodyTracker } from "../../../src/media/prosody/tracker.ts";
import type { VoiceActivityDetection } from "../../../src/media/voice-activity/detector.ts";
import { amplitudeOf } from "../../turn-taking/sounds.ts";
import type { SpokenKind, TimedUtterance } from "./callers.ts";

// The pauses of callers, as the service's own detector finds them through G.711, with all that is known at each.

/** A word that the STT knows, so long after the pause began. */
export interface KnownWord {
  text: string;
  /** ms after the last voiced frame was there; negative for words that were known before. */
  knownMs: number;
}

/** A pause of a caller, from the end of the last voiced frame. */
export interface ObservedPause {
  language: string;
  kind: SpokenKind;
  /** Of the utterance that it is in: the same for all of its pauses. */
  utterance: number;
  /** Until the next voiced frame is there, ms; Infinity where the utterance is over. */
  lengthMs: number;
  /** From the utterance's last clear sample until the pause began; negative before it, ms. */
  afterEndMs: number;
  turnMs: number;
  words: readonly KnownWord[];
  prosody: Prosody | undefined;
  /** The caller's utterances before this one in the call, and the pauses before this one within utterances, ms. */
  turns: number;
  earlierMs: readonly number[];
}

/** The STT knows a word so long after its end, ms. */
export const STT_LAG_MS = 100;
/** Shorter gaps of the detector are no pauses: nothing would be answered in them. */
const PAUSE_FRAMES_MIN = 4;
/** When the service judges how the caller sounded, in frames after the last voiced one. */
export const PROSODY_FRAMES = 3;
const LINE_DBOV = -68;
const FIRST_S = 1;
const BETWEEN_S = 2;
/** Later than this nothing follows that belongs to the utterance. */
const AFTER_MS_MAX = 1_500;

const msOf = (samples: number): number => (samples * 1_000) / CARRIER_RATE_HZ;

/** One call of one caller who says `utterances` one after the other; `noise` has full-scale level. */
export function pausesOf(
  detection: VoiceActivityDetection,
  language: string,
  utterances: readonly TimedUtterance[],
  noise: Float32Array,
  firstUtterance: number,
): ObservedPause[] {
  const starts: number[] = [];
  let end = FIRST_S * CARRIER_RATE_HZ;
  for (const { samples } of utterances) {
    starts.push(end);
    end += samples.length + BETWEEN_S * CARRIER_RATE_HZ;
  }
  const line = new Float32Array(Math.ceil(end / CARRIER_FRAME_SAMPLES) * CARRIER_FRAME_SAMPLES);
  const gain = amplitudeOf(LINE_DBOV);
  for (let at = 0; at < line.length; at += 1) line[at] = gain * (noise[at % noise.length] as number);
  for (const [index, { samples }] of utterances.entries()) {
    const start = starts[index] as number;
    for (let at = 0; at < samples.length; at += 1)
      line[start + at] = (line[start + at] as number) + (samples[at] as number);
  }
  const voiced: boolean[] = [];
  const prosodies = new Map<number, Prosody | undefined>();
  hear(detection, line, voiced, prosodies);
  const earlierMs: number[] = [];
  return utterances.flatMap((utterance, index) =>
    pausesIn(utterance, starts[index] as number, voiced, prosodies, {
      language,
      earlierMs,
      utterance: firstUtterance + index,
      turns: index,
    }),
  );
}

function hear(
  detection: VoiceActivityDetection,
  line: Float32Array,
  voiced: boolean[],
  prosodies: Map<number, Prosody | undefined>,
): void {
  const detector = detection.open(CARRIER_RATE_HZ);
  const tracker = new ProsodyTracker(CARRIER_RATE_HZ);
  let lastVoiced = 0;
  const frame = new Int16Array(CARRIER_FRAME_SAMPLES);
  const coded = new Uint8Array(CARRIER_FRAME_SAMPLES);
  for (let at = 0; at < line.length; at += CARRIER_FRAME_SAMPLES) {
    for (let n = 0; n < frame.length; n += 1) {
      frame[n] = Math.max(-32_768, Math.min(32_767, Math.round(line[at + n] as number)));
    }
    mulawEncode(frame, coded);
    mulawDecode(coded, frame);
    const isSpeech = detector.isSpeech(frame);
    const hasSound = tracker.frame(frame, isSpeech);
    voiced.push(isSpeech);
    if (isSpeech) lastVoiced = voiced.length - 1;
    const silentFrames = voiced.length - 1 - lastVoiced;
    if (silentFrames === PROSODY_FRAMES || hasSound) prosodies.set(lastVoiced, tracker.atPause());
  }
  detector.destroy();
}

function pausesIn(
  { kind, clearEnd, words }: TimedUtterance,
  start: number,
  voiced: readonly boolean[],
  prosodies: ReadonlyMap<number, Prosody | undefined>,
  caller: { language: string; earlierMs: number[]; utterance: number; turns: number },
): ObservedPause[] {
  const endMs = msOf(start + clearEnd);
  const first = voiced.indexOf(true, Math.floor(start / CARRIER_FRAME_SAMPLES));
  const lastFrame = Math.floor((endMs + AFTER_MS_MAX) / FRAME_MS);
  const found: ObservedPause[] = [];
  for (let frame = first; frame >= 0 && frame < lastFrame; ) {
    let next = frame + 1;
    while (next < lastFrame && voiced[next] !== true) next += 1;
    const isLast = next >= lastFrame;
    if (isLast || next - frame > PAUSE_FRAMES_MIN) {
      const atMs = (frame + 1) * FRAME_MS;
      const lengthMs = isLast ? Number.POSITIVE_INFINITY : (next - frame) * FRAME_MS;
      found.push({
        ...caller,
        kind,
        lengthMs,
        afterEndMs: atMs - endMs,
        turnMs: (frame - first) * FRAME_MS,
        words: words.map(({ text, to }) => ({ text, knownMs: msOf(start + to) + STT_LAG_MS - atMs })),
        prosody: prosodies.get(frame),
        earlierMs: [...caller.earlierMs],
      });
      if (!isLast) caller.earlierMs.push(lengthMs);
    }
    if (isLast) break;
    frame = next;
  }
  return found;
}
