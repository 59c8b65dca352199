import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { digitsIn } from "../../support/audio/dtmf-decoder.ts";
import { samplesOf } from "../../support/audio/samples.ts";
import { type S3Server, startS3Server } from "../../support/bucket/s3-server.ts";
import { freePort } from "../../support/network/free-port.ts";
import { hasPostgres, PostgresServer } from "../../support/postgres/server.ts";
import { beginCalls, type LiveCall, sendFrames } from "../../support/services/live-workers.ts";
import { bucketEnvironment, type SharedPlace, sharedPlace, startNode } from "../../support/services/nodes.ts";
import { type Service, until } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";
import { PhoneScene, TARGET } from "../../support/telephony/phone-scene.ts";

const SEEN_MS_MAX = 10_000;

interface Answer {
  id: string;
  status: string;
  heldSince: string | null;
  endReason: string | null;
  error?: { code: string; message: string };
}

describe.skipIf(!hasPostgres)("a call of another node (only where postgresql is installed)", () => {
  let server: PostgresServer;
  let place: SharedPlace;
  let s3: S3Server;
  let a: Service;
  let b: Service;

  beforeEach(async () => {
    server = await PostgresServer.start();
    place = await sharedPlace(server);
    s3 = await startS3Server();
    const start = async (name: string) => {
      const mediaPort = String(await freePort());
      const own = { MEDIA_PORT: mediaPort, NODE_RELAY_URL: `ws://127.0.0.1:${mediaPort}` };
      return await startNode(place, name, { env: { ...bucketEnvironment(s3), LOG_LEVEL: "debug", ...own } });
    };
    a = await start("a");
    b = await start("b");
  }, 120_000);
  afterEach(async () => {
    await a?.process.kill();
    await b?.process.kill();
    await s3?.close();
    await server?.remove();
  });

  const post = (path: string, body: object = {}) => b.api<Answer>("POST", path, body);

  test("is held, listened to, read and ended through any node", {
    retry: ifMachineStalled,
    timeout: 120_000,
  }, async () => {
    const calls = await beginCalls(a, 1);
    const [{ id }] = calls as [LiveCall];
    sendFrames(calls, 25);

    const held = await post(`/calls/${id}/hold`, { maxDuration: 60 });
    expect([held.status, held.body.heldSince]).toEqual([200, expect.any(String)]);
    expect((await b.api<Answer>("GET", `/calls/${id}`)).body.heldSince).toBe(held.body.heldSince);
    expect((await post(`/calls/${id}/hold`)).body.error).toMatchObject({ code: "already_on_hold" });
    expect((await post(`/calls/${id}/resume`)).status).toBe(200);
    expect((await b.api<Answer>("GET", `/calls/${id}`)).body.heldSince).toBeNull();

    const types = async () => {
      const { body } = await b.api<{ data: { type: string }[] }>("GET", `/calls/${id}/events`);
      return body.data.map(({ type }) => type);
    };
    await until("the journal to have the hold", SEEN_MS_MAX, async () => (await types()).length > 0);

    const address = await post(`/calls/${id}/listen`);
    expect(address.status).toBe(200);
    const listener = new WebSocket((address.body as unknown as { url: string }).url);
    const first = await new Promise((resolve, reject) => {
      listener.once("message", resolve);
      listener.once("error", reject);
    });
    expect(first).toBeDefined();
    listener.close();

    const activity = await fetch(`${b.apiUrl}/api/v1/events?activity=true`, { headers: { "x-api-key": place.apiKey } });
    const reader = (activity.body as ReadableStream<Uint8Array>).getReader();
    let text = "";
    await until("the call to be seen in the stream", SEEN_MS_MAX, async () => {
      text += Buffer.from((await reader.read()).value ?? []).toString();
      return text.includes("calls.activity") && text.includes(id);
    });
    await reader.cancel();

    expect((await post(`/calls/${id}/end`)).status).toBe(202);
    expect(await a.ended(id, SEEN_MS_MAX)).toMatchObject({ endReason: "api_hangup" });
  });

  test("is listened to and resumed at an address that all nodes share, through whichever node the stream reaches", {
    retry: ifMachineStalled,
    timeout: 120_000,
  }, async () => {
    const { id, websocketUrl } = await a.createCall({ connectionType: "websocket", firstSpeaker: "user" });
    // As a balancer leads it: the token alone names the call.
    const through = (node: Service, url: string) => `${node.mediaUrl}${new URL(url).pathname}`;
    const client = await open(`${through(a, websocketUrl)}?resume=true`);
    const { resumeUrl } = await client.next("ready");
    client.ws.terminate();
    const resumed = await until("the way to the other node to be known", SEEN_MS_MAX, async () => {
      const again = await open(through(b, String(resumeUrl))).catch(() => undefined);
      return again ?? false;
    });
    expect(await resumed.next("ready")).toMatchObject({ resumeUrl: expect.any(String) });

    const address = (await post(`/calls/${id}/listen`)).body as unknown as { url: string };
    const listener = await open(through(b, address.url));
    expect((await listener.first).length).toBeGreaterThan(0);
    expect((await b.api<Answer>("GET", `/calls/${id}`)).body.status).toBe("active");

    expect((await post(`/calls/${id}/end`)).status).toBe(202);
    expect(await resumed.closed).toEqual([1_000, "api_hangup"]);
    expect(await listener.closed).toEqual([1_000, "call_ended"]);
    expect(await a.ended(id, SEEN_MS_MAX)).toMatchObject({ endReason: "api_hangup" });
  });

  test("is 504, with the name of its node, while that is stopped, and ends when it goes on", {
    retry: ifMachineStalled,
    timeout: 120_000,
  }, async () => {
    const calls = await beginCalls(a, 1);
    const [{ id }] = calls as [LiveCall];
    const control = a.pid("control");
    process.kill(control, "SIGSTOP");
    try {
      const [held, ended] = await Promise.all([post(`/calls/${id}/hold`), post(`/calls/${id}/end`)]);
      for (const { status, body } of [held, ended]) {
        expect([status, body.error?.code]).toEqual([504, "node_unreachable"]);
        expect(body.error?.message).toContain("node a");
      }
    } finally {
      process.kill(control, "SIGCONT");
    }
    expect(await a.ended(id, SEEN_MS_MAX)).toMatchObject({ endReason: "api_hangup" });
  });
});

describe.skipIf(!hasPostgres)("a telephone call of another node (only where postgresql is installed)", () => {
  let server: PostgresServer;
  let place: SharedPlace;
  let s3: S3Server;
  let scene: PhoneScene;
  /** The one that no carrier knows. */
  let other: Service;

  beforeEach(async () => {
    server = await PostgresServer.start();
    place = await sharedPlace(server);
    s3 = await startS3Server();
    const env = async () => {
      const mediaPort = String(await freePort());
      return { ...bucketEnvironment(s3), MEDIA_PORT: mediaPort, NODE_MEDIA_URL: `ws://127.0.0.1:${mediaPort}` };
    };
    const scenario = { people: { [TARGET]: [{}] } };
    scene = await PhoneScene.open("twilio", { scenario, env: await env(), node: { place, name: "known" } });
    const { apiUrl } = scene.service;
    const ofCarrier = { PUBLIC_API_URL: apiUrl, ...scene.carrierEnvironment };
    other = await startNode(place, "other", { env: { ...(await env()), ...ofCarrier } });
  }, 120_000);
  afterEach(async () => {
    await scene?.close();
    await other?.process.kill();
    await s3?.close();
    await server?.remove();
  });

  test("takes digits and a transfer from the node that does not carry it", {
    retry: ifMachineStalled,
    timeout: 120_000,
  }, async () => {
    const { id, hangUp } = await scene.receive();
    await scene.until("the greeting", id, async () => (await scene.happened(id)).includes("playout-ended"));
    const nodes = [scene.service, other];
    const [asked, ...others] = nodes.filter((node) => node.logged("call started", id).length === 0) as [Service];
    expect(others).toEqual([]);
    const from = scene.heard.length;
    expect((await asked.api("POST", `/calls/${id}/dtmf`, { digits: "12" })).status).toBe(202);
    const heard = (): string => digitsIn(samplesOf("mulaw", Buffer.concat(scene.heard.slice(from))), 8_000);
    await until("the digits", SEEN_MS_MAX, () => heard() === "12");
    const transfer = await asked.api("POST", `/calls/${id}/transfer`, { target: TARGET });
    expect(transfer.status).toBe(202);
    expect((await scene.ended(id)).endReason).toBe("transferred");
    hangUp();
  });
});

/** A client's connection, and what comes over it. */
async function open(url: string) {
  const ws = new WebSocket(url);
  const texts: Record<string, unknown>[] = [];
  ws.on("message", (data, isBinary) => {
    if (!isBinary) texts.push(JSON.parse(String(data)));
  });
  const first = new Promise<Buffer>((resolve) => ws.once("message", (data) => resolve(data as Buffer)));
  const closed = new Promise<[number, string]>((resolve) =>
    ws.once("close", (code, reason) => resolve([code, String(reason)])),
  );
  await new Promise((resolve, reject) => {
    ws.once("open", resolve);
    ws.once("error", reject);
  });
  const next = (type: string) =>
    until(`a message ${type}`, SEEN_MS_MAX, () => texts.find((text) => text.type === type) ?? false);
  return { ws, first, closed, next };
}
