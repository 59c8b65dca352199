import { type RawData, WebSocket } from "ws";
import type { Clock } from "../../../core/clock.ts";
import { providerFailed } from "../../../core/errors.ts";
import { parseObject } from "../../../core/json.ts";
import { FRAME_MS } from "../../../core/limits/media.ts";
import { PROVIDER_CLOSE_MS_MAX } from "../../../core/limits/providers.ts";
import {
  STT_BACKLOG_MS_MAX,
  STT_CHUNK_FRAMES,
  STT_CLOSE_MS_MAX,
  STT_CONNECT_MS_MAX,
  STT_KEEP_ALIVE_MS,
  STT_MESSAGE_BYTES_MAX,
} from "../../../core/limits/stt.ts";
import { pcmBytes } from "../../../media/frame-codec.ts";
import { type Refusal, refusalFrom } from "../../resilience/provider-error.ts";

export interface SttSocketOptions {
  provider: string;
  url: URL;
  headers: Readonly<Record<string, string>>;
  /** Of the audio that is sent: signed 16-bit, little-endian, mono. */
  rateHz: number;
  /** The text that asks the provider to end the stream. */
  closeMessage: string;
  /** The statuses of HTTP that the provider's codes of a close stand for. */
  closeStatuses?: Readonly<Record<number, number>>;
  /** The text that keeps a stream open on which nothing comes; undefined where none is needed. */
  keepAliveMessage?: string;
  clock: Clock;
  /** Its abort says goodbye. */
  signal: AbortSignal;
  /** Told when the connection stands. */
  onOpened?: (() => void) | undefined;
  /** A text of the provider's, as JSON; none after the abort, and none after a failure. */
  onMessage: (message: JsonObject) => void;
  /** Told once, when the stream has failed; the error quotes nothing that was said. */
  onFailure: (error: Error) => void;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * The connection of one listening stream: audio in pieces and texts go out, texts come in. What a provider does wrong ends it
 * with `onFailure`. It never connects twice.
 */
export class SttSocket {
  readonly #options: SttSocketOptions;
  readonly #socket: WebSocket;
  readonly #backlogBytesMax: number;
  /** Audio that does not fill a message yet. */
  readonly #chunk: Int16Array;
  #chunkSamples = 0;
  /** What was said before the connection stood, in order. */
  #unsent: (Buffer | string)[] = [];
  #unsentBytes = 0;
  readonly #createdMs: number;
  #lastSentMs: number;
  #cancelKeepAlive: () => void = () => {};
  #isOver = false;
  readonly #onAbort = (): void => this.#close();

  constructor(options: SttSocketOptions) {
    const { url, headers, rateHz, clock, signal } = options;
    this.#options = options;
    this.#backlogBytesMax = (STT_BACKLOG_MS_MAX / 1_000) * rateHz * Int16Array.BYTES_PER_ELEMENT;
    this.#chunk = new Int16Array((STT_CHUNK_FRAMES * FRAME_MS * rateHz) / 1_000);
    this.#createdMs = clock.nowMs();
    this.#lastSentMs = this.#createdMs;
    // In a variable, for the types of `ws` do not know `closeTimeout` yet.
    const socketOptions = {
      headers,
      perMessageDeflate: false,
      maxPayload: STT_MESSAGE_BYTES_MAX,
      closeTimeout: PROVIDER_CLOSE_MS_MAX,
    };
    this.#socket = new WebSocket(url, socketOptions);
    this.#socket.on("open", () => this.#onOpen());
    this.#socket.on("message", (data, isBinary) => this.#onMessage(data, isBinary));
    // The rest of the answer is not read: nothing that it says may be logged.
    this.#socket.on("unexpected-response", (_request, { statusCode = 0, headers: told }) =>
      this.fail(`refused the stream with status ${statusCode}`, refusalFrom(statusCode, told["retry-after"])),
    );
    this.#socket.on("error", (error) => this.fail(`the connection failed (${errorCodeOf(error)})`));
    this.#socket.on("close", (code, reason) => {
      const status = options.closeStatuses?.[code];
      const refusal = status === undefined ? undefined : refusalFrom(status);
      this.fail(`closed the stream with ${code}${loggableCloseReason(reason)}`, refusal);
    });
    signal.addEventListener("abort", this.#onAbort, { once: true });
    if (options.keepAliveMessage !== undefined) this.#scheduleKeepAlive(options.keepAliveMessage);
  }

  /** Takes samples, lent, and sends them as soon as they fill a message. */
  write(samples: Int16Array): void {
    for (let at = 0; at < samples.length && !this.#isOver; ) {
      const piece = samples.subarray(at, at + this.#chunk.length - this.#chunkSamples);
      this.#chunk.set(piece, this.#chunkSamples);
      this.#chunkSamples += piece.length;
      at += piece.length;
      if (this.#chunkSamples === this.#chunk.length) this.flush();
    }
  }

  /** Sends what does not fill a message, too. */
  flush(): void {
    if (this.#isOver || this.#chunkSamples === 0) return;
    const audio = Buffer.from(pcmBytes(this.#chunk.subarray(0, this.#chunkSamples)));
    this.#chunkSamples = 0;
    const isWaiting = this.#socket.readyState === WebSocket.CONNECTING;
    const backlogBytes = isWaiting ? this.#unsentBytes : this.#socket.bufferedAmount;
    // Audio comes all the time, so that no timer is needed to see this.
    if (isWaiting && this.#options.clock.nowMs() - this.#createdMs > STT_CONNECT_MS_MAX) this.fail("does not answer");
    else if (backlogBytes + audio.length > this.#backlogBytesMax) this.fail("takes audio slower than it comes");
    else this.#send(audio);
  }

  /** Sends a text behind the audio that was sent before it. */
  sendText(text: string): void {
    if (!this.#isOver) this.#send(text);
  }

  /** Ends the stream for something that the provider did; `what` must quote nothing of it. */
  fail(what: string, refusal?: Refusal): void {
    if (this.#isOver) return;
    this.#end();
    this.#socket.terminate();
    this.#options.onFailure(providerFailed(this.#options.provider, what, refusal));
  }

  #send(data: Buffer | string): void {
    this.#lastSentMs = this.#options.clock.nowMs();
    if (this.#socket.readyState === WebSocket.CONNECTING) {
      this.#unsent.push(data);
      this.#unsentBytes += data.length;
    } else if (this.#socket.readyState === WebSocket.OPEN) {
      this.#socket.send(data);
    }
    // What comes while the provider closes is lost with the stream: `close` tells of that.
  }

  #scheduleKeepAlive(text: string): void {
    const { clock } = this.#options;
    this.#cancelKeepAlive = clock.after(STT_KEEP_ALIVE_MS, () => {
      if (clock.nowMs() - this.#lastSentMs >= STT_KEEP_ALIVE_MS) this.sendText(text);
      this.#scheduleKeepAlive(text);
    });
  }

  #onOpen(): void {
    for (const data of this.#unsent) this.#socket.send(data);
    this.#unsent = [];
    this.#unsentBytes = 0;
    if (!this.#isOver) this.#options.onOpened?.();
  }

  #onMessage(data: RawData, isBinary: boolean): void {
    if (this.#isOver) return;
    const message = isBinary ? undefined : parseObject(String(data));
    if (message === undefined) this.fail("sent a message that is no JSON object");
    else this.#options.onMessage(message);
  }

  #close(): void {
    if (this.#isOver) return;
    this.#end();
    if (this.#socket.readyState !== WebSocket.OPEN) {
      this.#socket.terminate();
      return;
    }
    this.#socket.send(this.#options.closeMessage);
    this.#socket.close(1000);
    const cancel = this.#options.clock.after(STT_CLOSE_MS_MAX, () => this.#socket.terminate());
    this.#socket.once("close", cancel);
  }

  #end(): void {
    this.#isOver = true;
    this.#unsent = [];
    this.#cancelKeepAlive();
    this.#options.signal.removeEventListener("abort", this.#onAbort);
  }
}

/** The code of an error of Node's or of ws's; their texts hold addresses and headers. */
const errorCodeOf = (error: Error): string =>
  "code" in error && typeof error.code === "string" && /^[A-Z][A-Z0-9_]{1,63}$/.test(error.code)
    ? error.code
    : error.name;

/** Deepgram's codes for why it closes; anything else may be somebody's words. */
function loggableCloseReason(reason: Buffer): string {
  const code = /^(?:DATA|NET)-\d{4}/.exec(reason.toString("latin1"))?.[0];
  return code === undefined ? "" : ` (${code})`;
}
