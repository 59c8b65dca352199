import { CLIP_RATE_HZ, type Clip } from "./clips.ts";

/** An utterance of about 90 s, and the clips that it is made of. */
export interface LongUtterance {
  name: string;
  clips: readonly Clip[];
  samples: Int16Array;
}

const LONG_S = 90;
const FRAME_SAMPLES = CLIP_RATE_HZ / 50;
/** Frames this far below the loudest one are pauses. */
const PAUSE_AMPLITUDE = 10 ** (-30 / 20);

/** Prompts in a row, once with their pauses and once with none. */
export function longUtterances(clips: readonly Clip[]): LongUtterance[] {
  const prompts = clips.filter(({ group }) => group === "prompts");
  return [
    joined("prompts in a row", prompts, (samples) => samples),
    joined("prompts in a row, all pauses cut out", prompts, withoutPauses),
  ];
}

function joined(name: string, clips: readonly Clip[], change: (samples: Int16Array) => Int16Array): LongUtterance {
  const taken: Clip[] = [];
  const parts: Int16Array[] = [];
  let length = 0;
  for (const clip of clips) {
    const part = change(clip.samples);
    if (length + part.length > LONG_S * CLIP_RATE_HZ) break;
    taken.push(clip);
    parts.push(part);
    length += part.length;
  }
  return { name, clips: taken, samples: concatenated(parts, length) };
}

function withoutPauses(samples: Int16Array): Int16Array {
  const frames = Array.from({ length: Math.floor(samples.length / FRAME_SAMPLES) }, (_, at) =>
    samples.subarray(at * FRAME_SAMPLES, (at + 1) * FRAME_SAMPLES),
  );
  const peaks = frames.map((frame) => frame.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0));
  const least = Math.max(...peaks) * PAUSE_AMPLITUDE;
  const spoken = frames.filter((_, at) => (peaks[at] as number) >= least);
  return concatenated(spoken, spoken.length * FRAME_SAMPLES);
}

function concatenated(parts: readonly Int16Array[], length: number): Int16Array {
  const whole = new Int16Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
