import { connect, type Socket } from "node:net";

/** Where unauthenticated clients connect. */
export interface Endpoint {
  host: string;
  port: number;
}

/** One connection of many. Times are of `performance.now()`; NaN for what has not happened. */
export interface AttackConnection {
  readonly socket: Socket;
  readonly openedMs: number;
  /** The service has ended it, or broken it. */
  closedMs: number;
  /** The first bytes that came, as Latin-1: enough for a status. */
  answer: string;
}

/** So many connections are opened at once, and no more of them wait for an answer: the kernel's queue for them is not long. */
const OPENING_MAX = 200;
/** Longer than any bound, so that of what is closed late it is not said that it never was. */
export const CLOSED_MS_MAX = 60_000;
const ANSWER_CHARS = 32;

/** Connections that only send what they are given, and record when the service has closed them. */
export class AttackConnections {
  readonly #door: Endpoint;
  readonly members: AttackConnection[] = [];
  /** Those that were never let in. */
  refused = 0;

  constructor(door: Endpoint) {
    this.#door = door;
  }

  /** Opens so many connections; each says `greeting` at once, if there is one. */
  async gather(count: number, greeting?: (index: number) => string | Uint8Array): Promise<void> {
    for (let opened = 0; opened < count; opened += OPENING_MAX) {
      const most = Math.min(OPENING_MAX, count - opened);
      await Promise.all(Array.from({ length: most }, (_, index) => this.#open(greeting?.(opened + index))));
    }
  }

  /** How many the service has closed until now. */
  get closed(): number {
    return this.members.filter(({ closedMs }) => !Number.isNaN(closedMs)).length;
  }

  /** From its opening to its end, of the one that stayed open longest; ms. */
  get longestMs(): number {
    return Math.max(0, ...this.members.map(({ openedMs, closedMs }) => closedMs - openedMs).filter((ms) => ms >= 0));
  }

  /** How often which HTTP status was the answer; of those that got none, "none". */
  get statuses(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { answer } of this.members) {
      const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? "none";
      counts[status] = (counts[status] ?? 0) + 1;
    }
    return counts;
  }

  /** Waits until the service has closed all of them; those that it has not closed by then are left, and closed by us. */
  async end(withinMs = CLOSED_MS_MAX): Promise<void> {
    const untilMs = performance.now() + withinMs;
    while (this.closed < this.members.length && performance.now() < untilMs) await pause(50);
    for (const { socket } of this.members) socket.removeAllListeners("close").destroy();
  }

  #open(greeting: string | Uint8Array | undefined): Promise<void> {
    const { host, port } = this.#door;
    return new Promise((resolve) => {
      const socket = connect({ host, port, noDelay: true });
      const connection: AttackConnection = { socket, openedMs: performance.now(), closedMs: Number.NaN, answer: "" };
      let isIn = false;
      socket.once("connect", () => {
        isIn = true;
        this.members.push(connection);
        if (greeting !== undefined) socket.write(greeting);
        resolve();
      });
      socket.on("data", (bytes) => {
        if (connection.answer.length < ANSWER_CHARS) connection.answer += bytes.toString("latin1", 0, ANSWER_CHARS);
      });
      // A reset is an end like any other.
      socket.on("error", () => {});
      socket.once("close", () => {
        connection.closedMs = performance.now();
        if (!isIn) this.refused += 1;
        resolve();
      });
    });
  }
}

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
