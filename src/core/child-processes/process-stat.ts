import { readFileSync } from "node:fs";

/**
 * What Linux says of a process, from its third field on: its state first (proc_pid_stat(5)). The second, a name in parentheses, may hold
 * anything. Throws the system's error where no process has this id.
 */
export const processStat = (pid: number): readonly string[] =>
  readFileSync(`/proc/${pid}/stat`, "latin1")
    .replace(/^.*\) /s, "")
    .split(" ");
