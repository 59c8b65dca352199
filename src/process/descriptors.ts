import { readFileSync } from "node:fs";
import { TrunklineError } from "../core/errors.ts";
import { API_CONNECTIONS_MAX, METRICS_CONNECTIONS_MAX } from "../core/limits/control-api/api.ts";
import {
  DESCRIPTORS_MIN,
  DESCRIPTORS_PER_CALL,
  DESCRIPTORS_PER_REQUEST,
  DESCRIPTORS_RESERVED,
} from "../core/limits/service/processes.ts";

/** How many file descriptors (connections and open files) this process may have open; Infinity on systems that do not report it. */
export function descriptorsMax(): number {
  try {
    // proc_pid_limits(5): the soft limit is the first, which Node has raised to the hard one; "unlimited" is not a number.
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1")) ?? [];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    // Not Linux.
    return Number.POSITIVE_INFINITY;
  }
}

/** Throws `bad_configuration` when `descriptors`, from `descriptorsMax`, are too few for the service to start. */
export function assertDescriptors(descriptors: number): void {
  if (descriptors >= DESCRIPTORS_MIN) return;
  const raise = "`ulimit -n 4096` in a shell, LimitNOFILE=4096 in a systemd unit, --ulimit nofile=4096 for Docker";
  const problem = `the limit of open files (ulimit -n) is ${descriptors}, and the service needs at least ${DESCRIPTORS_MIN}`;
  throw new TrunklineError("bad_configuration", "caller", `${problem}: raise it with ${raise}`);
}

/** How many calls a worker that is configured for `callsPerWorker` may carry with `descriptors`, from `descriptorsMax`. */
export const callsMaxWith = (descriptors: number, callsPerWorker: number): number =>
  Math.max(1, Math.min(callsPerWorker, Math.floor((descriptors - DESCRIPTORS_RESERVED) / DESCRIPTORS_PER_CALL)));

/** How many API connections the control process may have with `descriptors`, from `descriptorsMax`. */
export const apiConnectionsMaxWith = (descriptors: number): number => {
  const left = Math.floor((descriptors - DESCRIPTORS_RESERVED - METRICS_CONNECTIONS_MAX) / DESCRIPTORS_PER_REQUEST);
  return Math.max(1, Math.min(API_CONNECTIONS_MAX, left));
};
