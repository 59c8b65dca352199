import type { Machine } from "../harness/machine.ts";
import { type Verdict, verdictOf } from "../harness/verdict.ts";

const SEEDS = 1_000;
const TOOK_S_MAX = 60;

/** Seeded calls in virtual time, as `npm run sim` plays them. */
export interface SimResult {
  machine: Machine;
  seeds: number;
  tookS: number;
  /** None of them failed. */
  clean: boolean;
}

export const judgeSim = ({ seeds, tookS, clean }: SimResult): Verdict => ({
  budget: `${SEEDS.toLocaleString("en")} seeded calls in virtual time, all clean: at most ${TOOK_S_MAX} s`,
  measured: `${seeds.toLocaleString("en")} in ${tookS.toFixed(1)} s${clean ? "" : ", some failed"}`,
  verdict: clean && tookS <= TOOK_S_MAX && seeds < SEEDS ? "not shown" : verdictOf(clean && tookS <= TOOK_S_MAX),
});
