import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { transformSync } from "esbuild";
import { describe, expect, test } from "vitest";

const file = fileURLToPath(new URL("../../src/core/idle-priority.ts", import.meta.url));
/** The module as JavaScript, which threads can import, too. It imports nothing but modules of Node. */
const program = `data:text/javascript,${encodeURIComponent(transformSync(readFileSync(file, "utf8"), { loader: "ts" }).code)}`;
const hasChrt = process.platform === "linux" && spawnSync("chrt", ["--version"]).status === 0;
/** In Linux's sched(7), as field 41 of /proc/PID/stat has it. */
const SCHED_IDLE = 5;

/** The class and the nice value of each thread, the main one first, after the call. */
function threadsAfter(call: string, env: NodeJS.ProcessEnv = process.env): { policy: number; nice: number }[] {
  const script = `
    import { readdirSync, readFileSync } from "node:fs";
    import { yieldToCalls } from ${JSON.stringify(program)};
    ${call}
    const fieldsOf = (thread) => readFileSync("/proc/self/task/" + thread + "/stat", "latin1").split(") ")[1].split(" ");
    const threads = readdirSync("/proc/self/task").map(fieldsOf);
    console.log(JSON.stringify(threads.map((fields) => ({ policy: Number(fields[38]), nice: Number(fields[16]) }))));`;
  const options = ["--input-type=module", "--eval", script];
  return JSON.parse(execFileSync(process.execPath, options, { encoding: "utf8", env }));
}

describe.skipIf(!hasChrt)("work for which no call waits", () => {
  test("runs where no other program wants the processor, with every thread of its process", () => {
    const policies = threadsAfter(`await yieldToCalls("process", 15);`).map(({ policy }) => policy);
    expect(policies.length).toBeGreaterThan(1);
    expect(new Set(policies)).toEqual(new Set([SCHED_IDLE]));
  });

  test("of a main thread leaves the threads that are there already as they are", () => {
    const policies = threadsAfter(`await yieldToCalls("main thread", 15);`).map(({ policy }) => policy);
    expect(policies[0]).toBe(SCHED_IDLE);
    expect(policies.slice(1)).toContain(0);
  });

  test("has a low priority where there is no chrt", () => {
    const [main] = threadsAfter(`await yieldToCalls("process", 15);`, { PATH: "/nowhere" });
    expect(main).toEqual({ policy: 0, nice: 15 });
  });
});
