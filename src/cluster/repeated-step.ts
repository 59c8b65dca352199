import { codeOf } from "../core/errors.ts";
import type { Logger } from "../core/log/logger.ts";

/** A step that is taken again and again beside others, never twice at once. That it fails is logged once, until it succeeds again. */
export class RepeatedStep {
  readonly #work: () => Promise<void>;
  /** What the log says where it fails. */
  readonly #failure: string;
  readonly #log: Logger;
  #running: Promise<void> | undefined;
  #isFailing = false;

  constructor(work: () => Promise<void>, failure: string, log: Logger) {
    this.#work = work;
    this.#failure = failure;
    this.#log = log;
  }

  /** Begins the step, unless it is in progress. */
  begin(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Resolves when it is not in progress. Never rejects. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    try {
      await this.#work();
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.#log.warn({ err: error, code: codeOf(error) }, this.#failure);
      this.#isFailing = true;
    }
  }
}
