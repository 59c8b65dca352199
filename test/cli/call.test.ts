import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { builtProgram } from "../support/services/build.ts";

const run = promisify(execFile);
const root = new URL("../../", import.meta.url);

/** Runs the command as a process of its own, without a service in its environment. */
async function call(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const options = { cwd: root, env: { ...process.env, TRUNKLINE_URL: "", TRUNKLINE_API_KEY: "", ...env } };
  try {
    return { code: 0, ...(await run(process.execPath, [builtProgram("cli/call"), ...args], options)) };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}

test("usage errors are reported together, with exit code 2; help is no error", async () => {
  const [wrong, lost, help] = await Promise.all([
    call(["--wire", "carrier_x", "--hang-up-after", "soon"]),
    call(["--record", "/no/such/folder/heard.wav"]),
    call(["--help"]),
  ]);
  expect(wrong).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining("--wire must be one of carrier_a"),
  });
  expect(wrong.stderr).toContain("--hang-up-after must be a time");
  expect(lost).toMatchObject({ code: 2, stderr: expect.stringContaining("there is no folder /no/such/folder") });
  expect(help).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("--agent-codec") });
});

test("without a running service it says so, and what to start", async () => {
  const answer = await call([], { API_PORT: "9" });
  expect(answer).toMatchObject({ code: 1, stderr: "" });
  expect(answer.stdout).toContain(
    "no service answers at http://127.0.0.1:9. Start one in another terminal with npm start",
  );
  expect(answer.stdout).toContain("npm run call -- --own-service");
});

test("a call without a listening peer fails with exit code 1, and no URL is repeated", async () => {
  const answer = await call(["--url", "ws://127.0.0.1:9/stream/secret"]);
  expect(answer).toMatchObject({ code: 1, stderr: "" });
  expect(answer.stdout).toContain("The call failed: the media stream was refused");
  expect(answer.stdout).not.toContain("secret");
});
