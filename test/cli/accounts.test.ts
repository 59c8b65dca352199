import { execFile } from "node:child_process";
import { userInfo } from "node:os";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { openSqliteStores } from "../../src/store/sqlite/open-stores.ts";
import { builtProgram } from "../support/services/build.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const run = promisify(execFile);
const root = new URL("../../", import.meta.url);

/** Runs the command as a process of its own, while this process may have the database open. */
async function accounts(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  try {
    return { code: 0, ...(await run(process.execPath, [builtProgram("cli/accounts"), ...args], { cwd: root })) };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}

test("an operator creates, changes, lists and shows accounts while the service has the database open", async () => {
  const dataDir = temporaryDirectory();
  const stores = await openSqliteStores(dataDir, systemClock);
  const command = (...args: string[]) => accounts(...args, "--data-dir", dataDir);
  const made = await command("create", "--name", "acme", "--concurrent-calls", "20", "--tts", "espeak, openai");
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^account_[0-9a-f-]{36}\n$/) });
  const id = made.stdout.trim();
  expect((await command("create", "--name", "acme")).stderr).toContain('there is already an account "acme"');

  const options = ["--concurrent-calls", "none", "--creations-per-minute", "60", "--recording-days", "7"];
  expect((await command("update", "acme", ...options)).code).toBe(0);
  expect((await command("update", id, "--name", "acme 2")).code).toBe(0);
  const [account] = await stores.accounts.list();
  expect(account).toMatchObject({
    id,
    name: "acme 2",
    settings: {
      limits: { creationsPerMinute: 60 },
      retention: { recording: 7 },
      providers: { tts: ["espeak", "openai"] },
    },
  });
  expect((await command("list")).stdout).toMatch(
    new RegExp(`^${id}  created .*  no limit of calls  60 creations a minute  "acme 2"\n$`),
  );
  expect(JSON.parse((await command("show", "acme 2")).stdout)).toMatchObject({
    id,
    limits: { creationsPerMinute: 60 },
    retention: { recordingDays: 7 },
    providers: { tts: ["espeak", "openai"] },
  });

  const { events } = await stores.audit.list(account?.id ?? ("" as never), { limit: 10 });
  const actor = { kind: "operator", id: userInfo().username };
  expect(events.map((event) => [event.action, event.actor])).toEqual([
    ["account.updated", actor],
    ["account.updated", actor],
    ["account.created", actor],
  ]);
  await stores.close();
});

test("all problems of a command line are reported together, and nothing is changed", async () => {
  const options = ["--concurrent-calls", "0", "--llm", "openai,unknown", "--record-days", "x"];
  const { code, stderr } = await accounts("create", ...options);
  expect(code).toBe(2);
  expect(stderr).toContain("--name is missing");
  expect(stderr).toContain('--concurrent-calls must be a whole number from 1 to 1000000, or none, not "0"');
  expect(stderr).toContain('"unknown"');
  expect(stderr).toContain('--record-days must be a whole number from 1 to 36500, or none, not "x"');
  const idle = await accounts("update", "acme");
  expect([idle.code, idle.stderr]).toEqual([2, expect.stringContaining("nothing is to be changed")]);
  expect((await accounts("list", "--name", "x")).stderr).toContain("--name is only for create and update");
});

test("an account that does not exist is an error", async () => {
  const dataDir = temporaryDirectory();
  await (await openSqliteStores(dataDir, systemClock)).close();
  const { code, stderr } = await accounts("show", "unknown", "--data-dir", dataDir);
  expect([code, stderr]).toEqual([1, 'there is no account "unknown"\n']);
});
