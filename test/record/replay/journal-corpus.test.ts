import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { projectJournal } from "../../../src/record/finalization/projection.ts";
import type { JournaledCommand } from "../../../src/record/journal/records.ts";
import { compareJournal } from "../../../src/record/replay/comparison.ts";
import { replayJournal } from "../../../src/record/replay/replay.ts";
import { CORPUS, EDGE_CASE_CALLS, journalOf, MAKE_CORPUS } from "../../support/journals/corpus.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const IF_MEANT = `The call machine does otherwise than it did. If that is meant, look at what differs (npm run replay -- <journal>) \
and make the corpus anew: ${MAKE_CORPUS}`;

/** The number of places after its header at which a journal is truncated. */
const CUTS = 6;
const HEADER_BYTES_MAX = 2_500;

const pathOf = (name: string): string => fileURLToPath(new URL(`${name}.tlj`, CORPUS));

/** The decisions of a call, without the routine of requests, speaking, marks and transcripts. */
async function decisions(path: string): Promise<string[]> {
  return (await replayJournal(path)).journaled.flatMap(({ command }) => decision(command));
}

function decision(command: JournaledCommand): string[] {
  switch (command.kind) {
    case "generate-reply":
    case "speak":
    case "mark":
    case "state":
    case "transcript":
      return [];
    case "turn":
      return [`${command.turn.role}: ${command.turn.text}${command.turn.interrupted ? " [interrupted]" : ""}`];
    case "run-tool":
      return [`tool ${command.name}`];
    case "ignore":
      return [`ignore ${command.text}`];
    case "language":
      return [`language ${command.language}`];
    default:
      return ["reason" in command ? `${command.kind} ${command.reason}` : command.kind];
  }
}

describe("the corpus of edge-case calls", () => {
  test.each(EDGE_CASE_CALLS)("$name gives the same commands again", async ({ name }) => {
    const { difference, truncated, commands } = await compareJournal(pathOf(name));
    expect(difference, IF_MEANT).toBeUndefined();
    expect(truncated).toBe(false);
    expect(commands).toBeGreaterThan(4);
  });

  test.each(EDGE_CASE_CALLS)("$name, run again by its script, has the same decisions", async (call) => {
    const path = join(temporaryDirectory(), "anew.tlj");
    writeFileSync(path, journalOf(call));
    expect(await decisions(path), IF_MEANT).toEqual(await decisions(pathOf(call.name)));
  });

  test("K5: truncated anywhere, as by a crash, each is the same call up to that point, and ends there", async () => {
    const path = join(temporaryDirectory(), "cut.tlj");
    for (const { name } of EDGE_CASE_CALLS) {
      const bytes = readFileSync(pathOf(name));
      const whole = await projectJournal(pathOf(name));
      for (let cut = 1; cut <= CUTS; cut += 1) {
        const length = Math.floor(HEADER_BYTES_MAX + (cut * (bytes.length - HEADER_BYTES_MAX)) / (CUTS + 1));
        writeFileSync(path, bytes.subarray(0, length));
        const { difference, truncated } = await compareJournal(path);
        expect([name, length, difference, truncated]).toEqual([name, length, undefined, true]);
        const { turns, endReason, complete, durationMs } = await projectJournal(path);
        expect([endReason, complete, durationMs <= whole.durationMs]).toEqual(["worker_lost", false, true]);
        // All turns but the last ones, which were in progress, are equal.
        const settled = turns.slice(0, -2);
        expect(settled).toEqual(whole.turns.slice(0, settled.length));
      }
    }
  });

  test(`has a journal and a line in the README for every call; ${MAKE_CORPUS} makes it anew`, () => {
    const names = EDGE_CASE_CALLS.map(({ name }) => `${name}.tlj`).sort();
    expect(readdirSync(CORPUS).sort()).toEqual(names);
    const readme = readFileSync(new URL("../README.md", CORPUS), "utf8");
    expect(names.filter((name) => !readme.includes(`\`journals/${name}\``))).toEqual([]);
    expect(readme).toContain(MAKE_CORPUS);
  });
});
