import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { RawCaller } from "../../callers/raw-caller.ts";
import { type S3Server, startS3Server } from "../../support/bucket/s3-server.ts";
import { PostgresProxy } from "../../support/postgres/proxy.ts";
import { hasPostgres, PostgresServer } from "../../support/postgres/server.ts";
import { beginCalls, hangUpAll, type LiveCall, sendFrames } from "../../support/services/live-workers.ts";
import { bucketEnvironment, type SharedPlace, sharedPlace, startNode } from "../../support/services/nodes.ts";
import { type Service, until } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";

/** How much the replica lags at least when it becomes the primary. */
const LAG_MS = 1_000;
const READY_MS_MAX = 30_000;
/** A poll of the server, and the comparison. */
const COMPARED_MS_MAX = 15_000;
const RECORDED_MS_MAX = 15_000;
/** A tenth of a second of a paced caller. */
const TICK_MS = 100;
const FRAMES_PER_TICK = 5;
const FRAMES = 25;
/** What no server listens on. */
const NO_PORT = 1;
const SILENT = { firstSpeaker: "user" };
const HUNG_UP = { endReason: "caller_hangup", lost: 0 };
const TIMES = { retry: ifMachineStalled, timeout: 240_000 };

describe.skipIf(!hasPostgres)("Postgres fails over to a late replica (only where postgresql is installed)", () => {
  let primary: PostgresServer;
  let replica: PostgresServer;
  /** Between the two. */
  let replication: PostgresProxy;
  /** Where the nodes find the database. */
  let address: PostgresProxy;
  let place: SharedPlace;
  let s3: S3Server;
  const nodes: Service[] = [];
  let speaking: NodeJS.Timeout | undefined;

  beforeEach(async () => {
    primary = await PostgresServer.start();
    replication = await PostgresProxy.start(primary.port);
    address = await PostgresProxy.start(primary.port);
    const direct = await sharedPlace(primary);
    place = { ...direct, url: address.url(direct.url) };
    s3 = await startS3Server();
    replica = await primary.startStandby("replica", { port: replication.address.port });
  });
  afterEach(async () => {
    clearInterval(speaking);
    for (const node of nodes.splice(0)) await node.process.kill();
    await s3?.close();
    for (const proxy of [address, replication]) await proxy?.close();
    for (const server of [replica, primary]) await server?.remove();
  });

  async function start(name: string, env: Readonly<Record<string, string>> = {}): Promise<Service> {
    const node = await startNode(place, name, { env: { ...bucketEnvironment(s3), ...env } });
    nodes.push(node);
    return node;
  }

  /** These callers speak from now on, at the pace of callers. */
  function speak(calls: ReadonlySet<LiveCall>): void {
    speaking = setInterval(() => sendFrames([...calls], FRAMES_PER_TICK), TICK_MS);
  }

  /** From now on the replica gets no commit. */
  async function stopReplication(): Promise<void> {
    await primary.replicated();
    replication.pointTo(NO_PORT);
    replication.cutAll();
  }

  /** Resolves when these nodes take calls again. */
  async function failOver(ready: readonly Service[], meanwhile = (): void => {}): Promise<void> {
    await primary.kill();
    address.cutAll();
    meanwhile();
    await replica.promote();
    address.pointTo(replica.port);
    for (const node of ready) await until("the node to be ready", READY_MS_MAX, () => isReady(node));
  }

  const isReady = async (node: Service): Promise<boolean> => (await node.fetch("GET", "/readyz")).status === 200;

  /** Begins a call that was created before, at this node. */
  async function beginAt(node: Service, { id, websocketUrl }: { id: string; websocketUrl: string }): Promise<LiveCall> {
    return { id, caller: await RawCaller.startAt(node, websocketUrl), sent: 0 };
  }

  async function refusalOf(node: Service, websocketUrl: string): Promise<number | undefined> {
    const { caller, status } = await RawCaller.connect(`${node.mediaUrl}${new URL(websocketUrl).pathname}`);
    caller.ws.destroy();
    return status;
  }

  /** Of one whole record, with its recording. */
  async function expectWhole(node: Service, { id }: LiveCall): Promise<void> {
    expect(await node.call(id)).toMatchObject({ status: "ended", transcriptComplete: true });
    expect((await node.withRecording(id, RECORDED_MS_MAX)).recording).toMatchObject({ complete: true });
  }

  for (const [what, env] of [
    ["", {}],
    [", with encrypted media", { ENCRYPT_MEDIA: "true" }],
  ] as const)
    test(`K14: live calls go on, and every call that began has one whole record${what}`, TIMES, async () => {
      const [one, two] = [await start("one", env), await start("two", env)];
      const lasting = [...(await beginCalls(one, 2)), ...(await beginCalls(two, 2))];
      const [endsBefore, endsMeanwhile] = (await beginCalls(one, 2)) as [LiveCall, LiveCall];
      const [waiting, short] = [await one.createCall(SILENT), await two.createCall(SILENT)];
      const speakers = new Set([...lasting, endsBefore, endsMeanwhile]);
      speak(speakers);
      const hangUp = (call: LiveCall): void => {
        speakers.delete(call);
        call.caller.hangUp();
      };

      await stopReplication();
      const laggingMs = performance.now();
      // The replica has none of this: a redemption, a whole call, a creation with its redemption, one without a stream, and an end.
      const [begun, whole] = [await beginAt(one, waiting), await beginAt(two, short)];
      const [created] = (await beginCalls(two, 1)) as [LiveCall];
      const unknown = await one.createCall(SILENT);
      sendFrames([whole], FRAMES);
      for (const call of [begun, created]) speakers.add(call);
      for (const call of [endsBefore, whole]) hangUp(call);
      for (const { id } of [endsBefore, whole]) await one.ended(id, RECORDED_MS_MAX);
      await delay(Math.max(0, LAG_MS - (performance.now() - laggingMs)));
      await failOver(nodes, () => hangUp(endsMeanwhile));

      const live = [...lasting, begun, created];
      await until("the calls that the replica lacked to be known again", COMPARED_MS_MAX, async () => {
        const records = await Promise.all(live.map(({ id }) => one.call(id)));
        return records.every(({ status }) => status === "active");
      });
      for (const { caller } of live) expect(caller.ws.ended).toBe(false);
      // The replica took this token for a valid one.
      for (const node of nodes) expect(await refusalOf(node, waiting.websocketUrl)).toBe(401);
      expect(await refusalOf(one, unknown.websocketUrl)).toBe(401);
      expect((await one.api("GET", `/calls/${unknown.id}`)).status).toBe(404);

      const fresh = [...(await beginCalls(one, 1)), ...(await beginCalls(two, 1))];
      sendFrames(fresh, FRAMES);
      clearInterval(speaking);
      const all = [...live, ...fresh, endsBefore, endsMeanwhile, whole];
      expect(await hangUpAll(one, all)).toEqual(all.map(() => HUNG_UP));
      for (const call of all) await expectWhole(two, call);
      const { body } = await one.api<{ data: { id: string }[] }>("GET", "/calls?limit=100");
      expect(body.data.map(({ id }) => id).sort()).toEqual(all.map(({ id }) => id).sort());
      for (const node of nodes) expect(node.logged("calls that other nodes have taken end")).toEqual([]);
    });

  test(
    "K14: of two streams of a token whose redemption was lost, the second, at another node, has the record",
    TIMES,
    async () => {
      const [one, two] = [await start("one"), await start("two")];
      const waiting = await one.createCall(SILENT);
      await stopReplication();
      const first = await beginAt(one, waiting);
      sendFrames([first], FRAMES);
      // It cannot compare its calls with the new server before.
      const control = one.pid("control");
      process.kill(control, "SIGSTOP");
      await failOver([two]);
      const second = await beginAt(two, waiting);
      process.kill(control, "SIGCONT");
      await until("the first stream to end", COMPARED_MS_MAX, () => first.caller.ws.ended);
      expect(second.caller.ws.ended).toBe(false);
      sendFrames([second], 2 * FRAMES);
      expect(await hangUpAll(two, [second])).toEqual([HUNG_UP]);
      await expectWhole(two, second);
      await until("the first node to be ready", READY_MS_MAX, () => isReady(one).catch(() => false));
      expect(one.logged("call record stored")).toEqual([]);
    },
  );
});
