import { afterEach, expect, onTestFinished, test } from "vitest";
import { HANDSHAKE_MS_MAX } from "../../../src/core/limits/streams/connections.ts";
import type { MediaServerName } from "../../../src/gateway/server/media-server.ts";
import type { UwsApp, UwsBehavior } from "../../../src/gateway/server/uws/module.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { memoryLog } from "../../support/memory-log.ts";
import { RawWs } from "../../support/network/raw-ws.ts";
import { createMediaServer, type MediaServerParts, uwsHere } from "../../support/services/media-servers.ts";
import { type MediaService, mediaService } from "../../support/services/media-service.ts";
import { NOOP_LEG } from "../../support/stubs/noop-leg.ts";

const PATH = `/stream/${"x".repeat(64)}`;

/** What makes every upgrade fail after its admission: `fail` is called while the token is being redeemed. */
function failingUpgrades(mediaServer: MediaServerName): { parts: MediaServerParts; fail: () => Promise<void> } {
  if (mediaServer === "uws") return { parts: { uws: throwingUws() }, fail: async () => {} };
  // The connection is dropped at its deadline, and ws then upgrades nothing, without a word.
  const clock = new ManualClock();
  return { parts: { clock }, fail: async () => void (await clock.play(HANDSHAKE_MS_MAX)) };
}

/** The library of this machine, whose responses throw when they are upgraded. */
function throwingUws() {
  const uws = uwsHere();
  return {
    ...uws,
    App(): UwsApp {
      const app = uws.App();
      const serve = app.ws.bind(app);
      app.ws = <Data>(pattern: string, behavior: UwsBehavior<Data>) =>
        serve<Data>(pattern, {
          ...behavior,
          upgrade(response, request, context) {
            response.upgrade = () => {
              throw new Error("planted");
            };
            behavior.upgrade?.(response, request, context);
          },
        });
      return app;
    },
  };
}

/** What may fail between the admission and the open stream. */
export function failingContract(mediaServer: MediaServerName): void {
  let service: MediaService | undefined;
  afterEach(async () => {
    await service?.close();
    service = undefined;
  });

  test("an upgrade that fails opens its leg and closes it, once, and the connection ends", async () => {
    const { parts, fail } = failingUpgrades(mediaServer);
    const closed: [number, boolean][] = [];
    let opened = 0;
    const options = {
      admit: async () => {
        await fail();
        const open = () => {
          opened += 1;
          return { ...NOOP_LEG, closed: (code: number, violated: boolean) => closed.push([code, violated]) };
        };
        return { kind: "admitted", open } as const;
      },
      log: memoryLog().log,
    };
    const server = createMediaServer(mediaServer, options, parts);
    onTestFinished(() => server.close());
    const port = await server.listen("127.0.0.1", 0);
    const ws = await RawWs.connect(`ws://127.0.0.1:${port}`);
    expect(await ws.upgrade(PATH)).toBeUndefined();
    ws.destroy();
    await expect.poll(() => [opened, closed]).toEqual([1, [[1_006, false]]]);
    await expect.poll(() => server.handshakes).toBe(0);
    expect(server.streams.bufferedBytes).toBe(0);
  });

  test("a drain does not wait for a stream whose upgrade has failed, and its call has its record", async () => {
    const { parts, fail } = failingUpgrades(mediaServer);
    service = await mediaService({ mediaServer, mediaServerParts: parts, beforeRedeem: fail });
    const { callId, token } = await service.create();
    const ws = await RawWs.connect(service.url);
    expect(await ws.upgrade(`/stream/${token}`)).toBeUndefined();
    ws.destroy();
    expect((await service.ended(callId)).endReason).toBe("caller_hangup");
    await service.gateway.drain();
  });

  test("a leg that cannot be opened closes its socket with 1011, and the server continues", async () => {
    const { log, lines } = memoryLog();
    let fails = true;
    const options = {
      admit: async () => {
        const open = () => {
          if (fails) throw new Error("planted");
          return NOOP_LEG;
        };
        return { kind: "admitted", open } as const;
      },
      log,
    };
    const server = createMediaServer(mediaServer, options);
    onTestFinished(() => server.close());
    const url = `ws://127.0.0.1:${await server.listen("127.0.0.1", 0)}`;
    const ws = await RawWs.connect(url);
    expect((await ws.upgrade(PATH))?.status).toBe(101);
    expect(await ws.readCloseCode()).toBe(1_011);
    ws.destroy();
    expect(lines.filter((line) => line.includes("socket handler failed"))).toHaveLength(1);
    fails = false;
    const next = await RawWs.connect(url);
    expect((await next.upgrade(PATH))?.status).toBe(101);
    next.destroy();
  });

  test("a header that ws would refuse after the redemption spends no token", async () => {
    service = await mediaService({ mediaServer });
    const { token } = await service.create();
    const ws = await RawWs.connect(service.url);
    const headers = { "Sec-WebSocket-Protocol": ",;=,", "Sec-WebSocket-Extensions": "=;=" };
    expect((await ws.upgrade(`/stream/${token}`, headers))?.status).toBe(101);
    ws.destroy();
  });
}
