import WebSocket from "ws";
import { providerFailed, type TrunklineError } from "../../../core/errors.ts";
import { parseObject } from "../../../core/json.ts";
import { PROVIDER_CLOSE_MS_MAX } from "../../../core/limits/speech-providers/providers.ts";
import { TTS_MESSAGE_BYTES_MAX } from "../../../core/limits/speech-providers/tts.ts";
import { connectionFailed, refusalError } from "./tts-http.ts";

interface TtsSocketOptions {
  provider: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Called for each message, which is a JSON object. */
  onMessage: (message: Readonly<Record<string, unknown>>) => void;
  /** Called once when the connection fails or the provider closes it, and not after `close`. */
  onClosed: (error: TrunklineError) => void;
}

/** A WebSocket to a TTS provider with JSON messages of bounded size and without compression. */
export class TtsSocket {
  readonly #options: TtsSocketOptions;
  readonly #socket: WebSocket;
  /** Messages sent before the connection was open. */
  #unsent: string[] | undefined = [];
  #isOver = false;

  constructor(options: TtsSocketOptions) {
    this.#options = options;
    const { provider, url, headers } = options;
    // In a variable, because the types of `ws` lack `closeTimeout`.
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
    this.#socket.on("unexpected-response", (_request, response) => {
      this.#fail(refusalError(provider, response.statusCode ?? 0, response.headers["retry-after"]));
    });
    this.#socket.on("error", (error) => this.#fail(connectionFailed(provider, error)));
    // The close reason may quote spoken text, so it is left out.
    this.#socket.on("close", (code) => this.#fail(providerFailed(provider, `closed the connection (${code})`)));
  }

  send(message: object): void {
    if (this.#isOver) return;
    const text = JSON.stringify(message);
    if (this.#unsent === undefined) this.#socket.send(text);
    else this.#unsent.push(text);
  }

  /** Stops reading until `resume`. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Ends the connection at once. No callback is called after that. */
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
