import type { Machine } from "../harness/machine.ts";
import type { Spread } from "../harness/statistics.ts";

/** So many calls at a time over one process, which is one core. */
export interface LoadStep {
  calls: number;
  /** Finals of utterances of 2 to 7 s, and how many of them came after their deadline. */
  finals: number;
  late: number;
  /** From the detector's end of speech, and from the last frame that is audible, ms. */
  fromEnd: Spread;
  fromLastVoiced: Spread;
  /** Interim passes that were done, and that were dropped. */
  interims: number;
  interimsDropped: number;
  /** CPU time of the process by time. */
  cpuShare: number;
  residentMb: number;
}

export interface LoadResult {
  machine: Machine;
  model: string;
  seed: number;
  seconds: number;
  steps: LoadStep[];
}
