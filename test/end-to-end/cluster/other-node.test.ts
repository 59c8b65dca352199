import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { systemClock } from "../../../src/core/clock.ts";
import { openPostgresStores } from "../../../src/store/postgres/open-stores.ts";
import { hasPostgres, PostgresServer } from "../../support/postgres/server.ts";
import { beginCalls, type LiveCall, sendFrames } from "../../support/services/live-workers.ts";
import { Service, until } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";

const SECRETS_KEY = Buffer.alloc(32, 1).toString("base64");
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
  let key: string;
  let a: Service;
  let b: Service;

  beforeEach(async () => {
    server = await PostgresServer.start();
    const url = await server.createDatabase();
    const stores = await openPostgresStores(url, systemClock);
    const accountId = await stores.accounts.ensure("cluster");
    ({ key } = await stores.apiKeys.create({ accountId, name: "test" }));
    await stores.close();
    const start = (name: string) =>
      Service.start({
        apiKey: key,
        env: { DATABASE_URL: url, WORKERS: "1", NODE_NAME: name, SECRETS_KEY, LOG_LEVEL: "debug" },
      });
    a = await start("a");
    b = await start("b");
  }, 120_000);
  afterEach(async () => {
    await a?.process.kill();
    await b?.process.kill();
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

    const activity = await fetch(`${b.apiUrl}/api/v1/events?activity=true`, { headers: { "x-api-key": key } });
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
