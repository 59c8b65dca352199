import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { acceptOf, OPCODE, RawWs } from "./raw-ws.ts";

// Held against the ws package's server, which knows RFC 6455.
let server: WebSocketServer;
let url: string;
beforeAll(async () => {
  server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  server.on("connection", (socket) => {
    socket.on("error", () => {});
    socket.on("message", (data, isBinary) => socket.send(data, { binary: isBinary }));
  });
  await once(server, "listening");
  url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  for (const socket of server.clients) socket.terminate();
  server.close();
});

const open = async (): Promise<{ client: RawWs; peer: WebSocket }> => {
  const accepted = once(server, "connection");
  const client = await RawWs.connect(url);
  expect((await client.upgrade("/stream"))?.status).toBe(101);
  return { client, peer: (await accepted)[0] as WebSocket };
};

test("upgrades with its own key and reads the answer's headers", async () => {
  const client = await RawWs.connect(url);
  const key = "dGhlIHNhbXBsZSBub25jZQ==";
  const answer = await client.upgrade("/", { "Sec-WebSocket-Key": key });
  // RFC 6455, section 1.3.
  expect(acceptOf(key)).toBe("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  expect(answer).toMatchObject({ status: 101, headers: { "sec-websocket-accept": acceptOf(key) } });
  client.destroy();
});

test("a header can be left out, and the refusal is read with its body", async () => {
  const client = await RawWs.connect(url);
  const answer = await client.upgrade("/", { "Sec-WebSocket-Version": undefined });
  expect(answer?.status).toBe(400);
  expect(answer?.body).toContain("Sec-WebSocket-Version");
  client.destroy();
});

test.each([0, 125, 126, 65_535, 65_536])("text and binary of %d bytes come back as they went", async (bytes) => {
  const { client } = await open();
  client.sendText("a".repeat(bytes));
  const text = await client.readFrame();
  expect(text).toMatchObject({ fin: true, rsv: 0, opcode: OPCODE.text });
  expect(text?.payload.equals(Buffer.alloc(bytes, "a"))).toBe(true);
  client.sendBinary(new Uint8Array(bytes));
  const binary = await client.readFrame();
  expect(binary?.opcode).toBe(OPCODE.binary);
  expect(binary?.payload.equals(Buffer.alloc(bytes))).toBe(true);
  client.destroy();
});

test("fragments are sent as they are asked for", async () => {
  const { client } = await open();
  client.sendFrame({ opcode: OPCODE.text, payload: "one ", fin: false });
  client.sendFrame({ opcode: OPCODE.continuation, payload: "two" });
  expect((await client.readFrame())?.payload.toString()).toBe("one two");
  client.destroy();
});

test.each([
  ["an unmasked frame", { opcode: OPCODE.text, payload: "a", masked: false }, 1002],
  ["a reserved bit", { opcode: OPCODE.text, payload: "a", rsv: 4 }, 1002],
  ["a reserved opcode", { opcode: 0x3, payload: "a" }, 1002],
  ["a length of 2^53", { opcode: OPCODE.text, claimedBytes: 2n ** 53n }, 1009],
])("%s is really sent: the server closes for it", async (_what, frame, code) => {
  const { client } = await open();
  client.sendFrame(frame);
  expect(await client.readCloseCode()).toBe(code);
  client.destroy();
});

test("a half-closed client still reads what the server sends", async () => {
  const { client, peer } = await open();
  const closed = once(peer, "close");
  peer.send("before");
  client.halfClose();
  expect((await client.readFrame())?.payload.toString()).toBe("before");
  expect(await client.readFrame()).toBeUndefined();
  expect(client.ended).toBe(true);
  client.destroy();
  await Promise.all([closed, client.closed]);
});

test("a reset ends the server's socket without a close frame", async () => {
  const { client, peer } = await open();
  const closed = once(peer, "close");
  client.reset();
  expect((await closed)[0]).toBe(1006);
  await client.closed;
  expect(await client.readFrame()).toBeUndefined();
});

test("a close frame carries the code it was given", async () => {
  const { client, peer } = await open();
  const closed = once(peer, "close");
  client.sendClose(4_001);
  expect(await client.readCloseCode()).toBe(4_001);
  client.destroy();
  expect((await closed)[0]).toBe(4_001);
});
