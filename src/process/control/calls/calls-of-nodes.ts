import { type LiveCalls, LiveCallsOfNodes } from "../../../cluster/live-calls.ts";
import { NODE_REQUEST_KINDS } from "../../../cluster/message-kinds.ts";
import { type CallActivities, NodeActivity, type TranscriptionActivities } from "../../../cluster/node-activity.ts";
import { type Holds, NodeHolds } from "../../../cluster/node-holds.ts";
import { NodeSpend, type SpendTotals } from "../../../cluster/node-spend.ts";
import { SealedMessages } from "../../../cluster/sealed-messages.ts";
import { StoredNodeMessages } from "../../../cluster/stored-node-messages.ts";
import type { Clock } from "../../../core/clock.ts";
import type { NodeName, WorkerId } from "../../../core/ids.ts";
import type { Logger } from "../../../core/log/logger.ts";
import type { ControlMetrics } from "../../../core/metrics/control-metrics.ts";
import { NodeMessageMetrics } from "../../../core/metrics/node-message-metrics.ts";
import { openPostgresNodeMessages } from "../../../store/postgres/open-node-messages.ts";
import type { Keyring } from "../../../store/sealing/seal.ts";

/** What control knows and asks of live calls: of its own node alone, or of all nodes of a cluster. */
export interface CallsOfNodes {
  liveCalls: LiveCalls;
  holds: Holds;
  activity: CallActivities;
  transcriptionActivity: TranscriptionActivities;
  /** Talks to the other nodes from now on. */
  start(): void;
  /** Nothing is asked any more, and other nodes get no answers. */
  close(): Promise<void>;
}

export interface CallsOfNodesOptions extends Omit<CallsOfNodes, "start" | "close"> {
  /** This node and its database; undefined in a service that is alone. */
  cluster: { name: NodeName; databaseUrl: string; incarnation: number } | undefined;
  hasWorker: (workerId: WorkerId) => boolean;
  spends: SpendTotals;
  /** What accounts have spent at other nodes has changed. */
  onSpendChanged: () => void;
  keys: Keyring;
  metrics: Pick<ControlMetrics, "registry">;
  clock: Clock;
  log: Logger;
}

/** The calls of all nodes; those of this one where it is alone, with nothing in between. */
export function callsOfNodes(options: CallsOfNodesOptions): CallsOfNodes {
  const { cluster, liveCalls: here, holds, activity, transcriptionActivity, hasWorker, clock, log } = options;
  if (cluster === undefined) {
    return { liveCalls: here, holds, activity, transcriptionActivity, start: () => {}, close: async () => {} };
  }
  const opened = openPostgresNodeMessages(cluster.databaseUrl, clock);
  const messages = new StoredNodeMessages({
    ...{ node: cluster.name, start: String(cluster.incarnation), store: opened.store, signals: opened.signals },
    sealed: new SealedMessages(options.keys),
    metrics: new NodeMessageMetrics(options.metrics.registry, NODE_REQUEST_KINDS),
    ...{ clock, log },
  });
  const allHolds = new NodeHolds({ here: holds, messages, clock });
  const all = new LiveCallsOfNodes({ here, hasWorker, nodes: opened.nodes, messages, holds: allHolds, log });
  const allActivity = new NodeActivity({ calls: activity, transcriptions: transcriptionActivity, messages, clock });
  const spend = new NodeSpend({ totals: options.spends, messages, onChanged: options.onSpendChanged, clock });
  return {
    liveCalls: all,
    holds: allHolds,
    activity: allActivity,
    transcriptionActivity: allActivity.transcriptions,
    start() {
      all.serve();
      allActivity.start();
      allHolds.start();
      spend.start();
      messages.start();
    },
    async close() {
      await messages.close();
      await opened.close();
    },
  };
}
