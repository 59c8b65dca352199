import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import WebSocket from "ws";
import { FRAME_MS } from "../../src/core/limits/streams/media.ts";

export interface LiveMessage {
  type: string;
  text?: string;
  startMs?: number;
  endMs?: number;
  words?: { text: string; startMs: number; endMs: number }[];
  reason?: string;
  durationMs?: number;
  transcriptionId?: string;
}

/** A client of a live transcription, which sends frames in real time. */
export class LiveClient {
  readonly messages: LiveMessage[] = [];
  /** When each of them came, ms on the clock of `performance`. */
  readonly arrivalsMs: number[] = [];
  /** The code with which its socket was closed. */
  readonly closed: Promise<number>;
  readonly #socket: WebSocket;

  constructor(url: string) {
    this.#socket = new WebSocket(url);
    this.#socket.on("message", (data) => {
      this.arrivalsMs.push(performance.now());
      this.messages.push(JSON.parse(String(data)) as LiveMessage);
    });
    this.#socket.on("error", () => {});
    this.closed = once(this.#socket, "close").then(([code]) => code as number);
  }

  /** The messages of one type. */
  received(type: string): LiveMessage[] {
    return this.messages.filter((message) => message.type === type);
  }

  /** All finals as one text. */
  get text(): string {
    return this.received("final")
      .map(({ text }) => text)
      .filter((text) => text !== "")
      .join(" ");
  }

  async opened(): Promise<void> {
    if (this.#socket.readyState === WebSocket.CONNECTING) await once(this.#socket, "open");
  }

  /**
   * Sends frames of 20 ms, each when it is due; stops where the socket is closed. `onFrame` is called before each. Resolves with when
   * the first was due, on the clock of `performance`.
   */
  async speak(frames: readonly Uint8Array[], onFrame: (frame: Uint8Array) => void = () => {}): Promise<number> {
    await this.opened();
    const startMs = performance.now();
    for (const [index, frame] of frames.entries()) {
      const waitMs = startMs + index * FRAME_MS - performance.now();
      if (waitMs > 0) await delay(waitMs);
      if (this.#socket.readyState !== WebSocket.OPEN) break;
      onFrame(frame);
      this.#socket.send(frame);
    }
    return startMs;
  }

  send(message: object | string): void {
    this.#socket.send(typeof message === "string" ? message : JSON.stringify(message));
  }

  sendAudio(bytes: Uint8Array): void {
    this.#socket.send(bytes);
  }

  /** Ends the transcription, and waits until its socket is closed. */
  async end(): Promise<void> {
    this.send({ type: "end" });
    await this.closed;
  }

  /** The connection breaks. */
  breakOff(): void {
    this.#socket.terminate();
  }
}
