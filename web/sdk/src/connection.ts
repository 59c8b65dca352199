import { RESUME_MS_MAX, resumeDelayMs } from "./backoff.ts";
import type { Clock } from "./clock.ts";
import { type ClientMessage, readMessage, type ServiceMessage } from "./messages.ts";

/** A socket that does not open, or that says nothing, for this long is taken for lost. */
const OPENING_MS_MAX = 10_000;
const RESUMING_MS_MAX = 5_000;
/** After `hello`, whose WebRTC takes at most half of this; and after `fallback`, which needs only an answer. */
const READY_MS_MAX = 10_000;
const FALLBACK_MS_MAX = 5_000;
/** A changed network is reported by several events. An address that resumes works once, so the first attempt gets this long. */
const CHANGE_MS = 2_000;
/** So many messages of the call wait for `ready`. */
const PENDING_MAX = 256;
/** Microphone audio that the network does not take is dropped when so much waits. */
const BUFFERED_S_MAX = 2;
/** A network that takes nothing for this long is dead. */
const STUCK_MS_MAX = 5_000;
const NORMAL_CLOSE = 1_000;
/** The service has given the socket up, because too much waited for it, and the call goes on. */
const DETACHED = "detached";
/** Tells the service that another socket of this call follows, so that it does not take this for a hang-up. */
const CLOSE_TO_RESUME = 4_000;

/** As much of a WebSocket as is used. */
export type Socket = Pick<
  WebSocket,
  "binaryType" | "bufferedAmount" | "onopen" | "onmessage" | "onclose" | "send" | "close"
>;

/** How a connection ended for good. */
export interface ConnectionEnd {
  /** `refused`: it never opened; `silent`: nothing came in time; `closed`: it was open before. */
  how: "refused" | "silent" | "closed";
  /** Of the WebSocket. */
  code: number;
  /** The end reason of the service; empty where it gave none. */
  reason: string;
}

export interface ConnectionOptions {
  /** Whether a lost connection is opened again, where the service gives an address for that. */
  resume: boolean;
  clock: Clock;
  openSocket(url: string): Socket;
  random(): number;
  onMessage(message: ServiceMessage): void;
  onAudio(message: ArrayBuffer): void;
  /** The connection was lost; it is opened again. */
  onLost(): void;
  /** Once, and the last of all callbacks. Not after `close`. */
  onEnd(end: ConnectionEnd): void;
}

/**
 * The WebSocket of a call, over its losses: where the service gives a `resumeUrl` in `ready`, a lost socket is opened again with
 * backoff, for 15 s. What must not be lost waits meanwhile.
 */
export class Connection {
  readonly #options: ConnectionOptions;
  #socket: Socket | undefined;
  #isOpen = false;
  #resumeUrl: string | undefined;
  /** Between `ready` and the loss of the socket. */
  #isReady = false;
  /** What is sent at the next `ready`. */
  #pending: ClientMessage[] = [];
  #lostAtMs: number | undefined;
  /** When the last attempt to resume opened its socket. */
  #attemptAtMs = Number.NEGATIVE_INFINITY;
  /** Since when audio is dropped. */
  #stuckAtMs: number | undefined;
  #attempt = 0;
  #cancelTimer = (): void => {};

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** Opens the first socket. */
  open(url: string): void {
    this.#connect(this.#options.resume ? withResume(url) : url, OPENING_MS_MAX);
  }

  /** Sends what belongs to this socket; unless it is open, it is dropped. */
  send(message: ClientMessage): void {
    if (!this.#isOpen) return;
    this.#socket?.send(JSON.stringify(message));
    if (message.type === "fallback") this.#expect(FALLBACK_MS_MAX);
  }

  /** Sends what belongs to the call: before `ready`, and while the connection is lost, it waits. False: too much waits. */
  sendToCall(message: ClientMessage): boolean {
    if (this.#isReady) this.send(message);
    else if (this.#pending.length < PENDING_MAX) this.#pending.push(message);
    else return false;
    return true;
  }

  /** Sends audio of which `bytesPerS` bytes make a second. */
  sendAudio(message: ArrayBuffer, bytesPerS: number): void {
    const socket = this.#socket;
    if (socket === undefined || !this.#isReady) return;
    if (socket.bufferedAmount <= BUFFERED_S_MAX * bytesPerS) {
      this.#stuckAtMs = undefined;
      socket.send(message);
      return;
    }
    const nowMs = this.#options.clock.nowMs();
    this.#stuckAtMs ??= nowMs;
    if (nowMs - this.#stuckAtMs >= STUCK_MS_MAX) this.reopen();
  }

  /** Whether the socket may be opened again. */
  get canResume(): boolean {
    return this.#resumeUrl !== undefined;
  }

  /** The network has changed: the socket may be dead without saying so. Opens it again, unless it has just begun to. */
  networkChanged(): void {
    const isOpening = this.#socket !== undefined && !this.#isReady;
    if (isOpening && this.#options.clock.nowMs() - this.#attemptAtMs < CHANGE_MS) return;
    this.reopen();
  }

  /** Opens the socket again at once, where that is possible. */
  reopen(): void {
    if (this.#lostAtMs !== undefined) this.#retry(0);
    else if (this.#isReady && this.#resumeUrl !== undefined) this.#lose();
  }

  /** Ends it; no callback follows. `farewell` is sent before. */
  close(farewell?: ClientMessage): void {
    if (farewell !== undefined) this.send(farewell);
    this.#resumeUrl = undefined;
    this.#drop();
  }

  #connect(url: string, withinMs: number): void {
    const socket = this.#options.openSocket(url);
    this.#socket = socket;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.#isOpen = true;
    };
    socket.onmessage = ({ data }) => this.#receive(data);
    socket.onclose = ({ code, reason }) => {
      this.#closed({ how: this.#isOpen ? "closed" : "refused", code, reason });
    };
    this.#expect(withinMs);
  }

  /** The socket is dead unless `ready`, or before it `hello`, comes within this time. */
  #expect(withinMs: number): void {
    this.#cancelTimer();
    const how = this.#isReady ? "closed" : "silent";
    this.#cancelTimer = this.#options.clock.after(withinMs, () => this.#closed({ how, code: 1_006, reason: "" }));
  }

  #receive(data: unknown): void {
    if (data instanceof ArrayBuffer) {
      if (this.#isReady) this.#options.onAudio(data);
      return;
    }
    const message = readMessage(String(data));
    if (message === undefined) return;
    if (message.type === "hello" || message.type === "ready") this.#resumeUrl = message.resumeUrl;
    if (message.type === "hello") this.#expect(READY_MS_MAX);
    if (message.type === "ready") this.#cancelTimer();
    // The call is over whatever happens to the socket.
    if (message.type === "ended") this.#resumeUrl = undefined;
    this.#options.onMessage(message);
    if (message.type === "ready") this.#ready();
  }

  #ready(): void {
    this.#isReady = true;
    this.#lostAtMs = undefined;
    this.#attempt = 0;
    for (const message of this.#pending.splice(0)) this.send(message);
  }

  #closed(end: ConnectionEnd): void {
    if (this.#lostAtMs !== undefined) this.#retry();
    else if (this.#resumeUrl !== undefined && (end.reason === "" || end.reason === DETACHED)) this.#lose();
    else {
      this.#drop();
      this.#options.onEnd(end);
    }
  }

  #lose(): void {
    this.#lostAtMs = this.#options.clock.nowMs();
    this.#options.onLost();
    this.#retry();
  }

  /** Opens the socket again after `delayMs`, or after that of the backoff. */
  #retry(delayMs?: number): void {
    const { clock, random, onEnd } = this.#options;
    this.#drop(CLOSE_TO_RESUME);
    const sinceMs = clock.nowMs() - (this.#lostAtMs ?? 0);
    const waitMs = resumeDelayMs(this.#attempt, sinceMs, random());
    const url = this.#resumeUrl;
    if (url === undefined || waitMs === undefined) {
      onEnd({ how: "closed", code: 1_006, reason: "" });
      return;
    }
    this.#attempt += 1;
    const withinMs = Math.min(RESUMING_MS_MAX, RESUME_MS_MAX - sinceMs);
    this.#cancelTimer = clock.after(delayMs ?? waitMs, () => {
      this.#attemptAtMs = clock.nowMs();
      this.#connect(url, withinMs);
    });
  }

  /** Forgets the socket, which may be dead: it is closed, and not waited for. */
  #drop(code = NORMAL_CLOSE): void {
    this.#cancelTimer();
    this.#isReady = false;
    this.#isOpen = false;
    this.#stuckAtMs = undefined;
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket === undefined) return;
    socket.onopen = null;
    socket.onmessage = null;
    socket.onclose = null;
    socket.close(code);
  }
}

function withResume(url: string): string {
  const asking = new URL(url);
  asking.searchParams.set("resume", "true");
  return asking.href;
}
