import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { type AgeMs, ageMs } from "./clocks.ts";

/**
 * The clock by which a store measures age. All processes that use one store read the same one, and no step of their own clocks
 * moves it. A store on one machine uses CLOCK_MONOTONIC with the boot id; a shared database uses its own time under one constant id.
 */
export interface AgeClock {
  /** Readings with different ids cannot be compared: a time with another id counts as too old. */
  readonly bootId: string;
  /** Whole milliseconds since an arbitrary start that is the same for all processes with this id. */
  nowMs(): AgeMs;
}

/**
 * This machine's age clock: CLOCK_MONOTONIC, which `process.hrtime` reads on Linux and which all processes of a boot share. It stops
 * while the machine is suspended. On systems without a boot id (all but Linux) every process counts as its own boot: a restart of the
 * control process then expires all waiting tokens. Threads of a process get its `bootId`.
 */
export function systemAgeClock(bootId = bootIdOf()): AgeClock {
  return { bootId, nowMs: () => ageMs(Number(process.hrtime.bigint() / 1_000_000n)) };
}

/** proc_sys_kernel(5), `random/boot_id`. */
function bootIdOf(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  } catch {
    return PROCESS_BOOT_ID;
  }
}

const PROCESS_BOOT_ID = `process-${randomUUID()}`;
