import { readArguments, runCommand, wholeNumber } from "../../src/cli/command.ts";
import { writeTable } from "../harness/command.ts";
import { preemptiveText, runPreemptiveBench } from "./bench.ts";

const USAGE = `What preemptive generation gains and costs, in virtual time: the latency from the caller's last voiced frame to the agent's
first frame, and the LLM requests for each reply.

  npm run bench:preemptive -- [--turns 500] [--model 300] [--seed 1] [--write]

  --turns  for each row, 1 to 100000
  --model  the LLM's time to its first token, ms, 1 to 10000
  --seed   the seed of everything random; the same seed gives the same figures
  --write  replaces the section bench:preemptive of bench/RESULTS.md
`;

const EXPLANATION =
  "In one turn of ten the STT revises a word, and the LLM is asked again. The gain is at most the LLM's time to its first token.";

const OPTIONS = {
  turns: { type: "string", default: "500" },
  model: { type: "string", default: "300" },
  seed: { type: "string", default: "1" },
  write: { type: "boolean", default: false },
} as const;

async function run(args: readonly string[]): Promise<number> {
  const { turns, model, seed, write } = readArguments(args, OPTIONS).values;
  const result = runPreemptiveBench({
    turns: wholeNumber("turns", turns, 1, 100_000),
    llmMs: wholeNumber("model", model, 1, 10_000),
    seed: wholeNumber("seed", seed, 0, 2 ** 32 - 1),
  });
  const text = preemptiveText(result);
  process.stdout.write(`${text}\n`);
  if (write) writeTable({ name: "preemptive", explanation: EXPLANATION }, args, text);
  return 0;
}

await runCommand({ help: USAGE, example: "npm run bench:preemptive -- --turns 500 --model 300", run });
