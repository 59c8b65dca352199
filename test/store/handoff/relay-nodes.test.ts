import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { asWorkerId } from "../../../src/core/ids.ts";
import type { RelayNode } from "../../../src/core/network/node-tags.ts";
import { HandoffServer } from "../../../src/store/handoff/control-server.ts";
import { handoffClient } from "../../support/services/handoff-client.ts";
import { handoffServer } from "../../support/services/handoff-server.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const NODES: RelayNode[] = [{ tag: "ab12", url: "ws://10.0.0.5:8081" }];

test("workers know the nodes to which they can relay: when they connect, and when these change", async () => {
  const path = join(temporaryDirectory(), "control.sock");
  const server = new HandoffServer(handoffServer(path));
  await server.listen();
  onTestFinished(() => server.close());
  const received: string[] = [];
  const worker = (workerId: string) => {
    const handoff = handoffClient(path, {
      workerId: asWorkerId(workerId),
      onRelayNodes: (nodes) => received.push(`${workerId} ${nodes.map(({ url }) => url)}`),
    });
    onTestFinished(() => handoff.close());
    return handoff.firstAttempt;
  };
  await worker("early");
  await expect.poll(() => server.workerCount).toBe(1);
  server.sendRelayNodes(NODES);
  server.sendRelayNodes([...NODES]);
  await worker("late");
  await expect.poll(() => received).toEqual([`early ${NODES[0]?.url}`, `late ${NODES[0]?.url}`]);
  server.sendRelayNodes([]);
  await expect.poll(() => received.slice(2).sort()).toEqual(["early ", "late "]);
});
