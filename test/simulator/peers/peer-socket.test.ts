import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { expect, test } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { SimulatedTwilio } from "../../../src/carriers/twilio/simulated.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { connectPeer } from "../../../src/simulator/peers/peer-socket.ts";

const TELEPHONE = {
  clock: systemClock,
  id: "0".repeat(32),
  microphone: () => new Uint8Array(160).fill(0xff),
  earphone: () => {},
};

const connect = (url: string, signal?: AbortSignal, upgradeMsMax?: number) =>
  connectPeer(url, (socket) => new SimulatedTwilio({ ...TELEPHONE, ...socket }), signal, upgradeMsMax);

/** A gateway that does nothing on its own. */
async function gateway(): Promise<{ server: WebSocketServer; url: string }> {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  return { server, url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/stream/secret` };
}

test("the stream starts with the socket, and received messages reach the carrier", async () => {
  const { server, url } = await gateway();
  const heard: string[] = [];
  const peers: WebSocket[] = [];
  const fiveHeard = new Promise<void>((resolve) => {
    server.on("connection", (socket) => {
      peers.push(socket);
      socket.on("message", (data) => {
        heard.push(JSON.parse(data.toString()).event);
        if (heard.length === 5) resolve();
      });
    });
  });
  const { peer: carrier, closed } = await connect(url);
  await fiveHeard;
  expect(heard.slice(0, 5)).toEqual(["connected", "start", "media", "media", "media"]);
  peers[0]?.send(new Uint8Array(3));
  peers[0]?.send(JSON.stringify({ event: "clear", streamSid: carrier.streamId }));
  peers[0]?.close(1_001, "drain");
  expect(await closed).toEqual({ code: 1_001, reason: "drain" });
  expect({ clears: carrier.clears, violations: [...carrier.violations] }).toEqual({
    clears: 1,
    violations: [["binary", 1]],
  });
  server.close();
});

test("a caller who hangs up closes the socket after the stop", async () => {
  const { server, url } = await gateway();
  const events: string[] = [];
  const gone = new Promise((resolve) => {
    server.on("connection", (socket) => {
      socket.on("message", (data) => events.push(JSON.parse(data.toString()).event));
      socket.on("close", resolve);
    });
  });
  const { peer: carrier, closed } = await connect(url);
  carrier.stop();
  expect((await closed).code).toBe(1_000);
  expect(await gone).toBe(1_000);
  expect(events.at(-1)).toBe("stop");
  server.close();
});

test("a refused upgrade rejects with the status and without the URL", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  server.on("upgrade", (_request, socket) => socket.end("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n"));
  await once(server, "listening");
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/stream/secret`;
  const error: unknown = await connect(url).catch((reason: unknown) => reason);
  expect(String(error)).toContain("401");
  expect(String(error)).not.toContain("secret");
  server.close();
});

test("a refused connection rejects, too", async () => {
  const { server, url } = await gateway();
  server.close();
  await once(server, "close");
  await expect(connect(url)).rejects.toMatchObject({ code: "unavailable" });
});

/** Accepts connections, and never responds. */
async function silence() {
  const server = createTcpServer().listen(0, "127.0.0.1");
  const here = once(server, "connection");
  const gone = here.then(([socket]) => once(socket.resume(), "close"));
  await once(server, "listening");
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/stream/secret`;
  return { url, close: () => server.close(), here, gone };
}

test("an abort before the upgrade is answered rejects at once, and leaves no connection", async () => {
  const { url, close, here, gone } = await silence();
  const stop = new AbortController();
  const connecting = connect(url, stop.signal);
  await here;
  stop.abort(new Error("stopped"));
  await expect(connecting).rejects.toThrow("stopped");
  await gone;
  close();
});

test("an upgrade that is never answered times out", async () => {
  const { url, close, gone } = await silence();
  const error: unknown = await connect(url, undefined, 100).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "unavailable" });
  expect(String(error)).not.toContain("secret");
  await gone;
  close();
});
