import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { asNodeName } from "../../../src/core/ids.ts";
import { NODE_RELAY_ANSWER_MS_MAX, NODE_RELAYS_MAX } from "../../../src/core/limits/streams/connections.ts";
import { nodeTagOf } from "../../../src/core/network/node-tags.ts";
import { OtherNodes } from "../../../src/gateway/resumption/other-nodes.ts";
import type { Transport, TransportListener } from "../../../src/gateway/transport/transport.ts";
import { RELAYED_HEADER } from "../../../src/wire/upgrade.ts";
import { DEFAULT_LIVENESS } from "../../support/configuration/liveness.ts";
import { ManualClock } from "../../support/manual-clock.ts";

const [OWN, OTHER] = [nodeTagOf(asNodeName("here")), nodeTagOf(asNodeName("there"))];
const WORKER = `${OTHER}0123456789ab`;
const TOKEN = "r_token";
const HEADERS = { "x-signature": "of the upgrade", "x-absent": "" };

/** A client's connection to the node that does not have its call. */
class ClientTransport implements Transport {
  readonly liveness = DEFAULT_LIVENESS;
  readonly sent: unknown[] = [];
  readonly closes: [number, string][] = [];
  pings = 0;
  takes = true;
  bufferedBytes = 0;

  send(message: Uint8Array | string, isBinary = false): boolean {
    this.sent.push(isBinary ? [...(message as Uint8Array)] : message);
    return this.takes;
  }

  ping(): void {
    this.pings += 1;
  }

  close(code: number, reason: string): void {
    this.closes.push([code, reason]);
  }
}

let server: WebSocketServer;
let clock: ManualClock;
let nodes: OtherNodes;
let outcomes: string[];
let upgrades: IncomingMessage[];
/** With which status the call's node refuses; undefined where it accepts. */
let refusal: number | undefined;
let url: string;

beforeEach(async () => {
  [clock, outcomes, upgrades, refusal] = [new ManualClock(), [], [], undefined];
  server = new WebSocketServer({
    port: 0,
    host: "127.0.0.1",
    autoPong: false,
    verifyClient: ({ req }: { req: IncomingMessage }, done: (ok: boolean, status?: number) => void) => {
      upgrades.push(req);
      done(refusal === undefined, refusal);
    },
  });
  await once(server, "listening");
  url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  nodes = new OtherNodes({ ownTag: OWN, clock, onOutcome: (outcome) => outcomes.push(outcome) });
  nodes.setNodes([{ tag: OTHER, url }]);
});
afterEach(() => {
  for (const client of server.clients) client.terminate();
  server.close();
});

/** The call's end of a connection, and what it gets. */
function callOf(ws: WebSocket) {
  const events: unknown[] = [];
  ws.on("message", (data, isBinary) => events.push(isBinary ? [...(data as Buffer)] : String(data)));
  ws.on("ping", () => events.push("pinged"));
  ws.on("pong", () => events.push("ponged"));
  ws.on("close", (code) => events.push({ code }));
  return { ws, events };
}

async function relayed(bufferedBytesMax?: number) {
  const connected = once(server, "connection").then(([ws]) => callOf(ws as WebSocket));
  const answer = await nodes.ask(WORKER, TOKEN, HEADERS, bufferedBytesMax);
  if (answer?.kind !== "accepted") throw new Error("the call was not found");
  const client = new ClientTransport();
  return { call: await connected, client, open: (): TransportListener => answer.connection.open(client) };
}

describe("a stream that reaches another node than that of its call", () => {
  test("is opened at the call's node with its token and its signature, and marked so that it goes no further", async () => {
    await relayed();
    expect(upgrades.map((request) => request.url)).toEqual([`/stream/${TOKEN}`]);
    expect(upgrades[0]?.headers).toMatchObject({ "x-signature": "of the upgrade", [RELAYED_HEADER]: "1" });
    expect(upgrades[0]?.headers).not.toHaveProperty("x-absent");
    expect([outcomes, nodes.count]).toEqual([["relayed"], 1]);
  });

  test("carries texts, audio, pings and pongs both ways, in order; what comes before the client's upgrade waits", async () => {
    const { call, client, open } = await relayed();
    call.ws.send("early");
    const listener = open();
    call.ws.send(Buffer.from([1, 2]));
    call.ws.ping();
    await expect.poll(() => [client.sent, client.pings]).toEqual([["early", [1, 2]], 1]);
    const bytes = Uint8Array.of(3, 4);
    listener.message(bytes, true);
    // They were borrowed.
    bytes.fill(0);
    listener.message(Buffer.from("text"), false);
    listener.pinged();
    listener.ponged();
    await expect.poll(() => call.events).toEqual([[3, 4], "text", "pinged", "ponged"]);
  });

  test("is closed at both ends with the code and the reason of either", async () => {
    const first = await relayed();
    first.open();
    first.call.ws.close(1_000, "api_hangup");
    await expect.poll(() => first.client.closes).toEqual([[1_000, "api_hangup"]]);
    const second = await relayed();
    second.open().closed(4_000, false);
    await expect.poll(() => second.call.events).toEqual([{ code: 4_000 }]);
    await expect.poll(() => nodes.count).toBe(0);
  });

  test("is lost for the call when the client is lost, and for the client when the node is, which may come back", async () => {
    const first = await relayed();
    first.open().closed(1_006, false);
    await expect.poll(() => first.call.events).toEqual([{ code: 1_006 }]);
    const second = await relayed();
    second.open();
    second.call.ws.terminate();
    await expect.poll(() => second.client.closes).toEqual([[1_000, "detached"]]);
    const third = await relayed();
    third.call.ws.terminate();
    await expect.poll(() => nodes.count).toBe(0);
    third.open();
    expect(third.client.closes).toEqual([[1_000, "detached"]]);
  });

  test("is given up where the client reads too slowly, so that nothing piles up", async () => {
    const { call, client, open } = await relayed(100);
    open();
    client.bufferedBytes = 101;
    call.ws.send("one too many");
    await expect.poll(() => client.closes).toEqual([[1_000, "detached"]]);
    await expect.poll(() => call.events).toEqual([{ code: 1_006 }]);
  });

  test("is refused as the call's node refuses it", async () => {
    for (const status of [401, 503]) {
      refusal = status;
      expect(await nodes.ask(WORKER, TOKEN, HEADERS)).toEqual({ kind: "refused", status });
    }
    expect(outcomes).toEqual(["refused", "refused"]);
    await expect.poll(() => nodes.count).toBe(0);
  });

  test("is 504 where the call's node is unknown, gone, or does not answer", async () => {
    const unreachable = { kind: "refused", status: 504 };
    nodes.setNodes([]);
    expect(await nodes.ask(WORKER, TOKEN, HEADERS)).toEqual(unreachable);
    nodes.setNodes([{ tag: OTHER, url: "ws://127.0.0.1:1" }]);
    expect(await nodes.ask(WORKER, TOKEN, HEADERS)).toEqual(unreachable);
    nodes.setNodes([{ tag: OTHER, url }]);
    server.options.verifyClient = (_: unknown, __: unknown) => {};
    const asked = nodes.ask(WORKER, TOKEN, HEADERS);
    clock.advance(NODE_RELAY_ANSWER_MS_MAX);
    expect(await asked).toEqual(unreachable);
    expect(outcomes).toEqual(["unreachable", "unreachable", "unreachable"]);
    await expect.poll(() => nodes.count).toBe(0);
  });

  test("of two nodes with one tag is found at the one that has the call", async () => {
    nodes.setNodes([
      { tag: OTHER, url: "ws://127.0.0.1:1" },
      { tag: OTHER, url },
    ]);
    expect(await nodes.ask(WORKER, TOKEN, HEADERS)).toMatchObject({ kind: "accepted" });
  });

  test("is none of another node where the tag is this node's own", async () => {
    expect(await nodes.ask(`${OWN}0123456789ab`, TOKEN, HEADERS)).toBeUndefined();
    expect(outcomes).toEqual([]);
  });

  test("is 503 beyond the limit on relayed streams", async () => {
    for (let count = 0; count < NODE_RELAYS_MAX; count += 1) await nodes.ask(WORKER, TOKEN, HEADERS);
    expect(nodes.count).toBe(NODE_RELAYS_MAX);
    expect(await nodes.ask(WORKER, TOKEN, HEADERS)).toEqual({ kind: "refused", status: 503 });
    expect(outcomes.at(-1)).toBe("full");
  });
});
