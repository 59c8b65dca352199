import { once } from "node:events";
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import type { MediaServerName } from "../../../src/gateway/server/media-server.ts";
import { memoryLog } from "../../support/memory-log.ts";
import { hasOpenssl, makeCertificate } from "../../support/network/certificates.ts";
import { RawWs } from "../../support/network/raw-ws.ts";
import { createMediaServer } from "../../support/services/media-servers.ts";
import { NOOP_LEG } from "../../support/stubs/noop-leg.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

export function crowdedContract(mediaServer: MediaServerName): void {
  const ROOM = 5;
  const COMERS = 40;
  const PATH = `/stream/${"x".repeat(64)}`;

  test.each([
    ["without TLS", false],
    ...(hasOpenssl ? [["with TLS", true] as const] : []),
  ] as const)("D4: %s, a connection beyond the limit is closed at once and not counted; after others have closed, the next is accepted", async (_how, secure) => {
    const { log, lines } = memoryLog();
    const server = createMediaServer(mediaServer, {
      admit: async () => ({ kind: "admitted", open: () => NOOP_LEG }),
      tls: secure ? makeCertificate(temporaryDirectory(), "crowded") : undefined,
      handshakesMax: () => ROOM,
      log,
    });
    onTestFinished(() => server.close());
    const port = await server.listen("127.0.0.1", 0);
    const url = `${secure ? "wss" : "ws"}://127.0.0.1:${port}`;

    const streams: RawWs[] = [];
    for (let count = 0; count < 2 * ROOM; count += 1) {
      const ws = await RawWs.connect(url);
      expect((await ws.upgrade(PATH))?.status).toBe(101);
      streams.push(ws);
    }
    expect(server.handshakes).toBe(0);

    // They say nothing, not even what TLS begins with.
    const connections = Array.from({ length: COMERS }, () => connect(port, "127.0.0.1"));
    let closed = 0;
    await new Promise<void>((resolve) => {
      for (const connection of connections) {
        connection.on("error", () => {}).resume();
        connection.once("close", () => {
          closed += 1;
          if (closed === COMERS - ROOM) resolve();
        });
      }
    });
    expect(server.handshakes).toBe(ROOM);
    expect(lines.filter((line) => line.includes("no file descriptor is left"))).toHaveLength(1);
    expect(streams.map(({ ended }) => ended)).toEqual(streams.map(() => false));

    for (const connection of connections) connection.destroy();
    while (server.handshakes > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const late = secure
      ? connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false })
      : connect(port, "127.0.0.1");
    await once(late, secure ? "secureConnect" : "connect");
    late.destroy();
    const ws = await RawWs.connect(url);
    expect((await ws.upgrade(PATH))?.status).toBe(101);
    for (const stream of [...streams, ws]) stream.destroy();
  });
}
