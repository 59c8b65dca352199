import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { afterEach, describe, expect, test } from "vitest";
import { WebSocketServer } from "ws";
import { Ticker } from "../../../src/gateway/event-loop/ticker.ts";
import { type LegOptions, leg } from "../../callers/leg.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { LLM_PROVIDERS, STT_PROVIDERS, TTS_PROVIDERS } from "../../support/providers/every-provider.ts";
import { ScriptedStt } from "../../support/providers/scripted-stt.ts";

const HANG_UP_MS_MAX = 1_000;
const FRAME_MS = 20;

const opened: { close(): unknown }[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});

/**
 * A server that accepts every request and every WebSocket, reads what arrives, and never responds, not even with a
 * close.
 */
async function mute() {
  const streams = new Set<Duplex>();
  const track = (socket: Duplex): void => {
    streams.add(socket);
    socket.on("close", () => streams.delete(socket));
  };
  const server = createServer((request, response) => {
    // A connection opened in advance sends no particular request.
    if (request.method === "GET") response.writeHead(404).end();
    else track(request.resume().socket);
  });
  const sockets = new WebSocketServer({ noServer: true, autoPong: false });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    track(socket);
    sockets.handleUpgrade(request, socket, head, (open) => {
      open.removeAllListeners();
      socket.removeAllListeners("data").resume();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  opened.push({
    close: () => {
      server.closeAllConnections();
      server.close();
      for (const socket of streams) socket.destroy();
    },
  });
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, streams };
}

/** A call one of whose stages is a network provider: 1 s after the hang-up nothing is left of its stream there. */
async function hungUp(providers: (base: string, clock: ManualClock) => Promise<LegOptions>): Promise<void> {
  const { base, streams } = await mute();
  const clock = new ManualClock();
  const call = leg({ shared: { clock, ticker: new Ticker(clock) }, ...(await providers(base, clock)) });
  call.start();
  // A request takes only a short real time, whatever the clock says: the timeout of half a minute is never reached.
  for (let frame = 0; frame < 1_000 && streams.size === 0; frame += 1) {
    call.media();
    await clock.play(FRAME_MS);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  expect(streams.size).toBeGreaterThan(0);
  call.connection.closed(1_006, false);
  await clock.play(HANG_UP_MS_MAX);
  await expect.poll(() => streams.size, { timeout: 5_000, interval: 5 }).toBe(0);
  expect(call.ends()).toMatchObject([{ reason: "caller_hangup" }]);
}

describe("a hang-up ends every stream within a second of call time, even with a provider that never responds", () => {
  // An STT over HTTP has a stream only while it transcribes: its own test covers that.
  test.each(STT_PROVIDERS.filter(({ isSocket }) => isSocket))("P2: of the STT $name", { tags: ["stt"] }, async ({
    make,
  }) => {
    await hungUp(async (base, clock) => ({ stt: await make(base, clock) }));
  });

  test.each(LLM_PROVIDERS)("P2: of the LLM $name", { tags: ["llm"] }, async ({ make }) => {
    await hungUp(async (base, clock) => ({
      llm: await make(base, clock),
      stt: new ScriptedStt(clock, [{ atMs: 500, event: { kind: "final", text: "what do you have" } }]),
      spec: { firstSpeaker: "user" },
    }));
  });

  test.each(TTS_PROVIDERS)("P2: of the TTS $name", { tags: ["tts"] }, async ({ name, make }) => {
    await hungUp(async (base, clock) => {
      const tts = await make(base, clock);
      opened.push(tts);
      return { tts, spec: { voiceId: `${name}/one` } };
    });
  });
});
