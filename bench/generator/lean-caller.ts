import { connect, type Socket } from "node:net";
import { connect as connectSecurely } from "node:tls";
import { upgradeRequest } from "../../test/support/network/raw-ws.ts";
import type { PreparedStream } from "./prepared-stream.ts";
import type { MediaTarget } from "./protocol.ts";

/** What a caller tells its fleet. */
export interface CallerSink {
  /** An audio message of the service has come whole. */
  received(caller: LeanCaller): void;
  /** The connection is gone before the caller hung up. */
  lost(caller: LeanCaller, why: string): void;
}

export interface LeanCallerOptions {
  /** Its number in the fleet. */
  index: number;
  target: MediaTarget;
  path: string;
  stream: PreparedStream;
  sink: CallerSink;
}

const HEAD_END = Buffer.from("\r\n\r\n");
const NOTHING = new Uint8Array(0);
/** Server frames (RFC 6455, section 5.2): whole messages without a mask, and the close. */
const TEXT = 0x81;
const BINARY = 0x82;
const CLOSE = 0x88;
const LENGTH_16 = 126;

/** A mark is played this many frames after it came: the service is kept 100 ms ahead of playout. */
const MARK_DELAY_FRAMES = 5;

/** All callers read into the same memory: what was read is used up before the next one reads. */
const READ_BUFFER = Buffer.allocUnsafeSlow(64 * 1024);

/**
 * One stream on a plain socket, or one with TLS. It sends what was prepared and of what comes it reads the frames' heads and two
 * letters, except for marks, which are rare and are answered when they would have been played.
 */
export class LeanCaller {
  readonly index: number;
  readonly #options: LeanCallerOptions;
  #socket: Socket | undefined;
  #connected: (() => void) | undefined;
  /** The beginning of a frame that has not come whole. */
  #rest: Uint8Array = NOTHING;
  #frame = 0;
  #marks: { text: string; frame: number }[] = [];
  #hungUp = false;

  constructor(options: LeanCallerOptions) {
    this.index = options.index;
    this.#options = options;
  }

  /** Frames sent until now. */
  get frames(): number {
    return this.#frame;
  }

  /** Dials, and opens the stream. Rejects when the service does not take it; whatever happens later goes to the sink. */
  connect(): Promise<void> {
    const { target, path, stream, sink } = this.#options;
    return new Promise((resolve, reject) => {
      let failed: Error | undefined;
      const socket = this.#dial();
      this.#socket = socket;
      this.#connected = () => {
        this.#connected = undefined;
        socket.write(stream.opening);
        resolve();
      };
      const ready = target.secure ? "secureConnect" : "connect";
      socket.once(ready, () => socket.write(upgradeRequest(`${target.host}:${target.port}`, path)));
      socket.on("error", (error) => {
        failed = error;
      });
      socket.once("close", () => {
        const why = failed?.message ?? "closed by the service";
        if (this.#connected !== undefined) reject(new Error(`call ${this.index} was refused: ${why}`));
        else if (!this.#hungUp) sink.lost(this, why);
      });
    });
  }

  #dial(): Socket {
    const { host, port, secure } = this.#options.target;
    if (secure) {
      // Sockets with TLS cannot read into memory that is given to them.
      const socket = connectSecurely({ host, port, servername: host, ALPNProtocols: ["http/1.1"] });
      socket.setNoDelay(true);
      socket.on("data", (bytes) => this.#onBytes(bytes));
      return socket;
    }
    return connect({
      host,
      port,
      noDelay: true,
      onread: {
        buffer: READ_BUFFER,
        callback: (length, buffer) => {
          this.#onBytes(buffer.subarray(0, length));
          return true;
        },
      },
    });
  }

  /** Sends the next 20 ms. False when the line has no more. */
  sendFrame(): boolean {
    const { stream } = this.#options;
    const message = stream.media[this.#frame];
    if (message === undefined) return false;
    this.#frame += 1;
    this.#socket?.write(message);
    for (let mark = this.#marks[0]; mark !== undefined && mark.frame <= this.#frame; mark = this.#marks[0]) {
      this.#marks.shift();
      this.#socket?.write(stream.playedMark(mark.text));
    }
    return true;
  }

  /** Says that the call is over, and closes; resolves when everything that the service had sent by then has been read. */
  hangUp(): Promise<void> {
    const socket = this.#socket;
    this.#hungUp = true;
    if (socket === undefined || socket.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      socket.once("close", () => resolve());
      socket.end(this.#options.stream.stop());
    });
  }

  /** Closes without a word. */
  drop(): void {
    this.#hungUp = true;
    this.#socket?.destroy();
  }

  #onBytes(bytes: Uint8Array): void {
    const whole = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const readTo = this.#connected === undefined ? this.#readFrames(whole, 0) : this.#readAnswer(whole);
    // A copy: the next caller reads into the same memory.
    this.#rest = readTo === whole.length ? NOTHING : Buffer.from(whole.subarray(readTo));
  }

  #readAnswer(bytes: Uint8Array): number {
    const answer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const end = answer.indexOf(HEAD_END);
    if (end === -1) return 0;
    if (!answer.subarray(0, end).toString("latin1").startsWith("HTTP/1.1 101 ")) {
      this.#socket?.destroy(new Error(answer.subarray(0, answer.indexOf("\r\n")).toString("latin1")));
      return bytes.length;
    }
    this.#connected?.();
    return this.#readFrames(bytes, end + HEAD_END.length);
  }

  /** Reads all whole frames from `at` on; returns where the first one begins that is not whole. */
  #readFrames(bytes: Uint8Array, from: number): number {
    let at = from;
    while (bytes.length - at >= 4) {
      const short = (bytes[at + 1] as number) < LENGTH_16;
      const head = short ? 2 : 4;
      const length = short ? (bytes[at + 1] as number) : ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number);
      const end = at + head + length;
      if (end > bytes.length) break;
      this.#onFrame(bytes, at, at + head, end);
      at = end;
    }
    return at;
  }

  #onFrame(bytes: Uint8Array, at: number, payloadAt: number, end: number): void {
    if (bytes[at] === CLOSE) {
      const code =
        end - payloadAt < 2 ? "no code" : ((bytes[payloadAt] as number) << 8) | (bytes[payloadAt + 1] as number);
      this.#socket?.destroy(new Error(`closed by the service with ${code}`));
      return;
    }
    const { stream, sink } = this.#options;
    const known = stream.letters;
    if (bytes[at] === BINARY && known.audio === undefined) {
      sink.received(this);
      return;
    }
    if (bytes[at] !== TEXT) return;
    const seen = ((bytes[payloadAt + known.at] as number) << 8) | (bytes[payloadAt + known.at + 1] as number);
    if (seen === known.audio) {
      sink.received(this);
    } else if (seen === known.mark) {
      const text = Buffer.from(bytes.buffer, bytes.byteOffset + payloadAt, end - payloadAt).toString("utf8");
      this.#marks.push({ text, frame: this.#frame + MARK_DELAY_FRAMES });
    }
  }
}
