import WebSocket from "ws";
import { providerFailed, type TrunklineError } from "../../../core/errors.ts";
import { parseObject } from "../../../core/json.ts";
import { PROVIDER_CLOSE_MS_MAX } from "../../../core/limits/providers.ts";
import { TTS_MESSAGE_BYTES_MAX } from "../../../core/limits/tts.ts";
import { connectionFailed, refusalError } from "./tts-http.ts";

export interface TtsSocketOptions {
  provider: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  /** One message, which is a JSON object. */
  onMessage: (message: Readonly<Record<string, unknown>>) => void;
  /** The connection is over, and why; told once, and not of a close of ours. */
  onClosed: (error: TrunklineError) => void;
}

/** A WebSocket to a voice provider that speaks JSON alone, in messages of bounded size and without compression. */
export class TtsSocket {
  readonly #options: TtsSocketOptions;
  readonly #socket: WebSocket;
  /** What was sent before the connection was there. */
  #unsent: string[] | undefined = [];
  #isOver = false;

  constructor(options: TtsSocketOptions) {
    this.#options = options;
    const { provider, url, headers } = options;
    // In a variable, for the types of `ws` do not know `closeTimeout` yet.
    const socketOptions = {
      headers,
      maxPayload: TTS_MESSAGE_BYTES_MAX,
      perMessageDeflate: false,
      followRedirects: false,
      closeTimeout: PROVIDER_CLOSE_MS_MAX,
    };
    this.#socket = new WebSocket(url, socketOptions);
    this.#socket.on("open", () => this.#onOpen());
    this.#socket.on("message", (data, isBinary) => this.#onMessage(data as Buffer, isBinary));
    this.#socket.on("unexpected-response", (_request, { statusCode = 0, headers: told }) => {
      this.#fail(refusalError(provider, statusCode, told["retry-after"]));
    });
    this.#socket.on("error", (error) => this.#fail(connectionFailed(provider, error)));
    // The reason may quote what was said.
    this.#socket.on("close", (code) => this.#fail(providerFailed(provider, `closed the connection (${code})`)));
  }

  send(message: object): void {
    if (this.#isOver) return;
    const text = JSON.stringify(message);
    if (this.#unsent === undefined) this.#socket.send(text);
    else this.#unsent.push(text);
  }

  /** Reads no further for now. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Ends the connection at once; nothing more is told. */
  close(): void {
    this.#isOver = true;
    this.#socket.terminate();
  }

  #onOpen(): void {
    const unsent = this.#unsent ?? [];
    this.#unsent = undefined;
    if (!this.#isOver) for (const text of unsent) this.#socket.send(text);
  }

  #onMessage(data: Buffer, isBinary: boolean): void {
    if (this.#isOver) return;
    const message = isBinary ? undefined : parseObject(data.toString("utf8"));
    if (message !== undefined) this.#options.onMessage(message);
    else this.#fail(providerFailed(this.#options.provider, "violated its protocol"));
  }

  #fail(error: TrunklineError): void {
    if (this.#isOver) return;
    this.close();
    this.#options.onClosed(error);
  }
}

/** A code by which a provider names an error, where it is fit for a log: neither a sentence nor a key. */
export const loggableCode = (value: unknown): string | undefined =>
  typeof value === "string" && /^[A-Za-z][A-Za-z_]{2,47}$/.test(value) ? value : undefined;
