import { parseArgs } from "node:util";
import { aheadText, runAheadBench } from "./ahead-bench.ts";

const USAGE = `What preemptive replies gain and cost, in virtual time: from the caller's last voiced frame to the agent's first frame, and how
often the model was asked for each answer.

  npm run bench:ahead -- [--turns 500] [--model 300] [--seed 1]

  --turns  for each row, 1 to 100000
  --model  the model's time to its first token, ms, 1 to 10000
  --seed   of all that is left to chance; the same seed gives the same figures
`;

const LARGEST = { turns: 100_000, model: 10_000, seed: 2 ** 32 - 1 };

function read(): Record<keyof typeof LARGEST, number> | undefined {
  const options = {
    turns: { type: "string", default: "500" },
    model: { type: "string", default: "300" },
    seed: { type: "string", default: "1" },
  } as const;
  try {
    const { turns, model, seed } = parseArgs({ options }).values;
    const given = { turns: Number(turns), model: Number(model), seed: Number(seed) };
    const isSound = Object.entries(LARGEST).every(([name, most]) => {
      const value = given[name as keyof typeof LARGEST];
      return Number.isInteger(value) && value >= (name === "seed" ? 0 : 1) && value <= most;
    });
    return isSound ? given : undefined;
  } catch {
    return undefined;
  }
}

const given = read();
if (given === undefined) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else {
  const { turns, model: modelMs, seed } = given;
  process.stdout.write(`${aheadText(runAheadBench({ turns, modelMs, seed }))}\n`);
}
