import { describe, expect, onTestFinished, test } from "vitest";
import type { Transport } from "../../../../src/gateway/transport/transport.ts";
import { mediaServerContract } from "../../../contract/media-server/media-server.ts";
import { ManualClock } from "../../../support/manual-clock.ts";
import { memoryLog } from "../../../support/memory-log.ts";
import { OPCODE, RawWs } from "../../../support/network/raw-ws.ts";
import { createMediaServer } from "../../../support/services/media-servers.ts";
import { NOOP_LEG } from "../../../support/stubs/noop-leg.ts";

const PATH = `/stream/${"x".repeat(64)}`;

describe("the media server on ws", () => {
  mediaServerContract("ws");

  test.each<[string, (ws: RawWs, socket: Transport) => void, number]>([
    ["the server ends", (_ws, socket) => socket.close(1_000, "bye"), 1_000],
    ["breaks the protocol", (ws) => ws.sendFrame({ opcode: OPCODE.text, rsv: 4 }), 1_002],
    ["its peer closes", (ws) => ws.sendClose(1_001), 1_001],
  ])("D4: a stream that %s occupies a descriptor until its peer ends the connection, or a second is over", async (_how, end, code) => {
    const clock = new ManualClock();
    const sockets: Transport[] = [];
    const server = createMediaServer(
      "ws",
      {
        admit: async () => ({
          kind: "admitted",
          open: (socket) => {
            sockets.push(socket);
            return NOOP_LEG;
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
