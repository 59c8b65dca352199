import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { openSqliteStores } from "../../src/store/sqlite/open-stores.ts";
import { apiUnderTest } from "../support/api/harness.ts";
import { builtProgram } from "../support/services/build.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const run = promisify(execFile);
const root = new URL("../../", import.meta.url);

/** Runs the command as a process of its own, while this process may have the database open. */
async function keys(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  try {
    return { code: 0, ...(await run(process.execPath, [builtProgram("cli/api-keys"), ...args], { cwd: root })) };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}

test("creates, lists and revokes API keys while the service has the database open", async () => {
  const dataDir = temporaryDirectory();
  const stores = await openSqliteStores(dataDir, systemClock);
  const made = await keys("create", "--name", "laptop", "--data-dir", dataDir);
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^tlk_[A-Za-z0-9_-]{43}\n$/) });
  const key = made.stdout.trim();
  const principal = await stores.apiKeys.authenticate(key);
  expect(principal?.accountId).toBe(await stores.accounts.ensure("default"));

  const listed = await keys("list", "--data-dir", dataDir);
  expect(listed.stdout).toContain(`${principal?.apiKeyId}  ${key.slice(0, 12)}…`);
  expect(listed.stdout).toContain('"laptop"');
  expect(listed.stdout + listed.stderr + made.stderr).not.toContain(key);

  expect((await keys("revoke", principal?.apiKeyId ?? "", "--data-dir", dataDir)).code).toBe(0);
  expect(await stores.apiKeys.authenticate(key)).toBeUndefined();
  await stores.close();
});

test("an API key belongs to its account, which its first API key creates and the list names", async () => {
  const dataDir = temporaryDirectory();
  const create = (name: string, ...rest: string[]) => keys("create", "--name", name, ...rest, "--data-dir", dataDir);
  for (const name of ["one", "two"]) expect((await create(name, "--account", "bakery")).code).toBe(0);
  expect((await create("three")).code).toBe(0);
  const stores = await openSqliteStores(dataDir, systemClock);
  const accounts = await stores.accounts.list();
  const names = new Map(accounts.map(({ id, name }) => [id, name]));
  const owners = (await stores.apiKeys.listAll()).map((key) => [key.name, names.get(key.accountId)]);
  expect(owners).toEqual([
    ["one", "bakery"],
    ["two", "bakery"],
    ["three", "default"],
  ]);
  await stores.close();
  const { stdout } = await keys("list", "--data-dir", dataDir);
  const [bakery, standard] = ["bakery", "default"].map((name) => accounts.find((account) => account.name === name)?.id);
  for (const line of [
    `of "bakery" ${bakery}  "one"`,
    `of "bakery" ${bakery}  "two"`,
    `of "default" ${standard}  "three"`,
  ])
    expect(stdout).toContain(`${line}\n`);
});

test("an API key has the scopes and the expiry that it is created with, and the list and the audit log show what was done", async () => {
  const dataDir = temporaryDirectory();
  const expires = "2999-01-01T00:00:00.000Z";
  const options = ["--scopes", "read, admin", "--expires", expires];
  const made = await keys("create", "--name", "auditor", ...options, "--data-dir", dataDir);
  const stores = await openSqliteStores(dataDir, systemClock);
  const principal = await stores.apiKeys.authenticate(made.stdout.trim());
  const id = principal?.apiKeyId ?? "";
  expect(principal).toMatchObject({ scopes: ["read", "admin"], validUntilMs: Date.parse(expires) });
  const line = async () => (await keys("list", "--data-dir", dataDir)).stdout;
  expect(await line()).toContain(`active until ${expires}  never used  read,admin  of "default"`);

  const rotated = await keys("rotate", id, "--overlap", "3600", "--data-dir", dataDir);
  expect(rotated).toMatchObject({ code: 0, stdout: expect.stringMatching(/^tlk_[A-Za-z0-9_-]{43}\n$/) });
  expect(rotated.stderr).toMatch(/has another text; the previous one works until \d{4}-/);
  for (const text of [made.stdout, rotated.stdout]) {
    expect((await stores.apiKeys.authenticate(text.trim()))?.apiKeyId).toBe(id);
  }
  expect((await keys("revoke", id, "--data-dir", dataDir)).code).toBe(0);
  expect(await line()).toContain("revoked ");
  expect(await keys("rotate", id, "--data-dir", dataDir)).toMatchObject({ code: 1, stderr: `${id} is revoked\n` });
  const accountId = await stores.accounts.ensure("default");
  const { events } = await stores.audit.list(accountId, { limit: 10 });
  expect(events.map(({ action, target }) => [action, target.id])).toEqual([
    ...["api_key.revoked", "api_key.rotated", "api_key.created"].map((action) => [action, id]),
    ["account.created", accountId],
  ]);
  for (const { actor } of events) expect(actor).toEqual({ kind: "operator", id: userInfo().username });
  await stores.close();
});

test("an API key that is revoked while the service runs is refused within a second", async () => {
  const api = await apiUnderTest();
  const base = await api.app.listen({ port: 0, host: "127.0.0.1" });
  const made = await Promise.all(["a", "b"].map((name) => keys("create", "--name", name, "--data-dir", api.directory)));
  const [revoked = "", other = ""] = made.map(({ stdout }) => stdout.trim());
  const status = async (key: string) =>
    (await fetch(`${base}/api/v1/voices`, { headers: { "x-api-key": key } })).status;
  expect([await status(revoked), await status(other)]).toEqual([200, 200]);
  const keyId = (await api.stores.apiKeys.authenticate(revoked))?.apiKeyId ?? "";
  expect((await keys("revoke", keyId, "--data-dir", api.directory)).code).toBe(0);
  api.clock.advance(1_000);
  expect([await status(revoked), await status(other)]).toEqual([401, 200]);
  await api.close();
});

test("two processes that open a new database at once both find its tables", async () => {
  const dataDir = temporaryDirectory();
  const made = await Promise.all(["a", "b"].map((name) => keys("create", "--name", name, "--data-dir", dataDir)));
  expect(made.map(({ code, stderr }) => (code === 0 ? code : stderr))).toEqual([0, 0]);
  const stores = await openSqliteStores(dataDir, systemClock);
  expect(new Set((await stores.apiKeys.listAll()).map((key) => key.accountId)).size).toBe(1);
  await stores.close();
});

test.each([
  { args: [], problem: "a command is missing: it must be create, list, rotate or revoke" },
  { args: ["creat"], problem: '"creat" is not a command: it must be create, list, rotate or revoke' },
  { args: ["create"], problem: "--name is missing: it says what the API key is for" },
  { args: ["create", "--name", " "], problem: "--name must not be empty" },
  { args: ["create", "--name", "laptop", "--account", " "], problem: "--account must not be empty" },
  { args: ["create", "laptop"], problem: '"laptop" is one argument too many after create' },
  {
    args: ["create", "--name", "x", "--scopes", "read,wrong"],
    problem: '--scopes must be one of read, calls, write, admin, not "wrong"',
  },
  {
    args: ["create", "--name", "x", "--expires", "tomorrow"],
    problem: '--expires must be a time with its zone, such as 2027-01-31T00:00:00Z, not "tomorrow"',
  },
  { args: ["create", "--name", "x", "--expires", "2020-01-01T00:00:00Z"], problem: "--expires must be in the future" },
  { args: ["rotate"], problem: "the id of the API key is missing: npm run api-keys -- list shows it" },
  {
    args: ["rotate", "key_1", "--overlap", "604801"],
    problem: '--overlap must be a whole number from 0 to 604800, not "604801"',
  },
  { args: ["list", "--scopes", "read"], problem: "--scopes is only for create" },
  { args: ["revoke", "key_1", "--overlap", "1"], problem: "--overlap is only for rotate" },
  { args: ["revoke"], problem: "the id of the API key is missing: npm run api-keys -- list shows it" },
  { args: ["revoke", "key_1", "key_2"], problem: '"key_2" is one argument too many after revoke' },
  { args: ["list", "--account", "default"], problem: "--account is only for create" },
])("keys $args names the problem, shows an example, and exits with 2", async ({ args, problem }) => {
  const answer = await keys(...args, "--data-dir", temporaryDirectory());
  expect(answer).toMatchObject({ code: 2, stdout: "" });
  expect(answer.stderr.split("\n")[0]).toBe(problem);
  const [command = ""] = args;
  const example = ["list", "rotate", "revoke"].includes(command) ? command : "create --name front-desk";
  expect(answer.stderr).toContain(`For example: npm run api-keys -- ${example}`);
});

test("an empty data directory is refused, and nothing is created in the working directory", async () => {
  for (const empty of ["", " "]) {
    const answer = await keys("list", "--data-dir", empty);
    expect(answer).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/^--data-dir must not be empty\n/),
    });
  }
  expect(existsSync(new URL("trunkline.db", root))).toBe(false);
});

test("a failure is reported in one line, with exit code 1", async () => {
  const unknown = await keys("revoke", "key_unknown", "--data-dir", temporaryDirectory());
  expect(unknown).toMatchObject({ code: 1, stderr: "there is no API key key_unknown\n" });
  const nowhere = await keys("list", "--data-dir", "/proc/nope");
  expect(nowhere).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^DATA_DIR "\/proc\/nope" cannot be used: .*\n$/),
  });
});
