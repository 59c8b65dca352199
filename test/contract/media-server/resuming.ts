import { afterEach, expect, test } from "vitest";
import type { MediaServerName } from "../../../src/gateway/server/media-server.ts";
import { RawWs } from "../../support/network/raw-ws.ts";
import { type MediaService, mediaService } from "../../support/services/media-service.ts";

const SPEC = {
  connectionType: "websocket",
  websocket: { codec: "pcm_s16le", inputRateHz: 16_000, outputRateHz: 16_000 },
} as const;

export function resumingContract(mediaServer: MediaServerName): void {
  let service: MediaService | undefined;
  afterEach(async () => {
    await service?.close();
    service = undefined;
  });

  async function open(url: string, path: string): Promise<{ ws: RawWs; status: number | undefined }> {
    const ws = await RawWs.connect(url);
    const answer = await ws.upgrade(path);
    return { ws, status: answer?.status };
  }

  async function readyOf(ws: RawWs): Promise<{ resumeUrl?: string; callId: string }> {
    const frame = await ws.readFrame();
    return JSON.parse(frame?.payload.toString() ?? "") as { resumeUrl?: string; callId: string };
  }

  const pathOf = (resumeUrl: string | undefined): string => {
    const { pathname, search } = new URL(resumeUrl ?? "");
    return pathname + search;
  };

  test("a client that asks for it may connect again, each time at a new address, and only once at each", async () => {
    service = await mediaService({ mediaServer });
    const { url, create, ended } = service;
    const { callId, token } = await create(SPEC);
    const first = await open(url, `/stream/${token}?resume=true`);
    const ready = await readyOf(first.ws);
    expect(ready).toMatchObject({
      callId,
      resumeUrl: expect.stringMatching(/^wss:.*\/stream\/r_[\w-]{80}\?resume=true$/),
    });
    first.ws.destroy();

    const second = await open(url, pathOf(ready.resumeUrl));
    expect(second.status).toBe(101);
    const readyAgain = await readyOf(second.ws);
    expect(readyAgain.callId).toBe(callId);
    expect(readyAgain.resumeUrl).not.toBe(ready.resumeUrl);
    expect((await open(url, pathOf(ready.resumeUrl))).status).toBe(503);
    expect((await open(url, `/stream/r_${"0".repeat(16)}${"x".repeat(64)}`)).status).toBe(401);
    // A token of a stream resumes nothing, and one of a resumption begins nothing.
    expect((await open(url, `/stream/r_${"0".repeat(16)}${token}`)).status).toBe(401);
    expect(
      (
        await open(
          url,
          `/stream/${new URL(readyAgain.resumeUrl ?? "").pathname.slice(`/stream/r_${"0".repeat(16)}`.length)}`,
        )
      ).status,
    ).toBe(401);

    second.ws.sendText(JSON.stringify({ type: "end" }));
    expect((await ended(callId)).endReason).toBe("caller_hangup");
    expect((await open(url, pathOf(readyAgain.resumeUrl))).status).toBe(503);
  });

  test.each([
    "",
    "?resume=false",
    "?other=1",
  ])("a client that does not ask for it, with %j, ends its call with its connection", async (query) => {
    service = await mediaService({ mediaServer });
    const { url, create, ended } = service;
    const { callId, token } = await create(SPEC);
    const { ws } = await open(url, `/stream/${token}${query}`);
    expect(await readyOf(ws)).not.toHaveProperty("resumeUrl");
    ws.destroy();
    expect((await ended(callId)).endReason).toBe("caller_hangup");
  });

  test("a carrier's call cannot be resumed", async () => {
    service = await mediaService({ mediaServer });
    const { url, create, ended } = service;
    const { callId, token } = await create();
    const { ws } = await open(url, `/stream/${token}?resume=true`);
    ws.destroy();
    expect((await ended(callId)).endReason).toBe("caller_hangup");
  });
}
