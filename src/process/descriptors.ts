import { readFileSync } from "node:fs";
import { TrunklineError } from "../core/errors.ts";
import { API_CONNECTIONS_MAX, METRICS_CONNECTIONS_MAX } from "../core/limits/api.ts";
import {
  DESCRIPTORS_MIN,
  DESCRIPTORS_PER_CALL,
  DESCRIPTORS_PER_REQUEST,
  DESCRIPTORS_RESERVED,
} from "../core/limits/processes.ts";

/** How many descriptors (connections and open files) the system lets this process have at once; Infinity where it does not tell. */
export function descriptorsMax(): number {
  try {
    // proc_pid_limits(5): the soft limit is the first, which Node has raised to the hard one; "unlimited" is no number.
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1")) ?? [];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    // Not Linux.
    return Number.POSITIVE_INFINITY;
  }
}

/** Throws `bad_configuration`, in one line, where `descriptors` of `descriptorsMax` are too few for the service to start. */
export function assertDescriptors(descriptors: number): void {
  if (descriptors >= DESCRIPTORS_MIN) return;
  const raise = "`ulimit -n 4096` in a shell, LimitNOFILE=4096 in a systemd unit, --ulimit nofile=4096 for Docker";
  const why = `the limit of open files (ulimit -n) is ${descriptors}, and the service needs at least ${DESCRIPTORS_MIN}`;
  throw new TrunklineError("bad_configuration", "caller", `${why}: raise it, with ${raise}`);
}

/** How many calls a process may have that is configured for `callsPerWorker`, with `descriptors` of `descriptorsMax`. */
export const callsMaxWith = (descriptors: number, callsPerWorker: number): number =>
  Math.max(1, Math.min(callsPerWorker, Math.floor((descriptors - DESCRIPTORS_RESERVED) / DESCRIPTORS_PER_CALL)));

/** How many connections to the API the control process may have with `descriptors` of `descriptorsMax`. */
export const apiConnectionsMaxWith = (descriptors: number): number => {
  const left = Math.floor((descriptors - DESCRIPTORS_RESERVED - METRICS_CONNECTIONS_MAX) / DESCRIPTORS_PER_REQUEST);
  return Math.max(1, Math.min(API_CONNECTIONS_MAX, left));
};
