import { serve } from "../../../../bench/rig/child-process.ts";
import { type TransferOptions, type TransferResult, TransferTrial } from "./trial.ts";

// The carriers and the callers of one trial, in a process of their own.

export type TransferQuestions = { run: { ask: TransferOptions; answer: TransferResult } };

serve<TransferQuestions>({
  run: (options) => new TransferTrial(options, (line) => void process.stdout.write(`${line}\n`)).run(),
});
