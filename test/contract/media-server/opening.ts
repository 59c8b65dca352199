import { afterEach, expect, onTestFinished, test } from "vitest";
import type { MediaServerName } from "../../../src/gateway/server/media-server.ts";
import { RawCaller } from "../../callers/raw-caller.ts";
import { memoryLog } from "../../support/memory-log.ts";
import { RawWs } from "../../support/network/raw-ws.ts";
import { createMediaServer } from "../../support/services/media-servers.ts";
import { type MediaService, mediaService } from "../../support/services/media-service.ts";
import { NOOP_LEG } from "../../support/stubs/noop-leg.ts";

export function openingContract(mediaServer: MediaServerName): void {
  let service: MediaService | undefined;
  afterEach(async () => {
    await service?.close();
    service = undefined;
  });

  const STREAMS = 40;
  /** Bit 4 without bit 3: in the memory of a response it says that the connection is to be closed, and that nothing is to be sent. */
  const FILL = 0x10;

  test("a stream stays open with any allocations while its leg opens", async () => {
    const kept: Buffer[] = [];
    const closed: number[] = [];
    const server = createMediaServer(mediaServer, {
      admit: async () => {
        // After the request, as in the service.
        await new Promise((resolve) => setTimeout(resolve, 1));
        return {
          kind: "admitted",
          open: () => {
            for (let bytes = 16; bytes <= 512; bytes += 8) kept.push(Buffer.allocUnsafeSlow(bytes).fill(FILL));
            return { ...NOOP_LEG, closed: (code) => closed.push(code) };
          },
        };
      },
      log: memoryLog().log,
    });
    onTestFinished(() => server.close());
    const port = await server.listen("127.0.0.1", 0);
    for (let stream = 0; stream < STREAMS; stream += 1) {
      const ws = await RawWs.connect(`ws://127.0.0.1:${port}`);
      const answer = await ws.upgrade(`/stream/${"x".repeat(64)}`);
      expect(answer?.status).toBe(101);
      // Messages after the upgrade show that the stream is open.
      ws.sendClose(1_000);
      expect(await ws.readCloseCode()).toBe(1_000);
      ws.destroy();
    }
    expect(closed).toEqual(Array(STREAMS).fill(1_000));
  });

  test.each([
    "close",
    "12345",
    "",
  ])("an upgrade with the Connection header %j is refused, and its token stays valid", async (connection) => {
    service = await mediaService({ mediaServer });
    const { token } = await service.create();
    const { caller: refused, status } = await RawCaller.connect(`${service.url}/stream/${token}`, {
      Connection: connection,
    });
    refused.ws.destroy();
    expect(status).toBe(426);
    const { caller, status: accepted } = await RawCaller.connect(`${service.url}/stream/${token}`, {
      Connection: "keep-alive, upgrade",
    });
    caller.ws.destroy();
    expect(accepted).toBe(101);
  });
}
