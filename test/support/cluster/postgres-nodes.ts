import { NODE_REQUEST_KINDS } from "../../../src/cluster/message-kinds.ts";
import type { NodeMessages } from "../../../src/cluster/node-messages.ts";
import { SealedMessages } from "../../../src/cluster/sealed-messages.ts";
import { StoredNodeMessages } from "../../../src/cluster/stored-node-messages.ts";
import { type Clock, systemClock } from "../../../src/core/clock.ts";
import type { NodeName } from "../../../src/core/ids.ts";
import { registryOf } from "../../../src/core/metrics/instruments.ts";
import { NodeMessageMetrics } from "../../../src/core/metrics/node-message-metrics.ts";
import type { NodeMessageStore } from "../../../src/store/cluster/node-message-store.ts";
import { openPostgresNodeMessages } from "../../../src/store/postgres/open-node-messages.ts";
import { Keyring, sealingKeyOf } from "../../../src/store/sealing/seal.ts";
import { memoryLog } from "../memory-log.ts";

const KEYS = new Keyring([sealingKeyOf(Buffer.alloc(32, 7))]);
let starts = 0;

export interface PostgresNodeOptions {
  url: string;
  node: NodeName;
  /** Of deadlines and polls; the connection that is notified has the system's. */
  clock: Clock;
  keys?: Keyring;
  /** Stands between the node and the database. */
  around?: (store: NodeMessageStore) => NodeMessageStore;
  /** Before it takes messages. */
  prepare?: (messages: NodeMessages) => void;
}

/** A start of a node on a database that is migrated; it is notified when this resolves. */
export async function postgresNode({
  url,
  node,
  clock,
  keys = KEYS,
  around = (store) => store,
  prepare,
}: PostgresNodeOptions) {
  const opened = openPostgresNodeMessages(url, systemClock);
  const { log, lines } = memoryLog();
  const registry = registryOf("control");
  const metrics = new NodeMessageMetrics(registry, NODE_REQUEST_KINDS);
  starts += 1;
  const messages = new StoredNodeMessages({
    ...{ node, start: `start-${starts}`, sealed: new SealedMessages(keys), metrics, clock, log },
    ...{ store: around(opened.store), signals: opened.signals },
  });
  const isListening = async () => (await registry.metrics()).includes('trunkline_node_listening{process="control"} 1');
  prepare?.(messages);
  messages.start();
  while (!(await isListening())) await new Promise((resolve) => setTimeout(resolve, 5));
  const close = messages.close.bind(messages);
  messages.close = async () => {
    await close();
    await opened.close();
    opened.close = async () => {};
  };
  return { messages, store: opened.store, lines, registry, isListening };
}
