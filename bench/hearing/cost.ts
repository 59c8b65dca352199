import { CARRIER_RATE_HZ } from "../../src/core/limits/streams/media.ts";
import type { VoiceActivityDetection } from "../../src/media/voice-activity/detector.ts";
import type { Random } from "../../test/support/random.ts";
import { median } from "../harness/statistics.ts";
import { CONDITIONS, NO_SPEECH, type NoSpeech, type Sounds, soundAlone } from "./conditions.ts";
import { decisionsOf } from "./decisions.ts";
import type { Prompt } from "./prompts.ts";
import type { CostCell } from "./result.ts";
import { makeTape } from "./tapes.ts";

const ROUNDS = 7;
const TAPE_MINUTES = 2;
/** Pauses in which the agent speaks: with them the caller speaks for about 40 % of the call. */
const PAUSE_S = [2, 4] as const;

interface Named {
  name: string;
  detection: VoiceActivityDetection;
}

/** CPU time of the process for a frame, in a clean call and with music: the detectors take turns in each round. */
export function measureCost(
  prompts: readonly Prompt[],
  sounds: Sounds,
  detectors: readonly Named[],
  random: Random,
): { cost: CostCell[]; costSpeechShare: number } {
  const tape = makeTape(prompts, TAPE_MINUTES, random, PAUSE_S);
  const [clean] = CONDITIONS;
  const [music] = NO_SPEECH;
  const loads = {
    speech: clean?.sound(tape, sounds) as Int16Array,
    music: soundAlone(music as NoSpeech, sounds, TAPE_MINUTES * 60 * CARRIER_RATE_HZ),
  };
  const cost = Object.entries(loads).flatMap(([load, heard]) => costOf(load as CostCell["load"], heard, detectors));
  const spoken = tape.truth.utterances.reduce((total, { from, to }) => total + to - from, 0);
  return { cost, costSpeechShare: spoken / tape.samples.length };
}

function costOf(load: CostCell["load"], heard: Int16Array, detectors: readonly Named[]): CostCell[] {
  const rounds = detectors.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [at, { detection }] of detectors.entries()) {
      const before = process.cpuUsage();
      const { length } = decisionsOf(detection, heard);
      const { user, system } = process.cpuUsage(before);
      rounds[at]?.push((user + system) / length);
    }
  }
  return detectors.map(({ name }, at) => ({ detector: name, load, frameUs: median(rounds[at] as number[]) }));
}
