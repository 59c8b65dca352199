import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { type WebSocket, WebSocketServer } from "ws";
import { systemClock } from "../../../src/core/clock.ts";
import { elapsedMs, type MonotonicMs } from "../../../src/core/clocks.ts";
import { until } from "../services/service.ts";

const OPUS = { codec: "opus", sampleRate: 48_000 };
/** That of `ready`, for audio in Opus. */
export const OPUS_FORMAT = { input: OPUS, output: OPUS };
export const INPUT_HZ = 16_000;
export const OUTPUT_HZ = 24_000;
const FRAME_MS = 20;
/** The service sends so far ahead of real time. */
const LEAD_MS = 120;
const WITHIN_MS = 15_000;

export type ClientText = { type: string; atMs: MonotonicMs; [field: string]: unknown };

/** One socket of a client, on the side of the service. */
export class ScriptedSocket {
  readonly url: string;
  readonly texts: ClientText[] = [];
  readonly audio: Buffer[] = [];
  isClosed = false;
  readonly #ws: WebSocket;

  constructor(ws: WebSocket, url: string) {
    this.#ws = ws;
    this.url = url;
    ws.on("message", (data: Buffer, isBinary) => {
      if (isBinary) this.audio.push(data);
      else this.texts.push({ ...JSON.parse(data.toString()), atMs: systemClock.nowMs() });
    });
    ws.on("close", () => {
      this.isClosed = true;
    });
  }

  send(message: object): void {
    this.#ws.send(JSON.stringify(message));
  }

  ready(transport: "rtp" | "websocket", more: object = {}): void {
    const [input, output] = [INPUT_HZ, OUTPUT_HZ].map((sampleRate) => ({ codec: "pcm_s16le", sampleRate }));
    this.send({ type: "ready", callId: "call_1", transport, input, output, ...more });
  }

  /**
   * Sends audio as the service does: 20 ms a message, in real time, with a lead, as PCM or as `encode` makes it. Resolves
   * when all is sent.
   */
  async play(
    samples: Int16Array,
    encode = (message: Int16Array): Uint8Array => Buffer.from(message.buffer),
  ): Promise<void> {
    const startedMs = systemClock.nowMs();
    const frame = (OUTPUT_HZ * FRAME_MS) / 1_000;
    for (let at = 0; at < samples.length; at += frame) {
      const aheadMs = (at / OUTPUT_HZ) * 1_000 - elapsedMs(startedMs, systemClock.nowMs()) - LEAD_MS;
      if (aheadMs > 0) await delay(aheadMs);
      this.#ws.send(encode(samples.slice(at, at + frame)));
    }
  }

  /** Sends one message of audio, whatever it holds. */
  sendAudio(message: Uint8Array): void {
    this.#ws.send(message);
  }

  /** The first text with this type that came, or comes. */
  async text(type: string, withinMs = WITHIN_MS): Promise<ClientText> {
    return await until(`a message ${type}`, withinMs, () => this.texts.find((text) => text.type === type));
  }

  /** The connection breaks, without a word. */
  break(): void {
    this.#ws.terminate();
  }

  close(code: number, reason: string): void {
    this.#ws.close(code, reason);
  }
}

/** The media port of a service whose part a test plays. */
export class ScriptedService {
  readonly sockets: ScriptedSocket[] = [];
  readonly url: string;
  readonly #server: WebSocketServer;
  /** Whether it refuses all sockets, as for an address that was used. */
  refuses = false;

  private constructor(server: WebSocketServer) {
    this.#server = server;
    this.url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.options.verifyClient = (_info: unknown, answer: (accepted: boolean, status?: number) => void) =>
      answer(!this.refuses, 401);
    server.on("connection", (ws, { url = "" }) => this.sockets.push(new ScriptedSocket(ws, url)));
  }

  static async start(): Promise<ScriptedService> {
    const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
    await new Promise((resolve) => server.once("listening", resolve));
    return new ScriptedService(server);
  }

  /** The socket with this number, from 0, that came, or comes. */
  async socket(index = 0): Promise<ScriptedSocket> {
    return await until(`socket ${index}`, WITHIN_MS, () => this.sockets[index]);
  }

  stop(): void {
    for (const client of this.#server.clients) client.terminate();
    this.#server.close();
  }
}
