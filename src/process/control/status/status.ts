import { REFUSALS } from "../../../api/http/errors.ts";
import type { CallAcceptance } from "../../../api/http/health.ts";
import type { Status } from "../../../api/status/schemas.ts";
import { type Clock, isoTime } from "../../../core/clock.ts";
import { elapsedMs, type MonotonicMs } from "../../../core/clocks.ts";
import type { WorkerId } from "../../../core/ids.ts";
import { STATUS_ANSWER_MS_MAX, STATUS_CACHE_MS } from "../../../core/limits/control-api/api.ts";
import type { ProcessMetrics } from "../../../core/metrics/aggregation.ts";
import { SOFTWARE } from "../../../core/runtime/version.ts";
import type { Capacity } from "../../../store/admission/capacity.ts";
import type { NodeRecord } from "../../../store/cluster/node-store.ts";
import type { DiskSpace } from "../../../store/data-dir/disk-space.ts";
import type { JobLoad, JobStatus } from "../../../store/job-store.ts";
import { providersIn } from "./provider-status.ts";

export interface StatusOptions {
  newCalls: () => CallAcceptance;
  capacity: Pick<Capacity, "usage" | "workers">;
  /** See `HandoffThreadClient.metrics`. */
  workerMetrics: (timeoutMs: number) => Promise<ReadonlyMap<WorkerId, ProcessMetrics | undefined>>;
  jobs: () => JobLoad;
  disk: Pick<DiskSpace, "freeBytes" | "isLow">;
  diskFreeMinBytes: number;
  database: { kind: "sqlite" | "postgres"; isLost: () => boolean };
  /** Of a cluster, by name; none in a service that is alone on its database. */
  nodes: () => readonly NodeRecord[];
  configuration: Status["configuration"];
  clock: Clock;
}

/** Reads the state of the service from what the control process holds and what its workers answer. */
export class StatusReader {
  readonly #options: StatusOptions;
  #latest: { status: Promise<Status>; sinceMs: MonotonicMs } | undefined;

  constructor(options: StatusOptions) {
    this.#options = options;
  }

  /** Workers are asked at most once in STATUS_CACHE_MS, however many requests there are. Never rejects. */
  read(): Promise<Status> {
    const nowMs = this.#options.clock.nowMs();
    if (this.#latest === undefined || elapsedMs(this.#latest.sinceMs, nowMs) >= STATUS_CACHE_MS) {
      this.#latest = { status: this.#read(), sinceMs: nowMs };
    }
    return this.#latest.status;
  }

  async #read(): Promise<Status> {
    const { newCalls, capacity, workerMetrics, jobs, disk, diskFreeMinBytes, database, nodes, configuration, clock } =
      this.#options;
    const answers = await workerMetrics(STATUS_ANSWER_MS_MAX);
    return {
      version: SOFTWARE.split("/")[1] ?? "",
      checkedAt: isoTime(clock.epochMs()),
      newCalls: acceptanceOf(newCalls()),
      slots: capacity.usage,
      workers: capacity.workers.map(
        ({ id, load: { role = "media", acceptsCalls, callCount, callsMax, loopLagMs } }) => ({
          id,
          role,
          acceptsCalls,
          calls: callCount,
          callsMax,
          loopDelayMs: Math.round(loopLagMs * 10) / 10,
        }),
      ),
      silentWorkers: [...answers.values()].filter((answer) => answer === undefined).length,
      providers: providersIn([...answers.values()].filter((answer) => answer !== undefined)),
      jobs: jobsOf(jobs()),
      disk: {
        state: Number.isNaN(disk.freeBytes) ? "unknown" : disk.isLow ? "low" : "ok",
        freeBytes: Number.isFinite(disk.freeBytes) ? disk.freeBytes : null,
        minFreeBytes: diskFreeMinBytes,
      },
      database: { kind: database.kind, state: database.isLost() ? "lost" : "ok" },
      nodes: nodes().map(nodeItemOf),
      configuration,
    };
  }
}

const nodeItemOf = (node: NodeRecord): Status["nodes"][number] => ({
  name: node.name,
  state: node.takenBy !== undefined || node.leaseLeftMs <= 0 ? "gone" : node.state,
  version: node.version.split("/")[1] ?? "",
  mediaUrl: node.mediaUrl ?? null,
  slots: {
    max: node.callSlots + node.webrtcSlots,
    active: node.calls + node.webrtcCalls,
    reserved: node.waitingCalls + node.waitingWebrtcCalls,
  },
  webrtc: node.webrtcSlots > 0,
  leaseLeftMs: Math.round(node.leaseLeftMs),
  takenBy: node.takenBy ?? null,
  startedAt: isoTime(node.startedAtMs),
});

const acceptanceOf = (state: CallAcceptance): Status["newCalls"] =>
  state.accepted
    ? { accepted: true, reason: null, message: "new calls are accepted" }
    : { accepted: false, reason: state.reason, message: `new calls are refused: ${REFUSALS[state.reason]}` };

function jobsOf({ counts, byKind, oldestDueMs }: JobLoad): Status["jobs"] {
  const kinds = [...new Set(byKind.map(({ kind }) => kind))].sort();
  const countOf = (kind: string, status: JobStatus): number =>
    byKind.find((one) => one.kind === kind && one.status === status)?.jobs ?? 0;
  return {
    waiting: counts.pending,
    running: counts.running,
    dead: counts.dead,
    oldestDueSeconds: Math.round(oldestDueMs / 1_000),
    kinds: kinds.map((kind) => ({
      kind,
      waiting: countOf(kind, "pending"),
      running: countOf(kind, "running"),
      dead: countOf(kind, "dead"),
    })),
  };
}
