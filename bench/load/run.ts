import { readServiceAccess } from "../../src/config/environment.ts";
import { SIMULATED_WIRES, type SimulatedWire } from "../../src/simulator/lines.ts";
import { type Command, type Given, integer, runCommand, sensible } from "../harness/command.ts";
import { onRig } from "../rig/rig.ts";
import { loadPage } from "./page.ts";
import { runRemoteBench } from "./remote-bench.ts";
import { remotePage, remoteText } from "./remote-report.ts";
import type { RemoteOptions, RemoteResult } from "./remote-result.ts";
import type { LoadResult, StepsOptions } from "./result.ts";
import { runStepsBench } from "./steps-bench.ts";
import { loadText } from "./text.ts";

const USAGE = `Loads the media worker with more and more full-duplex calls.

  npm run bench:load -- [--steps 100,250,500,1000 | --calls 500] [--wire carrier_a] [--seconds 20] [--rounds 1] [--warm-up 3]
                        [--talkers 2] [--write] [--out DIR]
  npm run bench:load -- --url https://voice.example.com [--steps ... | --calls ...] [--wire ...] [--seconds ...]

  --steps     simultaneous calls, one number after the other, each 1 to 5000
  --calls     the same as one step
  --wire      ${SIMULATED_WIRES.join(", ")} (PCM at 16 kHz both ways)
  --seconds   measured in each step, 1 to 1200
  --rounds    how often all steps are measured, 1 to 20
  --warm-up   seconds before each measurement, with all calls on, 0 to 60
  --talkers   callers that hold a whole conversation after each measurement, which must be understood to the word, 0 to 20
  --url       the API of a running service, which creates the calls; the figures are the callers' own. ws:// and wss:// stand
              for http:// and https://. The API key comes from TRUNKLINE_API_KEY, because all users of the machine can see a
              command line
  --write     replaces the section bench:load of bench/RESULTS.md; not with --url
  --out       where load.json and load.html go, or remote.json and remote.html; default bench/results

Exits with 1 when the run proves nothing: calls or frames were lost, words were not understood, or the generator itself was late.
A missed budget is printed and fails nothing.
`;

const DEFAULTS: Given = { steps: undefined, calls: undefined, wire: "carrier_a", seconds: "20", "warm-up": "3" };

/** What both kinds of run have in common. */
function readLoad(given: Given): Omit<StepsOptions, "rounds" | "talkers"> | undefined {
  const steps = (given.steps ?? given.calls ?? "100").split(",").map((step) => integer(step, 1, 5_000));
  const wire = SIMULATED_WIRES.find((known): known is SimulatedWire => known === given.wire);
  const both = given.steps !== undefined && given.calls !== undefined;
  if (wire === undefined || both || steps.some((step, at) => step <= (steps[at - 1] ?? 0))) return undefined;
  const warmUpSeconds = integer(given["warm-up"], 0, 60);
  return sensible({ wire, steps, seconds: integer(given.seconds, 1, 1_200), warmUpSeconds });
}

const OURS: Command<StepsOptions, LoadResult> = {
  name: "load",
  usage: USAGE,
  defaults: { ...DEFAULTS, rounds: "1", talkers: "2" },
  read(given) {
    const load = readLoad(given);
    return load && sensible({ ...load, rounds: integer(given.rounds, 1, 20), talkers: integer(given.talkers, 0, 20) });
  },
  run: onRig(runStepsBench, ({ wire }) => wire),
  text: loadText,
  page: loadPage,
  problems: (result) => result.problems,
};

const REMOTE: Command<RemoteOptions, RemoteResult> = {
  name: "remote",
  usage: USAGE,
  defaults: { ...DEFAULTS, url: undefined },
  read(given) {
    const { url, write } = given;
    const { apiKey } = readServiceAccess();
    const load = readLoad(given);
    if (load === undefined || write !== undefined || apiKey === undefined || url === undefined || !URL.canParse(url))
      return undefined;
    return { ...load, url, apiKey };
  },
  run: onRig(runRemoteBench, ({ wire }) => wire),
  text: remoteText,
  page: remotePage,
  problems: (result) => result.problems,
};

const isRemote = process.argv.some((argument) => /^--url(=|$)/.test(argument));
await (isRemote ? runCommand(REMOTE) : runCommand(OURS));
