import "../core/node-version.ts";
import { codeOf } from "../core/errors.ts";
import { compareJournal } from "../record/journal-comparison.ts";
import { traceJournal } from "../record/journal-trace.ts";
import { planReplay, REPLAY_USAGE } from "./replay-arguments.ts";
import { comparisonText, replayDocument } from "./replay-report.ts";
import { traceText } from "./replay-trace.ts";
import { UsageError } from "./simulated/call-arguments.ts";

/** `npm run replay -- ...`: a call again, from its journal. Returns the exit code, of which REPLAY_USAGE tells the meaning. */
async function main(args: readonly string[]): Promise<number> {
  if (args.includes("--help")) {
    process.stdout.write(REPLAY_USAGE);
    return 0;
  }
  const { path, untilMs, trace: isTraced, json } = planReplay(args);
  const comparison = await compareJournal(path, untilMs);
  const trace = isTraced ? await traceJournal(path, comparison.untilMs) : undefined;
  if (json) process.stdout.write(`${JSON.stringify(replayDocument(path, comparison, trace))}\n`);
  else {
    const texts = [comparisonText(path, comparison), ...(trace === undefined ? [] : [traceText(trace)])];
    process.stdout.write(`${texts.join("\n\n")}\n`);
  }
  return comparison.difference === undefined ? 0 : 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const isUsage = error instanceof UsageError;
  if (!isUsage && codeOf(error) !== "journal_unreadable") throw error;
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  if (isUsage) process.stderr.write("\nnpm run replay -- --help tells how it is called.\n");
  process.exitCode = 2;
}
