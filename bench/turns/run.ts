import { mkdirSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { inProject } from "../project.ts";
import { turnsPage } from "../report/turns-page.ts";
import { turnsText } from "../report/turns-text.ts";
import { runTurnsBench, type TurnsOptions } from "./turns-bench.ts";

const USAGE = `How turns are taken: who is stopped by what, and how fast, in virtual time, with speech that was synthesised.

  npm run bench:turns -- [--calls 40] [--seed 1] [--out DIR]

  --calls  calls for each case and ear, half as many where there is noise, 1 to 1000
  --seed   of all that is left to chance, 0 to 4294967295; the same seed gives the same figures
  --out    where turns.json and turns.html go; default bench/results

A budget that is missed is named, and is no failure.
`;

interface Arguments {
  options: TurnsOptions;
  out: URL;
}

/** Undefined when they make no sense; throws for an option that there is not. */
function readArguments(): Arguments | undefined {
  const { values } = parseArgs({
    options: {
      calls: { type: "string", default: "40" },
      seed: { type: "string", default: "1" },
      out: { type: "string" },
    },
  });
  const integer = (text: string, min: number, max: number): number => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : Number.NaN;
  };
  const options: TurnsOptions = { calls: integer(values.calls, 1, 1_000), seed: integer(values.seed, 0, 2 ** 32 - 1) };
  if (Object.values(options).some(Number.isNaN)) return undefined;
  const out = values.out === undefined ? inProject("bench/results/") : pathToFileURL(`${values.out}/`);
  return { options, out };
}

async function main({ options, out }: Arguments): Promise<void> {
  const result = await runTurnsBench(options, (line) => console.log(line));
  mkdirSync(out, { recursive: true });
  writeFileSync(new URL("turns.json", out), `${JSON.stringify(result, null, 2)}\n`);
  writeFileSync(new URL("turns.html", out), turnsPage(result));
  console.log(`\n${turnsText(result)}\n`);
  console.log(`written: ${new URL("turns.json", out).pathname}, turns.html`);
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
