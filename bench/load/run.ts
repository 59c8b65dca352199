import { mkdirSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { inProject } from "../project.ts";
import { loadPage } from "../report/load-page.ts";
import { loadText } from "../report/load-text.ts";
import { runLoadBench } from "./load-bench.ts";
import type { LoadOptions } from "./load-result.ts";
import { findCores } from "./processes.ts";

const USAGE = `Loads the media worker with full-duplex calls, and with the same bytes a bare echo and a typical gateway.

  npm run bench:load -- [--calls 100] [--seconds 15] [--rounds 3] [--warm-up 3] [--recorded] [--out DIR]

  --calls     calls at once, 1 to 5000
  --seconds   measured in each round, for each contestant, 1 to 1200
  --rounds    how often all contestants come in turn, 1 to 20
  --warm-up   seconds before each measurement, with all calls on, 0 to 60
  --recorded  measure calls with their audio in the journal, too
  --out       where load.json and load.html go; default bench/results

Exits with 1 when the run shows nothing: calls or frames were lost, or words were not understood. A budget that is missed is
named, and is no failure.
`;

interface Arguments {
  options: LoadOptions;
  out: URL;
}

/** Undefined when they make no sense; throws for an option that there is not. */
function readArguments(): Arguments | undefined {
  const { values } = parseArgs({
    options: {
      calls: { type: "string", default: "100" },
      seconds: { type: "string", default: "15" },
      rounds: { type: "string", default: "3" },
      "warm-up": { type: "string", default: "3" },
      recorded: { type: "boolean", default: false },
      out: { type: "string" },
    },
  });
  const integer = (text: string, min: number, max: number): number => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : Number.NaN;
  };
  const options: LoadOptions = {
    calls: integer(values.calls, 1, 5_000),
    seconds: integer(values.seconds, 1, 1_200),
    rounds: integer(values.rounds, 1, 20),
    warmUpSeconds: integer(values["warm-up"], 0, 60),
    recorded: values.recorded,
  };
  if (Object.values(options).some(Number.isNaN)) return undefined;
  const out = values.out === undefined ? inProject("bench/results/") : pathToFileURL(`${values.out}/`);
  return { options, out };
}

async function main({ options, out }: Arguments): Promise<void> {
  const result = await runLoadBench(options, findCores(), (line) => console.log(line));
  mkdirSync(out, { recursive: true });
  writeFileSync(new URL("load.json", out), `${JSON.stringify(result, null, 2)}\n`);
  writeFileSync(new URL("load.html", out), loadPage(result));
  console.log(`\n${loadText(result)}`);
  for (const problem of result.problems) console.error(`this run shows nothing: ${problem}`);
  console.log(`written: ${new URL("load.json", out).pathname}, load.html`);
  process.exitCode = result.valid ? 0 : 1;
}

let given: Arguments | undefined;
try {
  given = readArguments();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n`);
}
if (given === undefined) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else {
  await main(given).catch((error: unknown) => {
    console.error(`this run failed: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  });
}
