import type { Clock } from "../../core/clock.ts";
import { DRAIN_RECORDS_MS } from "../../core/limits/service/processes.ts";

/** When no worker is left, requests that are still in progress have this long. */
const LAST_RESPONSES_MS = DRAIN_RECORDS_MS / 2;

export interface ControlShutdownOptions {
  admission: { drain(): void };
  /** Resolves when the jobs in progress are settled, or after this time. */
  jobs: { stop(graceMs: number): Promise<void> };
  api: {
    /** Stops listening; resolves when all connections are closed. */
    close(): Promise<unknown>;
    server: { closeAllConnections(): void };
  };
  lostCalls: { recoverAll(): Promise<void> };
  finalizer: {
    /** Resolves when every ended call has its record. */
    idle(): Promise<void>;
  };
  /** Undefined where the service manages no telephone calls. */
  phoneCalls: { stop(): Promise<void> } | undefined;
  callsOfNodes: { close(): Promise<void> };
  /** Gives the lease of a node up; undefined for a service that is alone on its database. */
  lease: { stop(): Promise<void> } | undefined;
  /** Undefined where calls are not traced. */
  traces: { close(): Promise<void> } | undefined;
  renderer: { close(): void };
  transcriber: { close(): void };
  ingester: { close(): Promise<void> };
  handoff: { close(): Promise<void> };
  providers: { close(): unknown };
  stores: { close(): Promise<void> };
  clock: Pick<Clock, "after">;
  exit: (code: number) => void;
}

/**
 * Ends the control process when no worker is left. Records are made for all remaining calls first. Clients that are slow to send
 * a request or to read a response do not delay that: their connections are closed after LAST_RESPONSES_MS.
 */
export async function shutDownControl(options: ControlShutdownOptions): Promise<void> {
  const {
    admission,
    jobs,
    api,
    lostCalls,
    finalizer,
    phoneCalls,
    callsOfNodes,
    lease,
    traces,
    renderer,
    transcriber,
    ingester,
    handoff,
    providers,
    stores,
    clock,
    exit,
  } = options;
  admission.drain();
  const jobsStopped = jobs.stop(LAST_RESPONSES_MS);
  const closed = api.close();
  const cancel = clock.after(LAST_RESPONSES_MS, () => api.server.closeAllConnections());
  await lostCalls.recoverAll();
  await closed;
  cancel();
  await finalizer.idle();
  await jobsStopped;
  await phoneCalls?.stop();
  await callsOfNodes.close();
  await traces?.close();
  renderer.close();
  transcriber.close();
  await ingester.close();
  await handoff.close();
  providers.close();
  await lease?.stop();
  await stores.close();
  exit(0);
}
