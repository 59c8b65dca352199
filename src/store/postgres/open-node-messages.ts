import type { Clock } from "../../core/clock.ts";
import { NODE_MESSAGE_CONNECTIONS_MAX } from "../../core/limits/cluster/node-messages.ts";
import type { CallNodes } from "../cluster/call-nodes.ts";
import type { NodeMessageStore, NodeSignals } from "../cluster/node-message-store.ts";
import { SqlCallNodes } from "../sql/cluster/call-nodes.ts";
import { SqlNodeMessages } from "../sql/cluster/node-messages.ts";
import { PostgresNodeSignals } from "./node-signals.ts";
import { Pool } from "./pool.ts";
import { PostgresDatabase } from "./postgres-database.ts";

/** The messages of nodes in a database, with the connections that they have for themselves. */
export interface OpenNodeMessages {
  store: NodeMessageStore;
  nodes: CallNodes;
  signals: NodeSignals;
  /** Closes the connections; the signals are closed before. */
  close(): Promise<void>;
}

/** Of a database that `openPostgresStores` has opened before. Connects when it is first used. */
export function openPostgresNodeMessages(url: string, clock: Clock): OpenNodeMessages {
  const database = new PostgresDatabase(new Pool({ url, connectionsMax: NODE_MESSAGE_CONNECTIONS_MAX, clock }));
  return {
    store: new SqlNodeMessages(database.db),
    nodes: new SqlCallNodes(database.db),
    signals: new PostgresNodeSignals(url, clock),
    close: () => database.close(),
  };
}
