import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { RawCaller } from "../../callers/raw-caller.ts";
import { type S3Server, startS3Server } from "../../support/bucket/s3-server.ts";
import { hasPostgres, PostgresServer } from "../../support/postgres/server.ts";
import { beginCalls, hangUpAll, type LiveCall, sendFrames } from "../../support/services/live-workers.ts";
import { bucketEnvironment, type SharedPlace, sharedPlace, startNode } from "../../support/services/nodes.ts";
import { type Service, until } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";

const FRAMES = 10;
/** The lease, the heartbeat that finds its end, and the record. */
const RECOVERED_MS_MAX = 12_000;

describe.skipIf(!hasPostgres)("two nodes on one database (only where postgresql is installed)", () => {
  let server: PostgresServer;
  let place: SharedPlace;
  let s3: S3Server;
  const nodes: Service[] = [];

  beforeEach(async () => {
    server = await PostgresServer.start();
    place = await sharedPlace(server);
    s3 = await startS3Server();
  });
  afterEach(async () => {
    for (const node of nodes.splice(0)) await node.process.kill();
    await s3.close();
    await server.remove();
  });

  async function start(name: string, options: Parameters<typeof startNode>[2] = {}): Promise<Service> {
    const env = { ...bucketEnvironment(s3), ...options.env };
    const node = await startNode(place, name, { ...options, env });
    nodes.push(node);
    return node;
  }

  /** Begins a call that one node creates and another one carries. */
  async function beginAt(creator: Service, carrier: Service): Promise<LiveCall> {
    const { id, websocketUrl } = await creator.createCall({ firstSpeaker: "user" });
    const { pathname } = new URL(websocketUrl);
    return { id, caller: await RawCaller.startAt(carrier, `${carrier.mediaUrl}${pathname}`), sent: 0 };
  }

  /** The records of calls, by this node, once they are over; the callers of `others` go on speaking until then. */
  async function recorded(node: Service, calls: readonly LiveCall[], others: readonly LiveCall[] = []) {
    return await until("the calls to be recorded", RECOVERED_MS_MAX, async () => {
      sendFrames(others, 1);
      const records = await Promise.all(calls.map(({ id }) => node.call(id)));
      return records.every(({ status }) => status !== "active") && records;
    });
  }

  test("live side by side: each starts, stops and is restarted without the other's calls", {
    retry: ifMachineStalled,
    timeout: 240_000,
  }, async () => {
    const [one, two] = [await start("one"), await start("two")];
    const [ofOne, ofTwo] = [await beginCalls(one, 2), await beginCalls(two, 2)];
    const crossing = await beginAt(one, two);
    sendFrames([...ofOne, ...ofTwo, crossing], FRAMES);
    // A start looks for lost calls some seconds later, and an orderly end before it exits.
    const three = await start("three");
    expect(await three.stop()).toBe(0);
    await two.killChild("control");
    await until("the control process to be there again", 30_000, async () => {
      const answer = await two.fetch("GET", "/readyz").catch(() => undefined);
      return answer?.status === 200;
    });
    sendFrames([...ofOne, ...ofTwo, crossing], FRAMES);
    const calls = [...ofOne, ...ofTwo, crossing];
    for (const { id } of calls) expect((await one.call(id)).status).toBe("active");
    expect(await hangUpAll(one, calls)).toEqual(calls.map(() => ({ endReason: "caller_hangup", lost: 0 })));
  });

  test("a node that dies is found out, and its calls are recorded once by the other", {
    retry: ifMachineStalled,
    timeout: 240_000,
  }, async () => {
    const [one, two] = [await start("one"), await start("two")];
    const [ofOne, ofTwo] = [await beginCalls(one, 3), await beginCalls(two, 2)];
    const crossing = await beginAt(two, one);
    await one.process.kill();
    for (const record of await recorded(two, [...ofOne, crossing], ofTwo))
      expect(record).toMatchObject({ endReason: "worker_lost" });
    for (const { id } of ofTwo) expect((await two.call(id)).status).toBe("active");

    // On its own disk it is the same node, and finds its calls taken.
    const talking = setInterval(() => sendFrames(ofTwo, 1), 100);
    const again = await start("one", { dataDir: one.dataDir });
    clearInterval(talking);
    expect(again.logged("node registered")).toMatchObject([{ node: "one", calls: 0 }]);
    const fresh = await beginCalls(again, 1);
    const calls = [...ofTwo, ...fresh];
    expect(await hangUpAll(again, calls)).toEqual(calls.map(() => ({ endReason: "caller_hangup", lost: 0 })));
    for (const { id } of ofOne) expect(await again.call(id)).toMatchObject({ endReason: "worker_lost" });
  });

  test("a node that stood still gives way: its calls are recorded once, by the other", {
    retry: ifMachineStalled,
    timeout: 240_000,
  }, async () => {
    const [one, two] = [await start("one"), await start("two")];
    const calls = await beginCalls(one, 2);
    const control = one.pid("control");
    process.kill(control, "SIGSTOP");
    for (const record of await recorded(two, calls)) expect(record).toMatchObject({ endReason: "worker_lost" });
    process.kill(control, "SIGCONT");
    await until("its workers to end the calls", 30_000, () => calls.every(({ caller }) => caller.ws.ended));
    await until("it to take calls again", 30_000, async () => {
      const answer = await one.fetch("GET", "/readyz").catch(() => undefined);
      return answer?.status === 200;
    });
    const fresh = await beginCalls(one, 1);
    expect(await hangUpAll(one, fresh)).toEqual([{ endReason: "caller_hangup", lost: 0 }]);
    for (const { id } of calls) expect(await one.call(id)).toMatchObject({ endReason: "worker_lost" });
    expect(one.logged("call record stored").map(({ callId }) => callId)).toEqual(fresh.map(({ id }) => id));
  });
});
