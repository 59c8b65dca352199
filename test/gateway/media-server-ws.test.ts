import { describe, expect, onTestFinished, test } from "vitest";
import { SOCKET_IDLE_S } from "../../src/core/limits.ts";
import type { LegSocket } from "../../src/gateway/leg.ts";
import { mediaServerContract } from "../contract/media-server/media-server-contract.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { createMediaServer } from "../support/media-servers.ts";
import { memoryLog } from "../support/memory-log.ts";
import { OPCODE, RawWs } from "../support/raw-ws.ts";

const PATH = `/stream/${"x".repeat(64)}`;

describe("the media server on ws", () => {
  mediaServerContract("ws");

  // What uWebSockets.js does by its own clock, which no test can set.
  test("a peer that says nothing is pinged; one that answers stays, and one that does not is dropped", async () => {
    const clock = new ManualClock();
    const closed: number[] = [];
    const server = createMediaServer(
      "ws",
      {
        admit: async () => ({
          kind: "admitted",
          open: () => ({ message: () => {}, closed: (code) => closed.push(code) }),
        }),
        log: memoryLog().log,
      },
      { clock },
    );
    onTestFinished(() => server.close());
    const port = await server.listen("127.0.0.1", 0);
    const ws = await RawWs.connect(`ws://127.0.0.1:${port}`);
    expect((await ws.upgrade(PATH))?.status).toBe(101);
    for (let pings = 0; pings < 3; pings += 1) {
      await clock.play((SOCKET_IDLE_S - 5) * 1_000);
      expect((await ws.readFrame())?.opcode).toBe(OPCODE.ping);
      ws.sendFrame({ opcode: OPCODE.pong });
      // The answer of the server shows that it has read the pong.
      ws.sendFrame({ opcode: OPCODE.ping });
      expect((await ws.readFrame())?.opcode).toBe(OPCODE.pong);
    }
    expect(closed).toEqual([]);
    await clock.play((SOCKET_IDLE_S + 5) * 1_000);
    expect(closed).toEqual([1_006]);
    expect(await ws.readCloseCode()).toBeUndefined();
    ws.destroy();
  });

  test.each<[string, (ws: RawWs, socket: LegSocket) => void, number]>([
    ["the server ends", (_ws, socket) => socket.end(1_000, "bye"), 1_000],
    ["breaks the protocol", (ws) => ws.sendFrame({ opcode: OPCODE.text, rsv: 4 }), 1_002],
    ["its peer closes", (ws) => ws.sendClose(1_001), 1_001],
  ])("D4: a stream that %s takes a descriptor until its peer ends the connection, or a second is over", async (_how, end, code) => {
    const clock = new ManualClock();
    const sockets: LegSocket[] = [];
    const server = createMediaServer(
      "ws",
      {
        admit: async () => ({
          kind: "admitted",
          open: (socket) => {
            sockets.push(socket);
            return { message: () => {}, closed: () => {} };
          },
        }),
        handshakesMax: () => 1,
        log: memoryLog().log,
      },
      { clock },
    );
    onTestFinished(() => server.close());
    const url = `ws://127.0.0.1:${await server.listen("127.0.0.1", 0)}`;
    const ws = await RawWs.connect(url);
    expect((await ws.upgrade(PATH))?.status).toBe(101);
    const [socket] = sockets;
    if (socket === undefined) throw new Error("no stream is open");

    end(ws, socket);
    expect(await ws.readCloseCode()).toBe(code);
    const refused = await RawWs.connect(url);
    expect(await refused.readFrame()).toBeUndefined();
    expect(server.handshakes).toBe(0);

    await clock.play(1_000);
    const next = await RawWs.connect(url);
    expect((await next.upgrade(PATH))?.status).toBe(101);
    for (const each of [ws, refused, next]) each.destroy();
  });
});
