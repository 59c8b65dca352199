import { connect, type Socket } from "node:net";
import { FRAME_MS } from "../../src/core/limits/streams/media.ts";
import { upgradeRequest } from "../support/network/raw-ws.ts";
import type { Caller } from "./caller.ts";
import { CONNECTED, mediaMessage, startMessage } from "./twilio-stream.ts";

const HEAD_END = "\r\n\r\n";
/** RFC 6455, section 5.2. */
const FIN_TEXT = 0x81;
const FIN_CLOSE = 0x88;
const FIN_PING = 0x89;
const FIN_PONG = 0x8a;
const LENGTH_16 = 126;
const MEDIA = Buffer.from('{"event":"media"');

/** The state of a caller's stream, and at last its outcome. */
export type Outcome = "dialling" | "live" | "refused" | "hung_up" | "lost";

/** One call, as its caller knows it. Times are of `performance.now()`. */
export interface CallerStory {
  callId: string;
  outcome: Outcome;
  /** Frames of 20 ms that were sent. */
  sent: number;
  /** When every tenth of these was sent. */
  tenthsMs: number[];
  /** Audio messages that came, of 20 ms each. */
  received: number;
  /** When the connection broke, or was refused. */
  brokeMs: number;
  why: string;
}

/**
 * A caller of carrier_a on a plain socket, as cheap as possible: it sends prepared silence, and counts the audio messages that
 * it receives. After its hang-up it reads to the end, so that it counts every frame that was sent to it.
 */
export class CountingCaller implements Caller {
  readonly story: CallerStory;
  /** How long the service took to answer each ping, ms. */
  readonly answersMs: number[] = [];
  readonly #socket: Socket;
  readonly #nowMs: () => number;
  #rest: Buffer = Buffer.alloc(0);
  #hangsUp = false;
  /** The service has sent its close frame. */
  #isAnswered = false;
  /** When the pending ping was sent. */
  #pingedMs: number | undefined;

  /** The host and port of the stream. */
  readonly host: string;

  /** Dials at once; the story gets its times from `nowMs`. */
  constructor(callId: string, websocketUrl: string, nowMs: () => number) {
    this.story = { callId, outcome: "dialling", sent: 0, tenthsMs: [], received: 0, brokeMs: Number.NaN, why: "" };
    const { host, hostname, port, pathname } = new URL(websocketUrl);
    this.host = host;
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.#socket = socket;
    this.#nowMs = nowMs;
    socket.once("connect", () => socket.write(upgradeRequest(`${hostname}:${port}`, pathname)));
    socket.on("data", (bytes: Buffer) => this.#onBytes(bytes));
    socket.on("error", (error) => {
      this.story.why = error.message;
    });
    socket.once("close", () => {
      const { story } = this;
      story.brokeMs = nowMs();
      // A hang-up without an answer may not have arrived.
      if (story.outcome === "live" || (story.outcome === "hung_up" && !this.#isAnswered)) story.outcome = "lost";
      if (story.outcome === "dialling") story.outcome = "refused";
    });
  }

  /** Sends the next frames while the call lives; a call that is over takes none. */
  sendFrames(count: number): void {
    const { story } = this;
    for (let sent = 0; sent < count && story.outcome === "live"; sent += 1) {
      const message = MESSAGES[story.sent];
      if (message === undefined) throw new Error("the calls were to last shorter");
      this.#socket.write(message);
      story.sent += 1;
      if (story.sent % 10 === 0) story.tenthsMs.push(this.#nowMs());
    }
  }

  /** Sends a ping, unless one is pending. */
  ping(): void {
    if (this.story.outcome !== "live" || this.#pingedMs !== undefined) return;
    this.#pingedMs = this.#nowMs();
    this.#socket.write(PING);
  }

  /** Sends a close frame, as soon as the stream is open, and reads until the service closes. */
  hangUp(): void {
    this.#hangsUp = true;
    if (this.story.outcome !== "live") return;
    this.story.outcome = "hung_up";
    this.#socket.write(masked(FIN_CLOSE, Buffer.from([0x03, 0xe8])));
  }

  /** Destroys the connection, as if the line broke. */
  drop(): void {
    this.#socket.destroy();
  }

  /** The connection is closed, by either side. */
  get isOver(): boolean {
    return this.#socket.closed;
  }

  #onBytes(bytes: Buffer): void {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    if (this.story.outcome === "dialling" && !this.#readAnswer()) return;
    this.#readFrames();
  }

  /** False while the response is incomplete, and where it is no 101. */
  #readAnswer(): boolean {
    const end = this.#rest.indexOf(HEAD_END);
    if (end < 0) return false;
    const [status = ""] = this.#rest.subarray(0, end).toString("latin1").split("\r\n");
    this.#rest = this.#rest.subarray(end + HEAD_END.length);
    if (!status.startsWith("HTTP/1.1 101 ")) {
      this.story.why = status;
      this.#socket.destroy();
      return false;
    }
    this.story.outcome = "live";
    this.#socket.write(OPENING);
    if (this.#hangsUp) this.hangUp();
    return true;
  }

  #readFrames(): void {
    for (;;) {
      const [first, second = 0] = this.#rest;
      const head = second < LENGTH_16 ? 2 : 4;
      if (first === undefined || this.#rest.length < head) return;
      const end = head + (head === 2 ? second : this.#rest.readUInt16BE(2));
      if (this.#rest.length < end) return;
      if (first === FIN_CLOSE) {
        this.#isAnswered = true;
        this.#socket.end();
      }
      if (first === FIN_PONG && this.#pingedMs !== undefined) {
        this.answersMs.push(this.#nowMs() - this.#pingedMs);
        this.#pingedMs = undefined;
      }
      if (this.#rest.subarray(head, head + MEDIA.length).equals(MEDIA)) this.story.received += 1;
      this.#rest = this.#rest.subarray(end);
    }
  }
}

/** A frame with a mask of zeros, which is valid and leaves the bytes as they are. */
function masked(opcode: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(payload.length < LENGTH_16 ? 6 : 8);
  head[0] = opcode;
  head[1] = 0x80 | Math.min(payload.length, LENGTH_16);
  if (payload.length >= LENGTH_16) head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, payload]);
}

const text = (message: object): Buffer => masked(FIN_TEXT, Buffer.from(JSON.stringify(message)));

const PING = masked(FIN_PING, Buffer.alloc(0));
const OPENING = Buffer.concat([text(CONNECTED), text(startMessage())]);

/** The longest call. */
const CALL_MS_MAX = 120_000;
/** What every caller sends, frame by frame: nothing in it belongs to a call. */
const MESSAGES = Array.from({ length: CALL_MS_MAX / FRAME_MS }, (_, frame) => text(mediaMessage(frame + 1)));
