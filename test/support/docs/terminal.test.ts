import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { temporaryDirectory } from "../temporary-directory.ts";
import { Terminal } from "./terminal.ts";

const WITHIN_MS = 20_000;

const opened: Terminal[] = [];
afterEach(async () => {
  for (const terminal of opened.splice(0)) await terminal.stop();
});

function terminal(): Terminal {
  const one = new Terminal({ cwd: temporaryDirectory(), env: { PATH: process.env.PATH } });
  opened.push(one);
  return one;
}

test("a variable that one block sets is there for the next, and each block has its own output", async () => {
  const one = terminal();
  expect(await one.run("NAME=a\necho first", WITHIN_MS)).toBe("first\n");
  expect(await one.run('echo "second: $NAME"; echo error >&2', WITHIN_MS)).toBe("second: a\nerror\n");
});

test.each([
  ["a command that fails", "echo seen\nfalse\necho unseen"],
  ["a command that fails within a pipe", "echo seen\nfalse | cat\necho unseen"],
  ["a variable that is not set", 'echo seen\necho "$NOWHERE"\necho unseen'],
])("a block with %s fails with what was written until then", async (_, commands) => {
  const error = await terminal()
    .run(commands, WITHIN_MS)
    .catch((reason: Error) => reason.message);
  expect(error).toMatch(/^failed:/);
  const [, written] = String(error).split("It wrote:\n");
  expect(written).toMatch(/^seen\n/);
  expect(written).not.toContain("unseen");
});

test("a block that does not end in time fails", async () => {
  await expect(terminal().run("echo begun; tail -f /dev/null", 200)).rejects.toThrow(/^not done within 200 ms:/);
});

test("a program in the foreground is ready when it has written the pattern, and ends with Ctrl-C", async () => {
  const one = terminal();
  await one.start("echo ready; tail -f /dev/null", /ready/, WITHIN_MS);
  opened.splice(0);
  await one.stop();
  expect(one.output).toBe("ready\n");
});

test("what a program writes later is waited for, until it ends or the time is over", async () => {
  const flag = join(temporaryDirectory(), "flag");
  const one = terminal();
  await one.start(`echo ready; until [ -e ${flag} ]; do :; done; echo later; tail -f /dev/null`, /ready/, WITHIN_MS);
  const later = one.reaches((output) => output.includes("later"), WITHIN_MS);
  const neverBeside = one.reaches((output) => output.includes("never"), 100);
  writeFileSync(flag, "");
  expect(await later).toBe(true);
  expect(await neverBeside).toBe(false);
  expect(await one.reaches((output) => output.includes("never"), 100)).toBe(false);
  const ended = terminal();
  await ended.start("echo ready", /ready/, WITHIN_MS);
  expect(await ended.reaches((output) => output.includes("never"), WITHIN_MS)).toBe(false);
});
