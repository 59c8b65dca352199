import { spawnSync } from "node:child_process";

/** The cores that processes can be given to: one for the server, the other for everything else. */
export interface Cores {
  server: number;
  others: number;
}

/**
 * The first and the last core that this process may run on; undefined where it has only one, or the system has no
 * `taskset` to hold it there.
 */
export function findCores(): Cores | undefined {
  const { status, stdout } = spawnSync("taskset", ["-p", "-c", String(process.pid)], { encoding: "utf8" });
  return status === 0 ? coresIn(stdout) : undefined;
}

/** Reads the output of util-linux: "pid 17's current affinity list: 0,1", or "0-3", or both. */
export function coresIn(affinityList: string): Cores | undefined {
  const match = /: (\d+)(?:[\d,-]*[,-](\d+))?\s*$/.exec(affinityList);
  if (match?.[1] === undefined || match[2] === undefined) return undefined;
  return { server: Number(match[1]), others: Number(match[2]) };
}

/** Keeps every thread of a process on one core. */
export function pin(pid: number, core: number): void {
  spawnSync("taskset", ["-a", "-p", "-c", String(core), String(pid)]);
}
