import { setTimeout as delay } from "node:timers/promises";
import { describe } from "vitest";
import type { NodeMessageStore } from "../../src/store/cluster/node-message-store.ts";
import { nodeMessagesContract } from "../contract/cluster/node-messages.ts";
import { postgresNode } from "../support/cluster/postgres-nodes.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { hasPostgres } from "../support/postgres/server.ts";
import { migratedDatabase } from "../support/stores/every-store.ts";

const POLL_MS = 5;

describe.skipIf(!hasPostgres)("only where postgresql is installed", () => {
  nodeMessagesContract("Postgres", async () => {
    const [clock, url] = [new ManualClock(), await migratedDatabase()];
    let stored = 0;
    const around = (store: NodeMessageStore): NodeMessageStore => {
      const send = store.send.bind(store);
      store.send = async (message) => {
        await send(message);
        stored += 1;
      };
      return store;
    };
    return {
      clock,
      join: async (node) => (await postgresNode({ url, node, clock, around })).messages,
      sent: async (count) => {
        while (stored < count) await delay(POLL_MS);
        // The node that has asked learns it in this turn of the loop.
        await delay(0);
      },
    };
  });
});
