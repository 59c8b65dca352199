import { afterEach, expect, test } from "vitest";
import { asCallId, type CallId } from "../../../src/core/ids.ts";
import type { MediaServerName } from "../../../src/gateway/server/media-server.ts";
import { RawWs } from "../../support/network/raw-ws.ts";
import { type MediaService, mediaService } from "../../support/services/media-service.ts";

export function pausingContract(mediaServer: MediaServerName): void {
  let service: MediaService | undefined;
  afterEach(async () => {
    await service?.close();
    service = undefined;
  });

  async function start(callsMax: number): Promise<MediaService> {
    service = await mediaService({ mediaServer, callsMax });
    return service;
  }

  async function call({ url, create }: MediaService, ws?: RawWs): Promise<{ ws: RawWs; callId: CallId }> {
    const { callId, token } = await create();
    const socket = ws ?? (await RawWs.connect(url));
    expect((await socket.upgrade(`/stream/${token}`))?.status).toBe(101);
    return { ws: socket, callId };
  }

  test("a full worker stops listening, and listens again when a call ends, repeatedly", async () => {
    const worker = await start(2);
    for (let round = 0; round < 5; round += 1) {
      const first = await call(worker);
      const second = await call(worker);
      expect(worker.gateway.load()).toEqual({ callCount: 2, callsMax: 2 });
      await expect(RawWs.connect(worker.url)).rejects.toMatchObject({ code: "ECONNREFUSED" });
      first.ws.destroy();
      await worker.ended(first.callId);
      const third = await call(worker);
      for (const { ws, callId } of [second, third]) {
        ws.destroy();
        await worker.ended(callId);
      }
    }
  });

  test("connections that a worker had accepted before it was full are served, and it listens again only below its calls", async () => {
    const worker = await start(2);
    const early = await RawWs.connect(worker.url);
    // The connection is the worker's, and not the kernel's, when its upgrade is answered.
    const another = await RawWs.connect(worker.url);
    expect((await another.upgrade("/stream/short"))?.status).toBe(401);
    const calls = [await call(worker), await call(worker), await call(worker, early)];
    expect(worker.gateway.callIds()).toHaveLength(3);
    calls[0]?.ws.destroy();
    await worker.ended(calls[0]?.callId ?? asCallId(""));
    await expect(RawWs.connect(worker.url)).rejects.toMatchObject({ code: "ECONNREFUSED" });
    calls[1]?.ws.destroy();
    await worker.ended(calls[1]?.callId ?? asCallId(""));
    (await call(worker)).ws.destroy();
    calls[2]?.ws.destroy();
  });

  test("a worker that stopped listening permanently does not listen again when it has capacity", async () => {
    const worker = await start(1);
    const { ws, callId } = await call(worker);
    worker.server.stopListening();
    ws.destroy();
    await worker.ended(callId);
    await expect(RawWs.connect(worker.url)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });
}
