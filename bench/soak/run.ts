import { type Given, integer, runCommand, sensible } from "../harness/command.ts";
import { onRig } from "../rig/rig.ts";
import { runSoakBench } from "./bench.ts";
import { soakPage, soakText } from "./report.ts";
import type { SoakOptions } from "./result.ts";

const USAGE = `One worker under load for a long time: what it holds, how late it is, and whether it drifts.

  npm run bench:soak -- [--minutes 60] [--calls 500] [--out DIR]

  --minutes  how long, 0.05 to 1440; in stints of ten minutes at most, after which all calls hang up and new ones come
  --calls    calls of carrier_a at once, 1 to 5000
  --out      where soak.json and soak.html go; default bench/results

Exits with 1 when the run shows nothing: calls or frames were lost, words were not understood, or the generator itself was late.
A budget that is missed is named, and is no failure.
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
