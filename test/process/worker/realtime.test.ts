import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { childModule } from "../../../src/core/child-processes/child-module.ts";

const SCHED_RR = 2;
/** Field 41 of /proc/[pid]/stat (proc(5)), counted from the name of the program, which may contain spaces. */
const policyOf = (stat: string): number => Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[38]);
const isAllowed = spawnSync("chrt", ["--rr", "1", "true"]).status === 0;

/** The log and the policies of a process that becomes real-time, and of a process that it starts. */
function run(
  env: NodeJS.ProcessEnv,
  priority: "required" | "if_allowed",
): { log: object[]; own: number; childs: number } {
  const { path, execArgv } = childModule(import.meta.url, "./realtime-program");
  const output = execFileSync(process.execPath, [...execArgv, path, priority], { encoding: "utf8", env });
  const lines = output.trim().split("\n");
  const [own = "", childs = ""] = lines.splice(-2);
  return { log: lines.map((line) => JSON.parse(line)), own: policyOf(own), childs: policyOf(childs) };
}

describe("a media worker with a real-time priority", () => {
  test.runIf(isAllowed)(
    "has Linux's real-time class, and what it starts has not (only where the system allows it)",
    () => {
      const { log, own, childs } = run(process.env, "if_allowed");
      expect(log).toMatchObject([{ level: "info", msg: "media worker has a real-time priority" }]);
      expect([own, childs]).toEqual([SCHED_RR, 0]);
    },
  );

  const WITHOUT_CHRT = { ...process.env, PATH: join(import.meta.dirname, "nothing-here") };

  test("goes on as before where the system refuses it, and warns where it is required, with how to allow it", () => {
    const { log, own } = run(WITHOUT_CHRT, "required");
    expect(log).toMatchObject([
      {
        level: "warn",
        code: "realtime_refused",
        why: expect.stringContaining("chrt"),
        msg: expect.stringContaining("LimitRTPRIO=1"),
      },
    ]);
    expect(own).toBe(policyOf(readFileSync("/proc/self/stat", "utf8")));
  });

  test("does not warn where it is only taken if allowed", () => {
    expect(run(WITHOUT_CHRT, "if_allowed").log).toEqual([]);
  });
});
