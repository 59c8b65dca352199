import { describe } from "vitest";
import { nodeMessagesContract } from "../contract/cluster/node-messages.ts";
import { postgresNode } from "../support/cluster/postgres-nodes.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { hasPostgres } from "../support/postgres/server.ts";
import { migratedDatabase } from "../support/stores/every-store.ts";

describe.skipIf(!hasPostgres)("only where postgresql is installed", () => {
  nodeMessagesContract("Postgres", async () => {
    const [clock, url] = [new ManualClock(), await migratedDatabase()];
    return { clock, join: async (node) => (await postgresNode({ url, node, clock })).messages };
  });
});
