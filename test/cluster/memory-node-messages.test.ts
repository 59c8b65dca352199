import { nodeMessagesContract } from "../contract/cluster/node-messages.ts";
import { MemoryCluster } from "../support/cluster/memory-node-messages.ts";
import { ManualClock } from "../support/manual-clock.ts";

nodeMessagesContract("in memory", async () => {
  const clock = new ManualClock();
  const cluster = new MemoryCluster(clock);
  return { clock, join: async (node) => cluster.join(node), sent: async () => {} };
});
