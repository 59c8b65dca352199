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
async function users(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  try {
    const options = { cwd: root, env: { ...process.env, ...env } };
    return { code: 0, ...(await run(process.execPath, [builtProgram("cli/users"), ...args], options)) };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}

test("makes the first owner of a new data directory, resets, lists and removes, as acts of the operator", async () => {
  const dataDir = temporaryDirectory();
  const at = ["--data-dir", dataDir];
  const made = await users(["invite", "--email", "Kim@example.com", ...at], {
    PUBLIC_API_URL: "https://voice.example.com/voice/api/v1",
  });
  expect(made).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^https:\/\/voice\.example\.com\/voice\/dashboard\/accept#tll_[\w-]{43}\n$/),
    stderr: expect.stringMatching(/^user_[0-9a-f-]+ was invited as owner\. The link works once, until /),
  });
  const stores = await openSqliteStores(dataDir, systemClock);
  const token = made.stdout.trim().split("#")[1] ?? "";
  const session = await stores.sessions.useLink(token, "hash", "req_1");
  expect(session?.user).toMatchObject({ email: "kim@example.com", role: "owner", name: "Kim@example.com" });

  const reset = await users(["reset", "KIM@example.com", ...at], { PUBLIC_API_URL: "", API_PORT: "8090" });
  expect(reset.stdout).toMatch(/^http:\/\/127\.0\.0\.1:8090\/dashboard\/accept#tll_[\w-]{43}\n$/);
  const kept = await users(["remove", "kim@example.com", ...at]);
  expect(kept).toMatchObject({ code: 1, stderr: "the account would be without an owner: invite another one first\n" });
  const second = ["invite", "--email", "robin@example.com", "--name", "Robin", "--role", "owner"];
  expect((await users([...second, ...at])).code).toBe(0);
  expect((await users([...second, ...at])).code).toBe(1);
  const { stdout } = await users(["list", ...at]);
  expect(stdout).toContain(`${session?.user.id}  owner  active  invited `);
  expect(stdout).toMatch(
    /owner {2}invited {2}invited .* never signed in {2}of "default" account_\S+ {2}robin@example\.com {2}"Robin"\n/,
  );
  expect(stdout + made.stderr + reset.stderr).not.toContain("tll_");
  const robin = /(user_\S+) .*robin@/.exec(stdout)?.[1] ?? "";
  const link = await users(["reset", robin, ...at]);
  const signedIn = await stores.sessions.useLink(link.stdout.trim().split("#")[1] ?? "", "hash", "req_2");
  expect((await users(["remove", robin, ...at])).code).toBe(0);
  // What another process did counts from the next request on.
  expect(await stores.sessions.authenticate(signedIn?.secret ?? "")).toBeUndefined();
  expect((await users(["remove", robin, ...at])).code).toBe(1);

  const [{ id: accountId } = { id: "" as never }] = await stores.accounts.list();
  const { events } = await stores.audit.list(accountId, { limit: 100, actorKind: "operator" });
  expect(events.map(({ action }) => action)).toEqual([
    "user.removed",
    "user.link_created",
    "user.invited",
    "user.link_created",
    "user.invited",
    "account.created",
  ]);
  for (const { actor } of events) expect(actor.id).toBe(userInfo().username);
  await stores.close();
});

test("an email in several accounts is named by its id", async () => {
  const at = ["--data-dir", temporaryDirectory()];
  for (const account of ["one", "two"]) {
    expect((await users(["invite", "--email", "kim@example.com", "--account", account, ...at])).code).toBe(0);
  }
  const { code, stderr } = await users(["reset", "kim@example.com", ...at]);
  expect([code, stderr]).toEqual([
    1,
    "kim@example.com is in several accounts: name the id, which npm run users -- list shows\n",
  ]);
});

test("all problems of a command line are reported together, and nothing is opened", async () => {
  for (const [args, ...problems] of [
    [["shrug"], '"shrug" is not a command: it must be invite, list, reset or remove'],
    [["invite"], "--email is missing"],
    [
      ["invite", "--email", "kim", "--role", "king", "--name", ""],
      "--email must be",
      "--role must be",
      "--name must not",
    ],
    [["list", "x", "--role", "owner"], '"x" is one argument too many', "--role is only for invite"],
    [["reset"], "the id or the email of the person is missing"],
  ] as [string[], ...string[]][]) {
    const { code, stderr } = await users([...args, "--data-dir", "/dev/null/none"]);
    expect([args, code]).toEqual([args, 2]);
    for (const problem of problems) expect(stderr).toContain(problem);
  }
  expect((await users(["--help"])).stdout).toContain("npm run users -- reset");
});
