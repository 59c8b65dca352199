import type { Socket } from "node:net";
import type { Clock } from "../../core/clock.ts";
import { WORKER_ANSWER_MS_MAX } from "../../core/limits/service/admission.ts";
import type { WorkerMessage } from "./messages.ts";

/** What a worker answers to a request of the control process. */
export type WorkerAnswer = Extract<
  WorkerMessage,
  { kind: "phone-updated" | "live-outcome" | "resume-address" | "listen-address" }
>;

interface PendingAnswer {
  readonly socket: Socket;
  resolve(answer: WorkerAnswer | undefined): void;
}

/** The answers of workers that the control process awaits, each for WORKER_ANSWER_MS_MAX. */
export class WorkerAnswers {
  readonly #clock: Pick<Clock, "after">;
  readonly #pending = new Map<number, PendingAnswer>();
  #lastId = 0;

  constructor(clock: Pick<Clock, "after">) {
    this.#clock = clock;
  }

  /**
   * `send` sends the request with the id that it is given over `socket`. Resolves to undefined where the connection is lost or the
   * worker does not answer in time.
   */
  ask(socket: Socket, send: (id: number) => void): Promise<WorkerAnswer | undefined> {
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      const cancelTimeout = this.#clock.after(WORKER_ANSWER_MS_MAX, () => this.#resolve(id, undefined));
      this.#pending.set(id, {
        socket,
        resolve(answer) {
          cancelTimeout();
          resolve(answer);
        },
      });
      send(id);
    });
  }

  /** A worker has answered; a late answer has no effect. */
  received(answer: WorkerAnswer): void {
    this.#resolve(answer.id, answer);
  }

  /** A connection is lost. */
  connectionLost(lost: Socket): void {
    for (const [id, { socket }] of this.#pending) if (socket === lost) this.#resolve(id, undefined);
  }

  #resolve(id: number, answer: WorkerAnswer | undefined): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    pending?.resolve(answer);
  }
}
