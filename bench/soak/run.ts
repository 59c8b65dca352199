import { type Given, integer, runCommand, sensible } from "../harness/command.ts";
import { onRig } from "../rig/rig.ts";
import { runSoakBench } from "./bench.ts";
import { soakPage, soakText } from "./report.ts";
import type { SoakOptions } from "./result.ts";

const USAGE = `One worker under load for a long time: its memory and descriptors, its latency, and its drift.

  npm run bench:soak -- [--minutes 60] [--calls 500] [--write] [--out DIR]

  --minutes  duration, 0.05 to 1440; after each phase of at most ten minutes all calls hang up and new ones start
  --calls    simultaneous calls of carrier_a, 1 to 5000
  --write    replaces the section bench:soak of bench/RESULTS.md
  --out      where soak.json and soak.html go; default bench/results

Exits with 1 when the run proves nothing: calls or frames were lost, words were not understood, or the generator itself was late.
A missed budget is printed and fails nothing.
`;

const read = (given: Given): SoakOptions | undefined => {
  const minutes = Number(given.minutes);
  const within = minutes >= 0.05 && minutes <= 1_440;
  return sensible({ calls: integer(given.calls, 1, 5_000), minutes: within ? minutes : Number.NaN });
};

await runCommand({
  name: "soak",
  usage: USAGE,
  defaults: { minutes: "60", calls: "500" },
  read,
  run: onRig(runSoakBench),
  text: soakText,
  page: soakPage,
  problems: (result) => result.problems,
});
