import { setTimeout as delay } from "node:timers/promises";
import { WebSocket } from "ws";

/** A message of the service, of any type. */
export type ServiceText = Record<string, unknown> & { type: string };

/** The WebSocket of a WebRTC call, as a page has it: its texts by type, and the audio that came on it. */
export class WebrtcSocket {
  readonly texts: ServiceText[] = [];
  readonly audio: Buffer[] = [];
  closeCode: number | undefined;
  readonly #ws: WebSocket;

  private constructor(ws: WebSocket) {
    this.#ws = ws;
    ws.on("message", (data: Buffer, isBinary) => {
      if (isBinary) this.audio.push(data);
      else this.texts.push(JSON.parse(data.toString()) as ServiceText);
    });
    ws.on("close", (code) => {
      this.closeCode = code;
    });
    ws.on("error", () => {});
  }

  /** Resolves when the stream is open; rejects when it is refused. */
  static async open(url: string): Promise<WebrtcSocket> {
    const ws = new WebSocket(url);
    const socket = new WebrtcSocket(ws);
    await new Promise<void>((resolve, reject) => {
      ws.once("open", () => resolve());
      ws.once("error", reject);
    });
    return socket;
  }

  send(message: object): void {
    this.#ws.send(JSON.stringify(message));
  }

  sendAudio(bytes: Uint8Array): void {
    this.#ws.send(bytes);
  }

  /** The `count`th message of this type, once it has come. */
  async text(type: string, count = 1): Promise<ServiceText> {
    for (let waitedMs = 0; waitedMs < 10_000; waitedMs += 5) {
      const found = this.texts.filter((text) => text.type === type)[count - 1];
      if (found !== undefined) return found;
      await delay(5);
    }
    throw new Error(`no ${type} came, but ${this.texts.map((text) => text.type).join(", ")}`);
  }

  /** Exchanges an offer for an answer over this socket. */
  readonly exchange = async (sdp: string): Promise<string> => {
    this.send({ type: "offer", sdp });
    return String((await this.text("answer")).sdp);
  };

  /** What comes stays with the kernel, as far as it has room. */
  stopReading(): void {
    this.#ws.pause();
  }

  readOn(): void {
    this.#ws.resume();
  }

  /** As a network that is gone: no close frame. */
  cut(): void {
    this.#ws.terminate();
  }

  close(): void {
    this.#ws.close(1_000);
  }
}
