import "../core/runtime/node-version.ts";
import { constants, mkdirSync, writeFileSync } from "node:fs";
import { access } from "node:fs/promises";
import { basename, join } from "node:path";
import { readConfig } from "../config/config.ts";
import { readServiceAccess } from "../config/environment.ts";
import { systemErrorCodeOf } from "../core/errors.ts";
import type { TranscriptionResult } from "../core/transcriptions/result.ts";
import { formatResult } from "../transcription/formats/format.ts";
import { abortOnSignals, runCommand } from "./command.ts";
import {
  type Format,
  planTranscriptions,
  resultName,
  TRANSCRIBE_HELP,
  type TranscribePlan,
} from "./transcribe/arguments.ts";
import { localTranscriptions } from "./transcribe/local.ts";
import { ProgressBar } from "./transcribe/progress.ts";
import { serviceTranscriptions } from "./transcribe/service.ts";
import type { Transcriptions } from "./transcribe/transcriptions.ts";

const EXTENSIONS: Readonly<Record<Format, string>> = { text: "txt", json: "json", srt: "srt", vtt: "vtt" };

/** `npm run transcribe -- file...`. Returns the exit code; TRANSCRIBE_HELP explains it. */
async function run(args: readonly string[]): Promise<number> {
  const plan = planTranscriptions(args, readServiceAccess());
  if (plan.output !== undefined) mkdirSync(plan.output, { recursive: true });
  const { signal } = abortOnSignals();
  const transcriptions =
    plan.service === undefined
      ? await localTranscriptions(readConfig(), plan)
      : serviceTranscriptions(plan.service, plan);
  try {
    let failed = 0;
    for (const path of plan.files) failed += (await transcribeOne(path, plan, transcriptions, signal)) ? 0 : 1;
    return failed === 0 ? 0 : 1;
  } finally {
    transcriptions.close();
  }
}

async function transcribeOne(
  path: string,
  plan: TranscribePlan,
  { transcribe }: Transcriptions,
  signal: AbortSignal,
): Promise<boolean> {
  const progress = new ProgressBar(process.stderr, basename(path));
  try {
    await access(path, constants.R_OK);
    const result = await transcribe(path, (doneMs, durationMs) => progress.show(doneMs, durationMs), signal);
    progress.end(write(path, plan, result) ?? "done");
    return true;
  } catch (error) {
    signal.throwIfAborted();
    progress.end(`failed: ${reasonOf(error)}`);
    return false;
  }
}

function reasonOf(error: unknown): string {
  const code = systemErrorCodeOf(error);
  if (code === "ENOENT") return "there is no such file";
  if (code === "EISDIR") return "it is a folder";
  return error instanceof Error ? error.message : String(error);
}

/** Writes the result; returns where it is, if it is in a file. */
function write(
  path: string,
  { format, output, files }: TranscribePlan,
  result: TranscriptionResult,
): string | undefined {
  const text = format === "json" ? JSON.stringify(result, undefined, 2) : formatResult(result, format);
  if (output !== undefined) {
    const file = join(output, `${resultName(path)}.${EXTENSIONS[format]}`);
    writeFileSync(file, `${text.trimEnd()}\n`);
    return file;
  }
  const head = files.length > 1 && format === "text" ? `== ${path} ==\n` : "";
  process.stdout.write(`${head}${text.trimEnd()}\n`);
  return undefined;
}

await runCommand({ help: TRANSCRIBE_HELP, example: "npm run transcribe -- talk.wav", run });
