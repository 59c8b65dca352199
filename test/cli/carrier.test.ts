import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { builtProgram } from "../support/services/build.ts";
import { runProgram } from "../support/services/run-program.ts";

/** Resolves with the first match in what the program writes. */
async function written(child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
  let output = "";
  for await (const chunk of child.stdout ?? []) {
    output += String(chunk);
    const found = pattern.exec(output);
    if (found !== null) return found;
  }
  throw new Error(`the program ended without ${pattern}:\n${output}`);
}

test("a carrier says its address and credentials, serves its API, and ends with Ctrl-C", async () => {
  const child = spawn(process.execPath, [builtProgram("cli/carrier"), "telnyx", "--port", "0", "--seed", "5"]);
  onTestFinished(() => void child.kill("SIGKILL"));
  const exited = once(child, "exit");
  const [, url = "", apiKey = ""] = await written(
    child,
    /address +(\S+)[\s\S]*apiKey +(\S+)[\s\S]*seed +5[\s\S]*Ctrl-C/,
  );
  const balance = await fetch(`${url}/v2/balance`, { headers: { authorization: `Bearer ${apiKey}` } });
  expect(await balance.json()).toMatchObject({ data: { record_type: "balance" } });
  expect(await (await fetch(url)).text()).toContain("Emulated Telnyx");
  child.kill("SIGINT");
  expect(await exited).toEqual([0, null]);
});

test("usage errors have exit code 2; help is no error", async () => {
  const [wrong, help] = await Promise.all([
    runProgram([builtProgram("cli/carrier"), "vonage"]),
    runProgram([builtProgram("cli/carrier"), "--help"]),
  ]);
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("must be twilio, telnyx, plivo") });
  expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining("npm run carrier -- twilio") });
});
