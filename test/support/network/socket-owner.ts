import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";

/** The process group at the other end of a connection within this machine; undefined where the system does not tell. */
export function groupAtOtherEnd({ remotePort, localPort }: Socket): number | undefined {
  const filter = `sport = :${remotePort} and dport = :${localPort}`;
  const { stdout } = spawnSync("ss", ["-Htnp", filter], { encoding: "utf8" });
  const pid = /pid=(\d+)/.exec(stdout ?? "")?.[1];
  if (pid === undefined) return undefined;
  try {
    // After the name, which may have brackets: state, parent, group.
    const [, , group] = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return Number(group);
  } catch {
    // It has exited meanwhile.
    return undefined;
  }
}
