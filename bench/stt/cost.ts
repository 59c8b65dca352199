import { CLIP_RATE_HZ, type Clip } from "./clips.ts";
import { EngineProcess } from "./engine-process.ts";
import { floats } from "./lines.ts";
import type { CostResult } from "./result.ts";

/** Before the passes count as warm. */
const WARM_UP_PASSES = 10;
/** Utterances of people on the telephone. */
const UTTERANCE_S_MIN = 2;
const UTTERANCE_S_MAX = 7;
const PASSES = 60;
const BYTES_PER_MB = 1_000_000;

/** What the engine costs, in a fresh process: clips of 2 to 7 s, one after the other. */
export async function measureCost(clips: readonly Clip[], write: (line: string) => void): Promise<CostResult> {
  write("cost");
  const engine = await EngineProcess.start();
  try {
    const heard: { share: number; lengthS: number; largestBytes: number }[] = [];
    for (const { samples } of utterances(clips)) {
      const { cpuMs, largestBytes } = await engine.transcribe(floats(samples));
      const lengthS = samples.length / CLIP_RATE_HZ;
      heard.push({ share: cpuMs / 1_000 / lengthS, lengthS, largestBytes });
    }
    const warm = heard.slice(WARM_UP_PASSES);
    const shares = warm.map(({ share }) => share).sort((a, b) => a - b);
    const { loadMs, cpuMs, residentBytes } = engine.loaded;
    return {
      loadMs,
      loadCpuMs: cpuMs,
      firstPassShare: heard[0]?.share ?? Number.NaN,
      warmPassShare: shares[Math.floor(shares.length / 2)] ?? Number.NaN,
      warmAudioS: warm.reduce((sum, { lengthS }) => sum + lengthS, 0),
      loadedMb: residentBytes / BYTES_PER_MB,
      largestMb: Math.max(...heard.map(({ largestBytes }) => largestBytes)) / BYTES_PER_MB,
    };
  } finally {
    await engine.stop();
  }
}

const utterances = (clips: readonly Clip[]): readonly Clip[] =>
  clips
    .filter(({ samples }) => {
      const lengthS = samples.length / CLIP_RATE_HZ;
      return lengthS >= UTTERANCE_S_MIN && lengthS <= UTTERANCE_S_MAX;
    })
    .slice(0, PASSES);
