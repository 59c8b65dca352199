import { strict as assert } from "node:assert";
import { execFile } from "node:child_process";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import type { Invariant } from "./kinds.ts";

/** A guard that is taken out of the service, by replacing text that stands in a file once, and what must be seen without it. */
interface Mutant {
  guard: string;
  edits: readonly { file: string; from: string; to: string }[];
  seen: Invariant;
}

const MUTANTS: readonly Mutant[] = [
  {
    guard: "a call that is over does nothing any more",
    edits: [{ file: "gateway/connection.ts", from: "    this.#over = true;\n", to: "" }],
    seen: "one end, and nothing after it",
  },
  {
    guard: "output runs ahead by the lead and no more",
    edits: [
      {
        file: "gateway/connection.ts",
        from: "const TOP_UP_BELOW_MS = OUTPUT_LEAD_MS - FRAME_MS / 2;",
        to: "const TOP_UP_BELOW_MS = 3 * OUTPUT_LEAD_MS + FRAME_MS;",
      },
    ],
    seen: "output stays within the lead",
  },
  {
    guard: "a greeting may be kept from being interrupted",
    edits: [
      {
        file: "call/call.ts",
        from: "const interruptible = !this.#firstMessage || this.#spec.interruptible;",
        to: "const interruptible = true;",
      },
    ],
    seen: "a greeting that may not be interrupted is heard whole",
  },
  {
    guard: "the clock of inactivity stands still while somebody is heard",
    edits: [
      {
        file: "call/inactivity.ts",
        from: "Math.max(this.#quietSinceMs, Number.isNaN(voicedMs) ? 0 : voicedMs, playsUntilMs)",
        to: "this.#quietSinceMs",
      },
      { file: "call/call.ts", from: "    this.#inactivity.heardUntil(turn.endMs);\n", to: "" },
    ],
    seen: "inactivity comes when it is due and not before",
  },
  {
    guard: "what was not sent of a reply that is cut is dropped",
    edits: [{ file: "gateway/connection.ts", from: "        this.#engines.cut();\n", to: "" }],
    seen: "one speaker at a time, each frame in its order",
  },
  {
    guard: "a call ends at its cap, whatever hangs",
    edits: [
      {
        file: "call/call.ts",
        from: "if (nowMs >= this.#spec.maxDurationMs) this.#end",
        to: "if (nowMs < 0) this.#end",
      },
    ],
    seen: "no deadline is missed",
  },
];

const SEEDS = 24;
const TIMEOUT_MS = 120_000;

test.each(MUTANTS)(
  "without this guard the simulation is red: $guard",
  async ({ edits, seen }) => {
    const { code, output } = await simulateMutant(edits);
    expect(code, output).toBe(1);
    expect(output).toContain(`: ${seen}: `);
  },
  TIMEOUT_MS,
);

/** Runs the simulation over a copy of the source with these edits. */
async function simulateMutant(edits: Mutant["edits"]): Promise<{ code: number; output: string }> {
  const root = temporaryDirectory();
  const project = fileURLToPath(new URL("../..", import.meta.url));
  for (const part of ["src", "test/sim", "test/support", "package.json"]) {
    cpSync(join(project, part), join(root, part), { recursive: true });
  }
  symlinkSync(join(project, "node_modules"), join(root, "node_modules"));
  for (const { file, from, to } of edits) {
    const path = join(root, "src", file);
    const source = readFileSync(path, "utf8");
    assert.equal(source.split(from).length, 2, `${file} has this once: ${from}`);
    writeFileSync(
      path,
      source.replace(from, () => to),
    );
  }
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
  const args = ["--import", tsx, "test/sim/run.ts", "--seeds", String(SEEDS)];
  return await new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: root, timeout: TIMEOUT_MS }, (error, output) => {
      resolve({ code: typeof error?.code === "number" ? error.code : error === null ? 0 : -1, output });
    });
  });
}
