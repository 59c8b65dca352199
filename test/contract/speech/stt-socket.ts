import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  STT_BACKLOG_MS_MAX,
  STT_CLOSE_MS_MAX,
  STT_CONNECT_MS_MAX,
  STT_MESSAGE_BYTES_MAX,
  STT_UNRECOGNIZED_SPEECH_MS_MAX,
} from "../../../src/core/limits/speech-providers/stt.ts";
import { NO_SPEECH } from "../../../src/media/voice-activity/speech-activity.ts";
import { FallbackStt } from "../../../src/speech/stt/fallback.ts";
import { ManualClock, settled } from "../../support/manual-clock.ts";
import { hasOpenssl, makeCertificate } from "../../support/network/certificates.ts";
import { breakerFor } from "../../support/providers/breakers.ts";
import { eventually, type MakeStt, openOn, openStt, STT_KEY } from "../../support/providers/stt/stt-kit.ts";
import { hum, SttServer, type SttServerAction, type SttServerOptions } from "../../support/providers/stt/stt-server.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const RATE_HZ = 8_000;
/** What the caller says, which no error may quote. */
const SPOKEN = "my-secret-words";

interface SttSocketUnderTest {
  name: string;
  make: MakeStt;
  /** The text that closes the stream; undefined where closing the connection is enough. */
  goodbye?: string;
  /** How many texts it sends before any audio. */
  setupTexts?: number;
  /** Starts a server that reads the audio, where it is not in binary messages; with the samples as they arrive there. */
  audio?: { listen: (options?: SttServerOptions) => Promise<SttServer>; received: (samples: Int16Array) => Int16Array };
  /** The HTTP status that corresponds to the provider's close code 1008, if any. */
  closeStatus?: number;
}

/** Faults of the provider, and the expected error. */
const FAULTS: readonly [name: string, server: SttServerOptions, expected: RegExp][] = [
  ["P8: an upgrade refused with 401", refusing(401), /status 401/],
  ["P8: an upgrade refused with 429", refusing(429), /status 429/],
  ["P8: an upgrade refused with 500", refusing(500), /status 500/],
  ["P8: a redirected upgrade", refusing(301, "Location: ws://127.0.0.1:1/\r\n"), /status 301/],
  ["P1: a connection that is cut", { refusal: (socket) => void socket.destroy() }, /connection failed/],
  [
    "P10: unrequested compression with an invalid window",
    {
      refusal: (socket, accept) =>
        void socket.write(
          `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n` +
            "Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=99\r\n\r\n",
        ),
    },
    /connection failed/,
  ],
  [
    "P10: a message of 1 GB",
    {
      refusal: (socket, accept) => {
        socket.write(
          `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
        );
        socket.write(Buffer.from([0x81, 0x7f, 0, 0, 0, 0, 0x40, 0, 0, 0]));
      },
    },
    /WS_ERR_UNSUPPORTED_MESSAGE_LENGTH/,
  ],
  [
    "P11: a message longer than any transcript",
    { greeting: (socket) => socket.send(" ".repeat(STT_MESSAGE_BYTES_MAX + 1)) },
    /WS_ERR_UNSUPPORTED_MESSAGE_LENGTH/,
  ],
  ["P10: a close with 1011", { greeting: (socket) => socket.close(1011, SPOKEN) }, /with 1011$/],
  ["P10: an unexpected close", { greeting: (socket) => socket.close(1000, SPOKEN) }, /with 1000$/],
  ["P16: a close for a key that was revoked", { greeting: (socket) => socket.close(1008, STT_KEY) }, /with 1008$/],
  ["P7: a text that is no JSON", { greeting: (socket) => socket.send(`{"${SPOKEN}`) }, /no JSON object/],
  ["P7: JSON that is no object", { greeting: (socket) => socket.send(`["${SPOKEN}"]`) }, /no JSON object/],
  ["P7: a binary message", { greeting: (socket) => socket.send(Buffer.from(SPOKEN)) }, /no JSON object/],
];

const pings: SttServerAction = (socket) => {
  const timer = setInterval(() => socket.ping(), 5);
  socket.on("close", () => clearInterval(timer));
};

/** Providers that accept a stream and never transcribe. */
const SILENCES: readonly [string, SttServerAction][] = [
  ["P2: never responds", () => {}],
  ["P4: sends only pings", pings],
  ["P10: never responds, not even to a ping", (socket) => socket.pause()],
];

function refusing(status: number, headers = ""): SttServerOptions {
  return {
    refusal: (socket) =>
      void socket.end(`HTTP/1.1 ${status} No\r\n${headers}Content-Length: ${STT_KEY.length}\r\n\r\n${STT_KEY}`),
  };
}

/** How every STT over a WebSocket handles faults of its provider. */
export function sttSocketContract(subject: SttSocketUnderTest): void {
  const { name, make, goodbye, setupTexts = 0, closeStatus } = subject;
  const { listen, received } = subject.audio ?? { listen: SttServer.listen, received: (samples) => samples };
  describe(`${name}, when its provider fails`, () => {
    test.each(FAULTS)("%s fails the stream", async (_name, options, expected) => {
      const server = await SttServer.listen(options);
      const { stream, ended, sendAudio, clock } = openOn(server, make);
      const error = await ended.catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: "provider_failed" });
      const { message, cause } = error as Error;
      const status = message.endsWith("with 1008") ? closeStatus : /status (\d+)/.exec(message)?.[1];
      expect(cause).toEqual(status === undefined ? undefined : { status: Number(status), retryAfterMs: undefined });
      expect(message).toMatch(expected);
      expect(message).not.toMatch(new RegExp(`${STT_KEY}|${SPOKEN}`));
      expect(() => stream.write(new Int16Array(160), NO_SPEECH)).not.toThrow();
      sendAudio(200, 400);
      expect(clock.pending).toBe(0);
    });

    test("P1: a refused connection fails the stream", async () => {
      const server = await SttServer.listen();
      const { port } = server;
      server.close();
      const abortController = new AbortController();
      const stt = make(`ws://127.0.0.1:${port}/`, new ManualClock()).open(
        { language: "en", rateHz: 8_000 },
        abortController.signal,
      );
      await expect(stt.events[Symbol.asyncIterator]().next()).rejects.toThrow(/ECONNREFUSED/);
    });

    test.skipIf(!hasOpenssl)(
      "P1: an untrusted certificate fails the stream (only where openssl is installed)",
      async () => {
        const { certFile, keyFile } = makeCertificate(temporaryDirectory(), "provider");
        const server = createServer({ cert: readFileSync(certFile), key: readFileSync(keyFile) });
        server.listen(0, "127.0.0.1");
        await once(server, "listening");
        const { port } = server.address() as AddressInfo;
        const stt = make(`wss://127.0.0.1:${port}/`, new ManualClock());
        const { events } = stt.open({ language: "en", rateHz: RATE_HZ }, new AbortController().signal);
        await expect(events[Symbol.asyncIterator]().next()).rejects.toThrow(/DEPTH_ZERO_SELF_SIGNED_CERT/);
        server.close();
      },
    );

    test("P2: audio is buffered for a provider that accepts and never responds, up to a bound", async () => {
      const server = await SttServer.listen({ refusal: () => {} });
      const { ended, sendAudio } = openOn(server, make);
      sendAudio(STT_BACKLOG_MS_MAX - 60, 0);
      sendAudio(160, 0);
      await expect(ended).rejects.toThrow(/reads audio slower/);
    });

    test("P2: a provider that does not complete the handshake for seconds fails the stream", async () => {
      const server = await SttServer.listen({ refusal: () => {} });
      const { ended, sendAudio, clock } = openOn(server, make);
      clock.advance(STT_CONNECT_MS_MAX);
      sendAudio(120, 0);
      clock.advance(1);
      sendAudio(120, 0);
      await expect(ended).rejects.toThrow(/did not complete the handshake/);
    });

    test("audio is buffered for a provider that stops reading, up to a bound", async () => {
      const server = await SttServer.listen({ greeting: (socket) => socket.pause() });
      const { ended, stream, clock } = openOn(server, make);
      await eventually(() => server.seen.length).toBe(1);
      let isOver = false;
      const over = ended.catch(() => {
        isOver = true;
      });
      // The system's own buffers hold far more than the bound, in an amount that varies.
      for (let s = 0; s < 10_000 && !isOver; s += 1) {
        for (let n = 0; n < 10; n += 1) stream.write(new Int16Array(RATE_HZ / 10));
        await settled();
      }
      await over;
      await expect(ended).rejects.toThrow(/reads audio slower/);
      expect(clock.pending).toBe(0);
    });

    test("audio from before the connection opened is sent, in order", async () => {
      const server = await listen();
      const { sendAudio } = openOn(server, make);
      sendAudio(600, 600);
      await eventually(() => server.last?.audio.length).toBeGreaterThanOrEqual(1_100 * 16);
      const all = Buffer.from(received(hum(RATE_HZ, 600, 600)).buffer);
      expect(server.last?.audio.equals(all.subarray(0, server.last.audio.length))).toBe(true);
      expect(server.last?.texts).toHaveLength(setupTexts + 1);
    });

    test("it closes the stream when the call ends, and no timer or socket remains", async () => {
      const server = await listen({ greeting: (socket) => socket.send("{}") });
      const { sendAudio, abortController, ended, clock } = openOn(server, make);
      sendAudio(160, 0);
      await eventually(() => server.last?.messages.length).toBeGreaterThan(0);
      abortController.abort();
      await ended;
      await eventually(() => server.last?.closeCode).toBe(1000);
      expect(server.last?.texts.slice(setupTexts)).toEqual(goodbye === undefined ? [] : [goodbye]);
      await eventually(() => clock.pending).toBe(0);
    });

    test("after a call that ends during the connect, no timer or socket remains", async () => {
      const server = await SttServer.listen({ refusal: () => {} });
      const { abortController, ended, clock } = openOn(server, make);
      abortController.abort();
      await ended;
      expect(clock.pending).toBe(0);
    });

    test("a provider that does not respond to the close is disconnected", async () => {
      const server = await listen();
      const { sendAudio, abortController, clock } = openOn(server, make);
      sendAudio(80, 0);
      await eventually(() => server.last?.messages.length).toBeGreaterThan(0);
      server.stopReading();
      abortController.abort();
      await clock.play(STT_CLOSE_MS_MAX);
      expect(clock.pending).toBe(0);
      await eventually(() => server.open).toBe(0);
    });
  });

  test.each(SILENCES)(`%s, while the caller speaks: ${name} fails over`, async (_what, greeting) => {
    const server = await SttServer.listen({ greeting });
    const next = await SttServer.listen();
    onTestFinished(() => {
      server.close();
      next.close();
    });
    const clock = new ManualClock();
    const candidates = [server, next].map(({ port }) => {
      const stt = make(`ws://127.0.0.1:${port}/`, clock);
      return { stt, ...breakerFor("stt", stt.provider, clock) };
    });
    const { sendAudio } = openStt(new FallbackStt(candidates, clock));
    await eventually(() => server.seen.length).toBe(1);
    sendAudio(STT_UNRECOGNIZED_SPEECH_MS_MAX, 0);
    await eventually(() => next.seen.length).toBe(1);
    expect(candidates.map(({ reports }) => reports)).toEqual([["registered", "provider_failed"], ["registered"]]);
  });
}
