import type { Clock } from "../../../core/clock.ts";
import { elapsedMs, type MonotonicMs } from "../../../core/clocks.ts";
import type { EmulatorObserver } from "../../../simulator/emulator/emulator.ts";
import type { Leg } from "../../../simulator/emulator/network.ts";
import type { LoggedRequest } from "../../../simulator/emulator/rest/request-log.ts";
import type { SentWebhook } from "../../../simulator/emulator/webhook-sender.ts";
import type { Terminal } from "../../terminal.ts";

/** Below the words of a turn. */
const INDENT = " ".repeat(11);
const LONG_ID = /\b(?=[A-Za-z-]*\d)[A-Za-z0-9-]{18,}/g;

/** An address or a path with its long ids shortened, for a line of a terminal. */
export const shortened = (path: string): string => path.replaceAll(LONG_ID, (id) => `${id.slice(0, 6)}…`);

/** Shows live what passes between the carrier and the service, and what the telephones do. */
export class PhoneProgress implements EmulatorObserver {
  readonly #terminal: Pick<Terminal, "note">;
  readonly #clock: Clock;
  readonly #answeredAt = new Map<Leg, MonotonicMs>();

  constructor(terminal: Pick<Terminal, "note">, clock: Clock) {
    this.#terminal = terminal;
    this.#clock = clock;
  }

  requested({ method, path, status }: LoggedRequest): void {
    this.#note(`request  ${method} ${shortened(path)}: ${status}`);
  }

  webhookSent({ kind, status }: SentWebhook): void {
    this.#note(`webhook  ${kind}: ${status}`);
  }

  legChanged(leg: Leg): void {
    const { state, direction, from, to, endedBy } = leg;
    if (state === "answered") this.#answeredAt.set(leg, this.#clock.nowMs());
    const person = direction === "inbound" ? from : to;
    if (state === "ended") this.#note(`${person} ${endedBy === "person" ? "hangs up" : "is disconnected"}`);
    else this.#note(`${to} ${state === "ringing" ? "rings" : "answers"}`);
  }

  /** From the answer of a leg to a time of the clock, in ms; undefined for one that was not answered. */
  sinceAnswerMs(leg: Leg, atMs: MonotonicMs): number | undefined {
    const answeredAt = this.#answeredAt.get(leg);
    return answeredAt === undefined ? undefined : elapsedMs(answeredAt, atMs);
  }

  #note(text: string): void {
    this.#terminal.note(`${INDENT}${text}`);
  }
}
