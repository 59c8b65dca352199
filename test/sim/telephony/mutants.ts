import { strict as assert } from "node:assert";
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** A guard that is taken out of the machine, by replacing text that stands in a file once, and what must be seen without it. */
export interface Mutant {
  guard: string;
  seen: string;
  /** Below src/telephony/machine. */
  file: string;
  from: string;
  to: string;
}

const mutant = (guard: string, seen: string, file: string, from: string, to: string): Mutant => ({
  guard,
  seen,
  file,
  from,
  to,
});

export const MUTANTS: readonly Mutant[] = [
  mutant(
    "a second process does not send the request to dial again",
    "a call is placed at most once",
    "dialling.ts",
    "  if (phase.sentAtMs !== undefined) {\n    ask(draft, phase);\n    return;\n  }\n",
    "",
  ),
  mutant(
    "a request to dial with an uncertain answer is not repeated",
    "a call is placed at most once",
    "dialling.ts",
    'if (phase.at === "dialling") ask(draft, phase);',
    "retryDial(draft, phase);",
  ),
  mutant(
    "a request to dial without an answer is not repeated",
    "a call is placed at most once",
    "dialling.ts",
    "  else ask(draft, phase);\n}",
    "  else retryDial(draft, phase);\n}",
  ),
  mutant(
    "a call is dialled in a slot",
    "a call is dialled in its slot",
    "dialling.ts",
    'if (phase.at !== "queued") return;\n  const retryMs',
    'if (phase.at === "queued") slotGranted(draft);\n  if (phase.at !== "queued" || draft.phase.at !== "queued") return;\n  const retryMs',
  ),
  mutant(
    "lists that do not say which call is ours prove nothing",
    "unknown is what cannot be known",
    "dialling.ts",
    'calls.length > 0 ? "ambiguous" : isComplete ? "none" : "incomplete"',
    '"ambiguous"',
  ),
  mutant(
    "there is no token before the answer",
    "no token exists before the answer",
    "dialling.ts",
    'draft.emit({ kind: "set-status", status: "ringing" });',
    'draft.emit({ kind: "set-status", status: "ringing" });\n  draft.connect("rest");',
  ),
  mutant(
    "webhooks after the end do not begin a call again",
    "a call that is over stays over",
    "dialling.ts",
    "if (!phase.isBridged) draft.hangUp();",
    "ring(draft);",
  ),
  mutant(
    "a webhook that comes twice leads to one token",
    "one answer has one token",
    "notices.ts",
    '  if (phase.at !== "ringing") {\n    repeat',
    '  if (phase.at === "over" || phase.at === "live") {\n    repeat',
  ),
  mutant(
    "a call that is answered after a request to hang up is hung up",
    "a hang-up is obeyed",
    "dialling.ts",
    "  if (hangUpReason !== undefined) {\n    draft.cut(hangUpReason);\n    return;\n  }\n",
    "",
  ),
  mutant(
    "a call that ends is hung up at the carrier",
    "no caller is lost",
    "draft.ts",
    'this.emit({ kind: "hang-up", carrierCallId });',
    "{\n    }",
  ),
  mutant(
    "the slot is released at the end",
    "every slot is released",
    "draft.ts",
    '    if (hasSlot) this.emit({ kind: "release-slot" });\n',
    "",
  ),
  mutant(
    "a slot that is granted after the end is released",
    "every slot is released",
    "dialling.ts",
    '    draft.emit({ kind: "release-slot" });\n    return;\n  }\n  draft.change({ hasSlot: true });',
    "    return;\n  }\n  draft.change({ hasSlot: true });",
  ),
  mutant(
    "a caller whose transfer fails gets a stream",
    "no caller is lost",
    "transfer.ts",
    'else if (phase.isDetached) giveBack(draft, phase.transfer, outcome, "rest");',
    "",
  ),
  mutant(
    "a document brings the caller back whose transfer fails",
    "no caller is lost",
    "transfer.ts",
    'if (takesDocuments) giveBack(draft, phase.transfer, outcome, "document");',
    "if (takesDocuments) stay(draft, phase, outcome);",
  ),
  mutant(
    "a transfer of which nothing is heard comes back",
    "no caller is lost",
    "transfer.ts",
    'else if (phase.isDetached) giveBack(draft, phase.transfer, "no_answer", "rest");\n  else stay',
    "else stay",
  ),
  mutant(
    "a caller returns once",
    "one answer has one token",
    "transfer.ts",
    '  switch (phase.at) {\n    case "transferring":\n      if (number',
    '  switch (phase.at) {\n    case "returning":\n      giveBack(draft, phase.transfer, "failed", "document");\n      return;\n    case "transferring":\n      if (number',
  ),
  mutant(
    "the carrier learns of a transfer after the worker",
    "a transfer does not end the call",
    "transfer.ts",
    "  if (!isInformed) {\n    stay",
    "  if (number < 1) {\n    stay",
  ),
  mutant(
    "a caller with the target of a transfer is not hung up",
    "a caller with the target of a transfer stays there",
    "ending.ts",
    "  if (!isBridged && !isRefused) draft.hangUp();",
    "  draft.hangUp();",
  ),
  mutant(
    "a call does not ring for ever",
    "every call ends",
    "state.ts",
    "    default:\n      return phase.untilMs;",
    '    default:\n      return phase.at === "ringing" ? undefined : phase.untilMs;',
  ),
  mutant(
    "a stream that does not come has a deadline",
    "no caller is lost",
    "state.ts",
    "    default:\n      return phase.untilMs;",
    '    default:\n      return phase.at === "returning" || phase.at === "answered" ? undefined : phase.untilMs;',
  ),
  mutant(
    "a live call reads whether its record has ended",
    "no caller is lost",
    "step.ts",
    'draft.emit({ kind: "check-record" });\n      draft.live();',
    "draft.live();",
  ),
  mutant(
    "the stream is ended for a transfer that waits for that",
    "a transfer that was accepted begins",
    "transfer.ts",
    'draft.emit({ kind: "inform", update: { kind: "end-leg" } });',
    "",
  ),
  mutant(
    "the agent goes on where it is not known whether a transfer waits for the end of its stream",
    "an agent is not silent while nothing rings",
    "transfer.ts",
    'if (draft.state.waitsForStreamEnd && !phase.isDetached) stay(draft, phase, "failed");\n      else ring',
    "ring",
  ),
  mutant(
    "a first stream that could not be connected is connected again",
    "no caller is lost",
    "stream-over.ts",
    'else connectAgain(draft, "document");',
    'else draft.emit({ kind: "hang-up-by-document" });',
  ),
  mutant(
    "a stream of the return that could not be connected is connected again",
    "no caller is lost",
    "stream-over.ts",
    'if (isLatest) returnFailed(draft, phase, "document");',
    "if (isLatest) draft.commands.splice(0);",
  ),
  mutant(
    "what follows a stream that ends for a transfer is the transfer",
    "no caller is lost",
    "stream-over.ts",
    '    case "ringing":\n      draft.emit({ kind: "transfer-by-document" });',
    '    case "ringing":',
  ),
  mutant(
    "a report that came twice does not take the stream from the caller who has it",
    "one answer has one token",
    "notices.ts",
    "if (state.takesDocuments || connect !== state.connects) return;",
    "if (state.takesDocuments || connect > state.connects) return;",
  ),
  mutant(
    "a stream that has connected is not given up because its report is late",
    "a caller with a stream keeps it",
    "step.ts",
    "if (event.isActive) draft.live();\n      else draft",
    "draft",
  ),
];

/** The file of a mutant without its guard. */
export function edited(root: string, { file, from, to }: Pick<Mutant, "file" | "from" | "to">): string {
  const text = readFileSync(join(root, "src/telephony/machine", file), "utf8");
  assert.equal(text.split(from).length, 2, `${file} has this text once: ${from}`);
  return text.replace(from, () => to);
}

const TIMEOUT_MS = 120_000;

/** Simulates a copy of the machine without a guard, until a call violates the invariant. */
export async function simulateMutant(
  mutated: Mutant,
  seeds: number,
): Promise<{ isSeen: boolean; seed: number | undefined; output: string }> {
  const root = mkdtempSync(join(tmpdir(), "trunkline-mutant-"));
  try {
    const project = fileURLToPath(new URL("../../..", import.meta.url));
    for (const part of ["src/core", "src/cli", "src/carriers", "src/telephony", "test/sim/telephony", "package.json"]) {
      cpSync(join(project, part), join(root, part), { recursive: true });
    }
    symlinkSync(join(project, "node_modules"), join(root, "node_modules"));
    writeFileSync(join(root, "src/telephony/machine", mutated.file), edited(project, mutated));
    const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
    const args = ["--import", tsx, "test/sim/telephony/run.ts", "--seeds", String(seeds), "--until", mutated.seen];
    const output = await new Promise<string>((resolve) => {
      const options = { cwd: root, timeout: TIMEOUT_MS, maxBuffer: 64 * 1024 * 1024 };
      execFile(process.execPath, args, options, (_, stdout, stderr) => resolve(stdout + stderr));
    });
    const seed = /^seen at seed (\d+)$/m.exec(output)?.[1];
    return { isSeen: seed !== undefined, seed: seed === undefined ? undefined : Number(seed), output };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
