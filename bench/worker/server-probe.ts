import { readdirSync } from "node:fs";
import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import { machineMonotonicMs } from "../rig/monotonic.ts";
import type { LoopDelay, ServerSample } from "../rig/protocol.ts";

/** Often enough to meet every stall that matters, and seldom enough to cost nothing. */
const RESOLUTION_MS = 10;

/** Measures the process it runs in; the same for every server of the bench, so that it costs each the same. */
export class ServerProbe {
  #loop: IntervalHistogram | undefined;

  begin(): void {
    this.#loop = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    this.#loop.enable();
  }

  sample(): ServerSample {
    const { user, system } = process.cpuUsage();
    return {
      atMs: machineMonotonicMs(),
      userUs: user,
      systemUs: system,
      rssBytes: process.memoryUsage.rss(),
      heapBytes: process.memoryUsage().heapUsed,
      descriptors: countDescriptors(),
    };
  }

  finish(): LoopDelay {
    const loop = this.#loop;
    loop?.disable();
    // What Node counts is the time between two of its own timers, their distance included.
    const ms = (ns: number | undefined): number => Math.max(0, (ns ?? 0) / 1e6 - RESOLUTION_MS);
    return {
      p50: ms(loop?.percentile(50)),
      p99: ms(loop?.percentile(99)),
      p999: ms(loop?.percentile(99.9)),
      max: ms(loop?.max),
    };
  }
}

function countDescriptors(): number {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return Number.NaN;
  }
}
