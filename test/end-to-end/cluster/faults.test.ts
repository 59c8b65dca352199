import { rmSync } from "node:fs";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type S3Server, startS3Server } from "../../support/bucket/s3-server.ts";
import { hasFaketime, OtherClock } from "../../support/faketime.ts";
import { hasPostgres, PostgresServer } from "../../support/postgres/server.ts";
import { beginCalls, hangUpAll, type LiveCall, sendFrames } from "../../support/services/live-workers.ts";
import {
  bucketEnvironment,
  SECRETS_KEY,
  type SharedPlace,
  sharedPlace,
  startNode,
} from "../../support/services/nodes.ts";
import { type Service, ServiceProcess, until } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";

const FRAMES = 10;
/** The lease, the heartbeat that finds its end, and the record; more where the bucket fails at every other request. */
const RECOVERED_MS_MAX = 12_000;
const RECOVERED_SLOWLY_MS_MAX = 60_000;
/** A tenth of a second of a paced caller. */
const TICK_MS = 100;
const FRAMES_PER_TICK = 5;
const TIMES = { retry: ifMachineStalled, timeout: 240_000 };

describe.skipIf(!hasPostgres)("faults of a cluster (only where postgresql is installed)", () => {
  let server: PostgresServer;
  let place: SharedPlace;
  let s3: S3Server;
  const nodes: Service[] = [];
  const timers = new Set<NodeJS.Timeout>();

  beforeEach(async () => {
    server = await PostgresServer.start();
    place = await sharedPlace(server);
    s3 = await startS3Server();
  });
  afterEach(async () => {
    for (const timer of timers) clearInterval(timer);
    timers.clear();
    for (const node of nodes.splice(0)) await node.process.kill();
    await s3.close();
    await server.remove();
  });

  async function start(name: string, env: Readonly<Record<string, string>> = {}): Promise<Service> {
    const node = await startNode(place, name, { env: { ...bucketEnvironment(s3), ...env } });
    nodes.push(node);
    return node;
  }

  /** What a node says that does not start. */
  async function refusal(name: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
    const node = new ServiceProcess({
      env: {
        DATABASE_URL: place.url,
        NODE_NAME: name,
        SECRETS_KEY,
        WORKERS: "1",
        ...bucketEnvironment(s3),
        ...env,
      },
    });
    expect(await node.exited).not.toBe(0);
    return node.stdout + node.stderr;
  }

  /** The callers speak from now on, at the pace of callers. */
  function speak(calls: readonly LiveCall[]): void {
    timers.add(setInterval(() => sendFrames(calls, FRAMES_PER_TICK), TICK_MS));
  }

  async function recorded(node: Service, calls: readonly LiveCall[], withinMs = RECOVERED_MS_MAX) {
    return await until("the calls to be recorded", withinMs, async () => {
      const records = await Promise.all(calls.map(({ id }) => node.call(id)));
      return records.every(({ status }) => status !== "active") && records;
    });
  }

  test("two nodes of one name: the second does not start, and the calls of the first go on", TIMES, async () => {
    const one = await start("one");
    const calls = await beginCalls(one, 2);
    sendFrames(calls, FRAMES);
    expect(await refusal("one")).toContain("NODE_NAME one is the name of another node, which runs on another DATA_DIR");
    sendFrames(calls, FRAMES);
    expect(await hangUpAll(one, calls)).toEqual(calls.map(() => ({ endReason: "caller_hangup", lost: 0 })));
  });

  test("a node with the bucket of another database does not start, and the others go on", TIMES, async () => {
    const one = await start("one");
    const calls = await beginCalls(one, 1);
    const empty = await startS3Server();
    try {
      expect(await refusal("two", { BUCKET_URL: empty.url })).toContain("the bucket has no marker of this database");
      await empty.bucket().put("trunkline.json", Buffer.from('{"databaseId":"another"}'));
      expect(await refusal("two", { BUCKET_URL: empty.url })).toContain(
        "the bucket has the marker of another database",
      );
    } finally {
      await empty.close();
    }
    sendFrames(calls, FRAMES);
    expect(await hangUpAll(one, calls)).toEqual([{ endReason: "caller_hangup", lost: 0 }]);
  });

  test(
    "a node of an earlier version runs on beside a later one, and does not start again on its tables",
    TIMES,
    async () => {
      const one = await start("one");
      const calls = await beginCalls(one, 2);
      const client = new pg.Client(place.url);
      await client.connect();
      await client.query("INSERT INTO kysely_migration (name, timestamp) VALUES ('9999-next-version', '2030')");
      await client.end();
      expect(await refusal("two")).toContain("the database has the schema of a later version (9999-next-version)");
      const later = await beginCalls(one, 1);
      sendFrames([...calls, ...later], FRAMES);
      const all = [...calls, ...later];
      expect(await hangUpAll(one, all)).toEqual(all.map(() => ({ endReason: "caller_hangup", lost: 0 })));
    },
  );

  test(
    "with a bucket that fails, is slow and lists late, calls of a node lost with its disk are recorded once",
    TIMES,
    async () => {
      const [one, two] = [await start("one"), await start("two")];
      Object.assign(s3.fault, {
        answer: { status: 500, code: "InternalError" },
        everyNth: 3,
        delayMs: 150,
        listLagMs: 5_000,
      });
      const calls = await beginCalls(one, 3);
      const others = await beginCalls(two, 3);
      speak([...calls, ...others]);
      await until("the callers to have spoken for twelve seconds", 60_000, () =>
        calls.every(({ sent }) => sent >= 600),
      );
      await one.process.kill();
      rmSync(one.dataDir, { recursive: true, force: true });
      const sent = calls.map((call) => call.sent);
      const records = await recorded(two, calls, RECOVERED_SLOWLY_MS_MAX);
      for (const [at, record] of records.entries()) {
        expect(record).toMatchObject({ endReason: "worker_lost" });
        // How much is lost depends on how often the bucket failed; `npm run proof -- machines` measures it.
        const framesIn = record.counters?.framesIn ?? 0;
        expect(framesIn).toBeGreaterThan(0);
        expect(framesIn).toBeLessThanOrEqual(sent[at] ?? 0);
      }
      const stored = two.logged("call record stored").map(({ callId }) => callId);
      expect(stored.toSorted()).toEqual(calls.map(({ id }) => id).toSorted());
      for (const { id } of others) expect((await two.call(id)).status).toBe("active");
      Object.assign(s3.fault, { answer: undefined, delayMs: 0, listLagMs: 0 });
      expect(await hangUpAll(two, others)).toEqual(others.map(() => ({ endReason: "caller_hangup", lost: 0 })));
    },
  );

  describe.skipIf(!hasFaketime)("clocks that differ (only where libfaketime is installed)", () => {
    test("by five seconds, and that step, cost no call: leases go by the clock of Postgres", TIMES, async () => {
      const clock = new OtherClock(5);
      const [one, two] = [await start("one"), await start("two", clock.environment)];
      const [ofOne, ofTwo] = [await beginCalls(one, 2), await beginCalls(two, 2)];
      speak([...ofOne, ...ofTwo]);
      const startedAt = (await two.call(ofTwo[0]?.id ?? "")).startedAt ?? "";
      // Otherwise this test would say nothing.
      expect(Date.parse(startedAt) - Date.now()).toBeGreaterThan(1_000);
      for (const offsetS of [-5, 10, 0]) {
        clock.step(offsetS);
        // As long as a lease.
        await until("the callers to have spoken", 60_000, spokenFor(ofTwo[0] as LiveCall, 250));
      }
      for (const { id } of [...ofOne, ...ofTwo]) expect((await one.call(id)).status).toBe("active");
      clock.step(-5);
      await one.process.kill();
      for (const record of await recorded(two, ofOne)) expect(record).toMatchObject({ endReason: "worker_lost" });
      expect(await hangUpAll(two, ofTwo)).toEqual(ofTwo.map(() => ({ endReason: "caller_hangup", lost: 0 })));
    });
  });
});

/** Whether so many frames more were sent since now. */
function spokenFor(call: LiveCall, frames: number): () => boolean {
  const before = call.sent;
  return () => call.sent - before >= frames;
}
