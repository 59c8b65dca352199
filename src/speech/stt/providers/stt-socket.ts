import { type RawData, WebSocket } from "ws";
import type { Clock } from "../../../core/clock.ts";
import { elapsedMs, type MonotonicMs } from "../../../core/clocks.ts";
import { providerFailed } from "../../../core/errors.ts";
import { parseObject } from "../../../core/json.ts";
import { PROVIDER_CLOSE_MS_MAX } from "../../../core/limits/speech-providers/providers.ts";
import {
  STT_BACKLOG_MS_MAX,
  STT_CHUNK_FRAMES,
  STT_CLOSE_MS_MAX,
  STT_CONNECT_MS_MAX,
  STT_KEEP_ALIVE_MS,
  STT_MESSAGE_BYTES_MAX,
} from "../../../core/limits/speech-providers/stt.ts";
import { FRAME_MS } from "../../../core/limits/streams/media.ts";
import { connectionErrorCode } from "../../../core/network/connection-error.ts";
import { pcmBytes } from "../../../media/frame-codec.ts";
import { type Refusal, refusalFrom } from "../../resilience/provider-error.ts";

interface SttSocketOptions {
  provider: string;
  url: URL;
  headers: Readonly<Record<string, string>>;
  /** The rate of the written audio: signed 16-bit, little-endian, mono, and sent as such unless it is encoded. */
  rateHz: number;
  /** Frames in one message of audio; STT_CHUNK_FRAMES where absent. */
  chunkFrames?: number;
  /**
   * Makes a message of the borrowed samples, for providers that do not take them as they are: as bytes of their own
   * memory, or as a text.
   */
  encodeAudio?: (samples: Int16Array) => Buffer | string;
  /** The text that asks the provider to end the stream; absent where closing the connection is enough. */
  closeMessage?: string;
  /** The HTTP statuses that correspond to the provider's close codes. */
  closeStatuses?: Readonly<Record<number, number>>;
  /** What of the reason of a close is logged: the provider's own codes. The rest may quote the caller. */
  closeReasonCode?: RegExp;
  /** The text that keeps an idle stream open; undefined where none is needed. */
  keepAliveMessage?: string;
  clock: Clock;
  /** Its abort closes the stream with `closeMessage`. */
  signal: AbortSignal;
  /** Called when the connection is open. */
  onOpened?: (() => void) | undefined;
  /** Called with each message of the provider; never after the abort or after a failure. */
  onMessage: (message: JsonObject) => void;
  /** Called once, when the stream has failed; the error quotes no transcript. */
  onFailure: (error: Error) => void;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * The WebSocket of one STT stream: it sends audio in chunks and texts, and receives texts. Any violation by the
 * provider ends it with `onFailure`. It never reconnects.
 */
export class SttSocket {
  readonly #options: SttSocketOptions;
  readonly #socket: WebSocket;
  readonly #encodeAudio: (samples: Int16Array) => Buffer | string;
  /** Audio that does not fill a message yet. */
  readonly #chunk: Int16Array;
  #chunkSamples = 0;
  /** Messages to send when the connection opens, in order. */
  #unsent: (Buffer | string)[] = [];
  #unsentBytes = 0;
  readonly #createdMs: MonotonicMs;
  #lastSentMs: MonotonicMs;
  #cancelKeepAlive: () => void = () => {};
  #isOver = false;
  readonly #onAbort = (): void => this.#close();

  constructor(options: SttSocketOptions) {
    const {
      url,
      headers,
      rateHz,
      chunkFrames = STT_CHUNK_FRAMES,
      encodeAudio = samplesAsSent,
      clock,
      signal,
    } = options;
    this.#options = options;
    this.#encodeAudio = encodeAudio;
    this.#chunk = new Int16Array((chunkFrames * FRAME_MS * rateHz) / 1_000);
    this.#createdMs = clock.nowMs();
    this.#lastSentMs = this.#createdMs;
    // In a variable, because the types of `ws` lack `closeTimeout` so far.
    const socketOptions = {
      headers,
      perMessageDeflate: false,
      maxPayload: STT_MESSAGE_BYTES_MAX,
      closeTimeout: PROVIDER_CLOSE_MS_MAX,
    };
    this.#socket = new WebSocket(url, socketOptions);
    this.#socket.on("open", () => this.#onOpen());
    this.#socket.on("message", (data, isBinary) => this.#onMessage(data, isBinary));
    // The body of the response is not read, because it may contain what must not be logged.
    this.#socket.on("unexpected-response", (_request, { statusCode = 0, headers: received }) =>
      this.fail(`refused the stream with status ${statusCode}`, refusalFrom(statusCode, received["retry-after"])),
    );
    // The texts of errors contain addresses and headers.
    this.#socket.on("error", (error) =>
      this.fail(`the connection failed (${connectionErrorCode(error) ?? error.name})`),
    );
    this.#socket.on("close", (code, reason) => {
      const status = options.closeStatuses?.[code];
      const refusal = status === undefined ? undefined : refusalFrom(status);
      const [reasonCode] = options.closeReasonCode?.exec(reason.toString("latin1")) ?? [];
      this.fail(`closed the stream with ${code}${reasonCode === undefined ? "" : ` (${reasonCode})`}`, refusal);
    });
    signal.addEventListener("abort", this.#onAbort, { once: true });
    if (options.keepAliveMessage !== undefined) this.#scheduleKeepAlive(options.keepAliveMessage);
  }

  /** Copies `samples` and sends them as soon as they fill a message. */
  write(samples: Int16Array): void {
    for (let offset = 0; offset < samples.length && !this.#isOver; ) {
      const part = samples.subarray(offset, offset + this.#chunk.length - this.#chunkSamples);
      this.#chunk.set(part, this.#chunkSamples);
      this.#chunkSamples += part.length;
      offset += part.length;
      if (this.#chunkSamples === this.#chunk.length) this.flush();
    }
  }

  /** Sends the buffered audio, even if it does not fill a message. */
  flush(): void {
    if (this.#isOver || this.#chunkSamples === 0) return;
    const audio = this.#encodeAudio(this.#chunk.subarray(0, this.#chunkSamples));
    const audioMs = (this.#chunkSamples * 1_000) / this.#options.rateHz;
    this.#chunkSamples = 0;
    const isWaiting = this.#socket.readyState === WebSocket.CONNECTING;
    const backlogBytes = isWaiting ? this.#unsentBytes : this.#socket.bufferedAmount;
    const backlogBytesMax = (STT_BACKLOG_MS_MAX / audioMs) * audio.length;
    // Audio arrives all the time, so this check needs no timer.
    if (isWaiting && elapsedMs(this.#createdMs, this.#options.clock.nowMs()) > STT_CONNECT_MS_MAX)
      this.fail("did not complete the handshake in time");
    else if (backlogBytes + audio.length > backlogBytesMax) this.fail("reads audio slower than real time");
    else this.#send(audio);
  }

  /** Sends a text after the audio sent so far. */
  sendText(text: string): void {
    if (!this.#isOver) this.#send(text);
  }

  /** Ends the stream with a failure of the provider; `what` must not quote the provider. */
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
    // Data sent while the provider closes is lost with the stream; the `close` event reports that.
  }

  #scheduleKeepAlive(text: string): void {
    const { clock } = this.#options;
    this.#cancelKeepAlive = clock.after(STT_KEEP_ALIVE_MS, () => {
      if (elapsedMs(this.#lastSentMs, clock.nowMs()) >= STT_KEEP_ALIVE_MS) this.sendText(text);
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
    if (this.#options.closeMessage !== undefined) this.#socket.send(this.#options.closeMessage);
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

/** A copy of the samples' bytes. */
const samplesAsSent = (samples: Int16Array): Buffer => Buffer.from(pcmBytes(samples));
