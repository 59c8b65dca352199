import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { WebSocketServer } from "ws";
import { systemClock } from "../../src/core/clock.ts";
import { elapsedMs, monotonicMs } from "../../src/core/clocks.ts";
import { providerFailed } from "../../src/core/errors.ts";
import { MU_LAW } from "../../src/media/g711.ts";
import type { CallerEvent, Step } from "../../src/simulator/callers/caller.ts";
import { placeCall } from "../../src/simulator/place-call.ts";
import type { Stt, SttEvent } from "../../src/speech/contracts.ts";

const NEVER = new AbortController().signal;

/** An STT that emits `event`, or throws it, after the first voiced sample; otherwise it waits. */
function sttWith(event: SttEvent | Error): Stt {
  return {
    provider: "scripted",
    capabilities: { ratesHz: [8_000], interimTranscripts: true },
    open: (_options, signal) => {
      let heard = (): void => {};
      const voice = new Promise<void>((resolve) => {
        heard = resolve;
      });
      const over = once(signal, "abort");
      return {
        write: (frame) => {
          if (frame.some((sample) => sample !== 0)) heard();
        },
        events: (async function* () {
          await Promise.race([voice, over]);
          if (signal.aborted) return;
          if (event instanceof Error) throw event;
          yield event;
          await over;
        })(),
      };
    },
  };
}

/** A gateway that sends 100 ms of audio, and hangs up when it has been played. */
let server: WebSocketServer;
let hangsUp = true;
let ended: Promise<unknown>;

beforeEach(async () => {
  hangsUp = true;
  server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  ended = new Promise((resolve) => {
    server.on("connection", (socket) => {
      socket.on("close", (code) => resolve(code));
      socket.on("message", (data) => {
        const { event, streamSid } = JSON.parse(data.toString());
        if (event === "start") {
          const payload = Buffer.alloc(800, MU_LAW.encodeTable[8_000]).toString("base64");
          socket.send(JSON.stringify({ event: "media", streamSid, media: { payload } }));
          socket.send(JSON.stringify({ event: "mark", streamSid, mark: { name: "said" } }));
        }
        if (event === "mark" && hangsUp) socket.close(1_000);
      });
    });
  });
  await once(server, "listening");
});
afterEach(() => {
  for (const socket of server.clients) socket.terminate();
  server.close();
});

function call(stt: Stt, script: readonly Step[]) {
  const events: CallerEvent[] = [];
  const toPlace = {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/stream/token`,
    line: { wire: "carrier_a" as const },
    id: "0".repeat(32),
    script,
    hangUpAfterMs: 20_000,
    stt,
    language: "en-US",
    clock: systemClock,
    onEvent: (event: CallerEvent) => events.push(event),
  };
  return { toPlace, events };
}

test("played audio reaches the STT, and its transcript reaches the report", async () => {
  const { toPlace, events } = call(sttWith({ kind: "final", text: "good day" }), [{ do: "await-hang-up" }]);
  const { caller, violations, startedMs } = await placeCall(toPlace, NEVER);
  expect(caller.finished).toBe(true);
  expect(caller.heard).toMatchObject([{ text: "good day" }]);
  const [turn] = caller.heard;
  // 100 ms of speech, from the first tick of the stream on.
  const beats = elapsedMs(startedMs, monotonicMs(turn?.startMs ?? 0)) / 20;
  expect(beats).toBeCloseTo(Math.round(beats), 6);
  expect((turn?.endMs ?? 0) - (turn?.startMs ?? 0)).toBeCloseTo(99.875, 6);
  expect(violations.size).toBe(0);
  expect(events.map(({ kind }) => kind)).toEqual(["agent-began", "word", "word"]);
});

test("an abort makes the caller hang up", async () => {
  hangsUp = false;
  const stop = new AbortController();
  const { toPlace } = call(sttWith({ kind: "final", text: "good day" }), [{ do: "await-hang-up" }]);
  const placed = placeCall({ ...toPlace, onEvent: () => stop.abort() }, stop.signal);
  expect(await ended).toBe(1_000);
  await placed;
});

test("a failing STT ends the call and rejects", async () => {
  hangsUp = false;
  const { toPlace } = call(sttWith(providerFailed("scripted", "deaf")), [{ do: "await-hang-up" }]);
  await expect(placeCall(toPlace, NEVER)).rejects.toMatchObject({ code: "provider_failed" });
  await ended;
});
