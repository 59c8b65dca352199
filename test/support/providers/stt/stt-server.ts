import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { FRAME_MS } from "../../../../src/core/limits/streams/media.ts";

/** An action of a provider on a stream. */
export type SttServerAction = (socket: WebSocket) => void;

export interface SttServerOptions {
  /** Runs when the stream is open. */
  greeting?: SttServerAction;
  /** Run when this much audio has been received. */
  steps?: readonly { atMs: number; act: SttServerAction }[];
  /** Called for each message of audio. */
  onAudio?: (socket: WebSocket, audio: Buffer) => void;
  /** Run for each text message of the `type`. */
  answers?: Readonly<Record<string, SttServerAction>>;
  /** The samples in a text message, signed 16-bit, of a provider that gets its audio in texts; undefined for other texts. */
  audioIn?: (message: Readonly<Record<string, unknown>>, socket: WebSocket) => Buffer | undefined;
  /** The rate of the audio, by which `steps` are timed; by default `sample_rate` of the query. */
  rateHz?: number;
  /** Runs instead of the upgrade; `accept` is the Sec-WebSocket-Accept value of a correct response. */
  refusal?: (socket: Duplex, accept: string) => void;
}

/** One stream as its provider saw it. */
interface ReceivedSttStream {
  query: URLSearchParams;
  headers: IncomingMessage["headers"];
  /** Sizes of the messages of audio, bytes. */
  messages: number[];
  audio: Buffer;
  texts: string[];
  closeCode: number | undefined;
}

export const sendMessage =
  (...messages: readonly unknown[]): SttServerAction =>
  (socket) => {
    for (const message of messages) socket.send(JSON.stringify(message));
  };

/** A fake STT provider over WebSocket on loopback: it ignores the audio's content and follows its script. */
export class SttServer {
  readonly seen: ReceivedSttStream[] = [];
  readonly #options: SttServerOptions;
  readonly #server = createServer();
  readonly #sockets = new WebSocketServer({ noServer: true });
  readonly #connections = new Set<Duplex>();

  private constructor(options: SttServerOptions) {
    this.#options = options;
    this.#server.on("connection", (socket) => {
      this.#connections.add(socket);
      socket.on("close", () => this.#connections.delete(socket));
    });
    this.#server.on("upgrade", (request, socket, head) => this.#onUpgrade(request, socket, head));
  }

  static async listen(options: SttServerOptions = {}): Promise<SttServer> {
    const server = new SttServer(options);
    server.#server.listen(0, "127.0.0.1");
    await once(server.#server, "listening");
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The latest stream. */
  get last(): ReceivedSttStream | undefined {
    return this.seen.at(-1);
  }

  /** How many connections are open. */
  get open(): number {
    return this.#connections.size;
  }

  /** Stops responding, but still notices when a connection closes. */
  stopReading(): void {
    for (const socket of this.#sockets.clients) socket.removeAllListeners();
    for (const connection of this.#connections) connection.removeAllListeners("data").resume();
  }

  close(): void {
    for (const socket of this.#connections) socket.destroy();
    this.#server.close();
  }

  #onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { refusal } = this.#options;
    if (refusal === undefined) {
      this.#sockets.handleUpgrade(request, socket, head, (open) => this.#serve(open, request));
      return;
    }
    socket.on("error", () => {});
    const key = `${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    refusal(socket, createHash("sha1").update(key).digest("base64"));
  }

  #serve(socket: WebSocket, request: IncomingMessage): void {
    const { greeting, steps = [], answers = {}, onAudio, audioIn } = this.#options;
    const query = new URL(request.url ?? "/", "ws://provider").searchParams;
    const rateHz = this.#options.rateHz ?? Number(query.get("sample_rate"));
    const bytesPerMs = (rateHz / 1_000) * Int16Array.BYTES_PER_ELEMENT;
    const seen: ReceivedSttStream = {
      query,
      headers: request.headers,
      messages: [],
      audio: Buffer.alloc(0),
      texts: [],
      closeCode: undefined,
    };
    this.seen.push(seen);
    const due = [...steps];
    socket.on("message", (data: Buffer, isBinary) => {
      const message = isBinary ? undefined : (JSON.parse(String(data)) as Readonly<Record<string, unknown>>);
      const audio = message === undefined ? data : audioIn?.(message, socket);
      if (audio === undefined) {
        seen.texts.push(String(data));
        answers[String(message?.type)]?.(socket);
        return;
      }
      seen.messages.push(audio.length);
      seen.audio = Buffer.concat([seen.audio, audio]);
      onAudio?.(socket, audio);
      const receivedMs = seen.audio.length / bytesPerMs;
      while (due[0] !== undefined && due[0].atMs <= receivedMs) due.shift()?.act(socket);
    });
    socket.on("error", () => {});
    socket.on("close", (code) => {
      seen.closeCode = code;
    });
    greeting?.(socket);
  }
}

/** `ms` of a hum, which a VAD detects as speech, followed by `silenceMs` of silence. */
export function hum(rateHz: number, ms: number, silenceMs: number): Int16Array {
  const samples = new Int16Array(((ms + silenceMs) * rateHz) / 1_000);
  for (let at = 0; at < (ms * rateHz) / 1_000; at += 1) samples[at] = 4_000 * Math.sin((at / rateHz) * 1_200) + 1;
  return samples;
}

/** `samples` in frames of 20 ms, each with whether it is speech. */
export function* framesOf(samples: Int16Array, rateHz: number): Generator<[frame: Int16Array, isSpeech: boolean]> {
  const frameSamples = (rateHz / 1_000) * FRAME_MS;
  for (let at = 0; at < samples.length; at += frameSamples) {
    const frame = samples.subarray(at, at + frameSamples);
    yield [frame, frame.some((sample) => sample !== 0)];
  }
}
