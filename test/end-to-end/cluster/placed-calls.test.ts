import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { drain } from "../../../src/cli/admin/drain.ts";
import { RawCaller } from "../../callers/raw-caller.ts";
import { type S3Server, startS3Server } from "../../support/bucket/s3-server.ts";
import { freePort } from "../../support/network/free-port.ts";
import { hasPostgres, PostgresServer } from "../../support/postgres/server.ts";
import { hangUpAll, type LiveCall, sendFrames } from "../../support/services/live-workers.ts";
import { bucketEnvironment, type SharedPlace, sharedPlace, startNode } from "../../support/services/nodes.ts";
import { type Service, until } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";

const FRAMES = 10;
const TOKEN_TTL_S = 15;
const SEEN_MS_MAX = 10_000;

/** A call that is placed on a node, and where its stream is expected. */
interface Placed {
  id: string;
  websocketUrl: string;
}

describe.skipIf(!hasPostgres)("a call between its creation and its stream (only where postgresql is installed)", () => {
  let server: PostgresServer;
  let place: SharedPlace;
  let s3: S3Server;
  const nodes: Service[] = [];
  /** Where each node takes streams, whatever the address is that calls have. */
  const addresses = new WeakMap<Service, string>();

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

  async function start(name: string, { hasOwnAddress }: { hasOwnAddress: boolean }): Promise<Service> {
    const port = String(await freePort());
    const address = `ws://127.0.0.1:${port}`;
    const media = hasOwnAddress
      ? { NODE_MEDIA_URL: address }
      : { PUBLIC_MEDIA_URL: "ws://media.example", NODE_RELAY_URL: address };
    const env = { ...bucketEnvironment(s3), ...media, MEDIA_PORT: port, TOKEN_TTL_S: String(TOKEN_TTL_S) };
    const node = await startNode(place, name, { env });
    nodes.push(node);
    addresses.set(node, address);
    return node;
  }

  const streamAt = (node: Service, path: string): string => `${addresses.get(node)}${path}`;

  /** Begins the stream of a call at a node. */
  async function beginAt(node: Service, { id, websocketUrl }: Placed): Promise<LiveCall> {
    return { id, caller: await RawCaller.start(streamAt(node, new URL(websocketUrl).pathname)), sent: 0 };
  }

  /** A call that one node creates and places on the other one. */
  const placedOn = (node: Service, creator: Service): Promise<Placed> =>
    until("a call to be placed on the node", SEEN_MS_MAX, async () => {
      const call = await creator.createCall({ firstSpeaker: "user", inactivityTimeout: 300 });
      return call.websocketUrl.startsWith(streamAt(node, "/")) && call;
    });

  const isReady = async (node: Service): Promise<boolean> => (await node.fetch("GET", "/readyz")).status === 200;

  test("K7: reaches a node that drains meanwhile, which gets no other one and ends when the last is over", {
    retry: ifMachineStalled,
    timeout: 240_000,
  }, async () => {
    const [one, two] = [await start("one", { hasOwnAddress: true }), await start("two", { hasOwnAddress: true })];
    const before = await beginAt(one, await placedOn(one, one));
    const placed = await placedOn(one, two);
    const said: string[] = [];
    const drained = drain(one.dataDir, (line) => said.push(line));
    await until("the node to be unready", SEEN_MS_MAX, async () => !(await isReady(one)));
    const late = await beginAt(one, placed);
    const calls = [before, late];
    sendFrames(calls, FRAMES);
    await until("the other node to place calls on itself alone", SEEN_MS_MAX, async () => {
      const urls = await Promise.all([1, 2, 3, 4, 5].map(async () => (await two.createCall()).websocketUrl));
      return urls.every((url) => url.startsWith(streamAt(two, "/")));
    });
    sendFrames(calls, FRAMES);
    expect(await hangUpAll(two, calls)).toEqual(calls.map(() => ({ endReason: "caller_hangup", lost: 0 })));
    await drained;
    expect(await one.process.exited).toBe(0);
    expect(said).toHaveLength(2);
  });

  test("expires where the node with its address is gone", { retry: ifMachineStalled, timeout: 240_000 }, async () => {
    const [one, two] = [await start("one", { hasOwnAddress: true }), await start("two", { hasOwnAddress: true })];
    const { id } = await placedOn(one, two);
    await one.process.kill();
    const record = await two.ended(id as never, (TOKEN_TTL_S + 15) * 1_000);
    expect(record).toMatchObject({ status: "expired", endReason: "token_expired" });
  });

  test("begins at another node where all have one address", {
    retry: ifMachineStalled,
    timeout: 240_000,
  }, async () => {
    const [one, two] = [await start("one", { hasOwnAddress: false }), await start("two", { hasOwnAddress: false })];
    const placed = await Promise.all(Array.from({ length: 4 }, () => one.createCall({ firstSpeaker: "user" })));
    await one.process.kill();
    const calls = await Promise.all(placed.map((call) => beginAt(two, call)));
    sendFrames(calls, FRAMES);
    expect(await hangUpAll(two, calls)).toEqual(calls.map(() => ({ endReason: "caller_hangup", lost: 0 })));
  });
});
