import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** What a program of Node's answers to a command line; `env` is beside this process's environment. */
export async function runProgram(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  try {
    return { code: 0, ...(await run(process.execPath, [...args], { env: { ...process.env, ...env } })) };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}
