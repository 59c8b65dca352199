import { CARRIER_FRAME_SAMPLES, CARRIER_RATE_HZ } from "../../src/core/limits/streams/media.ts";
import { amplitudeOf, rmsOf } from "../turn-taking/sounds.ts";
import { FULL_SCALE, isOneSentence, type Prompt, SPEECH_DBOV } from "./prompts.ts";

// Where a clean prompt has speech. By its energy alone, in blocks of 10 ms: nothing that detects speech has a say in it.

const BLOCK_SAMPLES = CARRIER_RATE_HZ / 100;
/** Speech is clear down to this level below the prompt's own; fainter blocks are judged neither as speech nor as silence. */
const CLEAR_BELOW_DB = 20;
/** And it is silent only where not even this much is there. */
const AUDIBLE_BELOW_DB = 30;
/** Shorter sounds are clicks. */
const CLEAR_BLOCKS_MIN = 4;
/** A frame is silent this long before speech, and this long after it: decisions outlast speech, each detector's by a time of its own. */
const BEFORE_FRAMES = 2;
const AFTER_FRAMES = 25;

/** A prompt on a tape. */
export interface PlacedPrompt {
  prompt: Prompt;
  /** The sample of the tape at which it begins. */
  at: number;
}

/** What a detector is asked to find. Times are samples of the tape. */
export interface Utterance {
  /** Its first clear sample, and the one after its last. */
  from: number;
  to: number;
  /** Undefined where its text is not known. */
  isOneSentence: boolean | undefined;
}

/** One entry a frame of 20 ms. */
export interface Truth {
  /** 1: all of the frame is clear speech. */
  clear: Uint8Array;
  /** 1: there is no speech in the frame, nor near it. */
  silent: Uint8Array;
  utterances: Utterance[];
}

/** The truth of a tape of so many frames. */
export function truthOf(placed: readonly PlacedPrompt[], frames: number): Truth {
  const clear = new Uint8Array(frames);
  const silent = new Uint8Array(frames).fill(1);
  const utterances: Utterance[] = [];
  for (const { prompt, at } of placed) {
    const { runs, audible } = blocksOf(prompt.samples);
    for (const { from, to } of audible) {
      const last = Math.floor((at + to * BLOCK_SAMPLES - 1) / CARRIER_FRAME_SAMPLES) + AFTER_FRAMES;
      const first = Math.floor((at + from * BLOCK_SAMPLES) / CARRIER_FRAME_SAMPLES) - BEFORE_FRAMES;
      silent.fill(0, Math.max(0, first), Math.max(0, last + 1));
    }
    for (const { from, to } of runs) {
      const first = Math.ceil((at + from * BLOCK_SAMPLES) / CARRIER_FRAME_SAMPLES);
      const end = Math.floor((at + to * BLOCK_SAMPLES) / CARRIER_FRAME_SAMPLES);
      if (end > first) clear.fill(1, first, end);
    }
    const [first] = runs;
    const last = runs.at(-1);
    if (first === undefined || last === undefined) continue;
    utterances.push({
      from: at + first.from * BLOCK_SAMPLES,
      to: at + last.to * BLOCK_SAMPLES,
      isOneSentence: prompt.text === undefined ? undefined : isOneSentence(prompt.text),
    });
  }
  return { clear, silent, utterances };
}

/** The clear speech of a prompt: samples from `from` until before `to`. */
export const clearRunsOf = (samples: Float32Array): Run[] =>
  blocksOf(samples).runs.map(({ from, to }) => ({ from: from * BLOCK_SAMPLES, to: to * BLOCK_SAMPLES }));

/** Blocks from `from` until before `to`. */
interface Run {
  from: number;
  to: number;
}

/** Runs of clear blocks that are no clicks, and of audible ones. */
function blocksOf(samples: Float32Array): { runs: Run[]; audible: Run[] } {
  const levels: number[] = [];
  for (let at = 0; at + BLOCK_SAMPLES <= samples.length; at += BLOCK_SAMPLES) {
    levels.push(rmsOf(samples.subarray(at, at + BLOCK_SAMPLES)));
  }
  const above = (belowDb: number): Run[] => runsOf(levels, FULL_SCALE * amplitudeOf(SPEECH_DBOV - belowDb));
  return {
    runs: above(CLEAR_BELOW_DB).filter(({ from, to }) => to - from >= CLEAR_BLOCKS_MIN),
    audible: above(AUDIBLE_BELOW_DB),
  };
}

function runsOf(levels: readonly number[], least: number): Run[] {
  const runs: Run[] = [];
  let from = -1;
  for (let at = 0; at <= levels.length; at += 1) {
    const isIn = (levels[at] ?? 0) >= least;
    if (isIn && from < 0) from = at;
    if (isIn || from < 0) continue;
    runs.push({ from, to: at });
    from = -1;
  }
  return runs;
}
