import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type S3Server, startS3Server } from "../../support/bucket/s3-server.ts";
import { hasPostgres, PostgresServer } from "../../support/postgres/server.ts";
import { beginCalls, hangUpAll, type LiveCall, sendFrames } from "../../support/services/live-workers.ts";
import { bucketEnvironment, type SharedPlace, sharedPlace, startNode } from "../../support/services/nodes.ts";
import { type Service, until } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";

/** A tenth of a second of a paced caller. */
const TICK_MS = 100;
const FRAMES_PER_TICK = 5;
const READY_MS_MAX = 30_000;
/** Frames of a caller: more than a lease lasts. */
const FRAMES_OF_OUTAGE = 400;
const OUTAGES = {
  "is killed, and starts again": {
    begin: async (server: PostgresServer) => await server.kill(),
    end: async (server: PostgresServer) => await server.run(),
  },
  "hangs, and goes on": {
    begin: async (server: PostgresServer) => server.pause(),
    end: async (server: PostgresServer) => server.resume(),
  },
} as const;
const TIMES = { retry: ifMachineStalled, timeout: 240_000 };

describe.skipIf(!hasPostgres)("two nodes without Postgres (only where postgresql is installed)", () => {
  let server: PostgresServer;
  let place: SharedPlace;
  let s3: S3Server;
  let speaking: NodeJS.Timeout | undefined;
  const nodes: Service[] = [];

  beforeEach(async () => {
    server = await PostgresServer.start();
    place = await sharedPlace(server);
    s3 = await startS3Server();
  });
  afterEach(async () => {
    clearInterval(speaking);
    for (const node of nodes.splice(0)) await node.process.kill();
    await s3.close();
    await server.remove();
  });

  async function start(name: string): Promise<Service> {
    const node = await startNode(place, name, { env: bucketEnvironment(s3) });
    nodes.push(node);
    return node;
  }

  /** The callers speak from now on, at the pace of callers. */
  function speak(calls: readonly LiveCall[]): void {
    speaking = setInterval(() => sendFrames(calls, FRAMES_PER_TICK), TICK_MS);
  }

  test.each(Object.entries(OUTAGES))(
    "Postgres %s after longer than a lease: every node goes on with its own calls",
    TIMES,
    async (_, outage) => {
      const [one, two] = [await start("one"), await start("two")];
      const [ofOne, ofTwo] = [await beginCalls(one, 2), await beginCalls(two, 2)] as const;
      const [observed] = ofTwo as [LiveCall];
      speak([...ofOne, ...ofTwo]);
      await outage.begin(server);
      await until("the callers to have spoken during the outage", 60_000, spokenFor(observed, FRAMES_OF_OUTAGE));
      await outage.end(server);
      for (const node of [one, two])
        await until(
          "the node to take calls",
          READY_MS_MAX,
          async () => (await node.fetch("GET", "/readyz")).status === 200,
        );
      // By then a node whose lease was not renewed would be taken.
      await until("the callers to have spoken afterwards", 60_000, spokenFor(observed, FRAMES_OF_OUTAGE));
      for (const [node, calls] of [
        [one, ofOne],
        [two, ofTwo],
      ] as const) {
        expect(node.logged("calls of a node that is gone are taken over")).toEqual([]);
        expect(await hangUpAll(node, calls)).toEqual(calls.map(() => ({ endReason: "caller_hangup", lost: 0 })));
      }
      const stored = [one, two].flatMap((node) => node.logged("call record stored").map(({ callId }) => callId));
      expect(stored.toSorted()).toEqual([...ofOne, ...ofTwo].map(({ id }) => id).toSorted());
    },
  );
});

/** Whether so many frames more were sent since now. */
function spokenFor(call: LiveCall, frames: number): () => boolean {
  const before = call.sent;
  return () => call.sent - before >= frames;
}
