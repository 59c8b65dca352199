import { configurationOverview } from "../../../src/config/checks/overview.ts";
import { readConfig } from "../../../src/config/config.ts";
import type { Clock } from "../../../src/core/clock.ts";
import { type StatusOptions, StatusReader } from "../../../src/process/control/status/status.ts";
import { Capacity } from "../../../src/store/admission/capacity.ts";

/** Reads the state of a service without settings, workers and jobs. */
export const statusReader = (clock: Clock, options: Pick<StatusOptions, "newCalls" | "database">): StatusReader =>
  new StatusReader({
    capacity: new Capacity({ clock, callsPerApiKey: undefined }),
    workerMetrics: async () => new Map(),
    jobs: () => ({ counts: { pending: 0, running: 0, dead: 0 }, byKind: [], oldestDueMs: 0 }),
    disk: { freeBytes: 1e12, isLow: false },
    diskFreeMinBytes: 0,
    nodes: () => [],
    configuration: [...configurationOverview(readConfig({}, { checksFiles: false }))],
    clock,
    ...options,
  });
