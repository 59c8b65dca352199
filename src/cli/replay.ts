import "../core/runtime/node-version.ts";
import { basename } from "node:path";
import { readMediaKey } from "../config/environment.ts";
import { type MediaKey, mediaKeyOf } from "../core/encryption/chunks.ts";
import { codeOf } from "../core/errors.ts";
import { asCallId } from "../core/ids.ts";
import { compareJournal } from "../record/replay/comparison.ts";
import { traceJournal } from "../record/replay/trace.ts";
import { runCommand, USAGE_EXIT_CODE } from "./command.ts";
import { planReplay, REPLAY_USAGE } from "./replay/arguments.ts";
import { comparisonText, replayDocument } from "./replay/report.ts";
import { traceText } from "./replay/trace.ts";

const UNREADABLE_CODES: readonly string[] = ["journal_unreadable", "journal_unsupported", "media_unreadable"];

/** `npm run replay -- ...`: replays a call from its journal. Returns the exit code; REPLAY_USAGE explains it. */
async function replay(args: readonly string[]): Promise<number> {
  const { path, untilMs, trace: isTraced, json } = planReplay(args);
  const journal = { path, key: keyOf(path) };
  const comparison = await compareJournal(journal, untilMs);
  const trace = isTraced ? await traceJournal(journal, comparison.comparedUntilMs) : undefined;
  if (json) process.stdout.write(`${JSON.stringify(replayDocument(path, comparison, trace))}\n`);
  else {
    const texts = [comparisonText(path, comparison), ...(trace === undefined ? [] : [traceText(trace)])];
    process.stdout.write(`${texts.join("\n\n")}\n`);
  }
  return comparison.difference === undefined ? 0 : 1;
}

/** The key of an encrypted journal, whose file is named by its call. */
function keyOf(path: string): MediaKey | undefined {
  const text = readMediaKey();
  return text === undefined ? undefined : mediaKeyOf(asCallId(basename(path, ".tlj")), text);
}

/** An unreadable journal exits with the code of a usage error: nothing was compared. */
async function run(args: readonly string[]): Promise<number> {
  try {
    return await replay(args);
  } catch (error) {
    if (!UNREADABLE_CODES.includes(codeOf(error))) throw error;
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return USAGE_EXIT_CODE;
  }
}

await runCommand({
  help: REPLAY_USAGE,
  example: "npm run replay -- data/journals/call_01a2034a.tlj --until 12.3s --trace",
  run,
});
