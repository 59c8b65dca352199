import { readArguments, runCommand, wholeNumber } from "../../src/cli/command.ts";
import { preemptiveText, runPreemptiveBench } from "./bench.ts";

const USAGE = `What preemptive replies gain and cost, in virtual time: from the caller's last voiced frame to the agent's first frame, and how
often the model was asked for each answer.

  npm run bench:ahead -- [--turns 500] [--model 300] [--seed 1]

  --turns  for each row, 1 to 100000
  --model  the model's time to its first token, ms, 1 to 10000
  --seed   of all that is left to chance; the same seed gives the same figures
`;

const OPTIONS = {
  turns: { type: "string", default: "500" },
  model: { type: "string", default: "300" },
  seed: { type: "string", default: "1" },
} as const;

async function run(args: readonly string[]): Promise<number> {
  const { turns, model, seed } = readArguments(args, OPTIONS).values;
  const result = runPreemptiveBench({
    turns: wholeNumber("turns", turns, 1, 100_000),
    llmMs: wholeNumber("model", model, 1, 10_000),
    seed: wholeNumber("seed", seed, 0, 2 ** 32 - 1),
  });
  process.stdout.write(`${preemptiveText(result)}\n`);
  return 0;
}

await runCommand({ help: USAGE, example: "npm run bench:ahead -- --turns 500 --model 300", run });
