import { createServer } from "node:http";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { isMainThread } from "node:worker_threads";
import { elapsedMs, monotonicMs } from "../../../src/core/clocks.ts";
import { Ticker } from "../../../src/gateway/event-loop/ticker.ts";
import { UwsTransport } from "../../../src/gateway/server/uws/transport.ts";
import { WsTransport } from "../../../src/gateway/server/ws/transport.ts";
import type { Transport } from "../../../src/gateway/transport/transport.ts";

// Loaded into every process of a service by NODE_OPTIONS; acts in its media workers. It observes from outside when each frame
// was due and when it was written, and answers on a socket of its own: `PROBE_FOLDER/<pid>`.

/** What a worker has seen since it was asked last, ms. */
export interface ProbeReport {
  /** Of each frame that was due: until it was written to the socket. */
  writtenMs: number[];
  /** Delays of the event loop, p99 and the longest. */
  loopP99Ms: number;
  loopMaxMs: number;
}

const LOOP_SAMPLE_MS = 10;
const NOT_DUE_MS = monotonicMs(Number.NaN);

const folder = process.env.PROBE_FOLDER;
if (isMainThread && folder !== undefined && /\/process\/worker\.[jt]s$/.test(process.argv[1] ?? "")) {
  observe(`${folder}/${process.pid}`);
}

function observe(socketPath: string): void {
  let dueMs = NOT_DUE_MS;
  let writtenMs: number[] = [];
  const add = Ticker.prototype.add;
  Ticker.prototype.add = function (this: Ticker, tickable) {
    const whileDue = (tick: (atMs: typeof dueMs) => void) => (atMs: typeof dueMs) => {
      dueMs = atMs;
      tick(atMs);
      dueMs = NOT_DUE_MS;
    };
    return add.call(this, {
      tick: whileDue((atMs) => tickable.tick(atMs)),
      catchUp: whileDue((atMs) => tickable.catchUp(atMs)),
    });
  };
  for (const { prototype } of [UwsTransport, WsTransport] as readonly { prototype: Transport }[]) {
    const { send } = prototype;
    prototype.send = function (this: Transport, message, isBinary) {
      const sent = send.call(this, message, isBinary);
      // Audio is bytes, everything else text.
      if (typeof message !== "string" && !Number.isNaN(dueMs))
        writtenMs.push(elapsedMs(dueMs, monotonicMs(performance.now())));
      return sent;
    };
  }
  const loop = monitorEventLoopDelay({ resolution: LOOP_SAMPLE_MS });
  loop.enable();
  const server = createServer((_, response) => {
    const delayMs = (ns: number): number => Math.max(0, ns / 1e6 - LOOP_SAMPLE_MS);
    const report: ProbeReport = { writtenMs, loopP99Ms: delayMs(loop.percentile(99)), loopMaxMs: delayMs(loop.max) };
    writtenMs = [];
    loop.reset();
    response.end(JSON.stringify(report));
  });
  server.listen(socketPath).unref();
}
