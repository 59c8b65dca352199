import { createParser } from "eventsource-parser";
import { type LiveEvent, LOST, type StreamStatus } from "./event.ts";

export interface ConnectionOptions {
  /** The address of the stream. */
  url: string;
  /** Of the session whose events are wanted: after another sign-in the cookie is that of another session, which the service refuses. */
  csrfToken?: string;
  /** The number of the last event that this browser has; undefined: events from now on. */
  after?: string | undefined;
  /** `sequence`: the number from which the stream goes on; undefined before the first event that has one. */
  onEvent: (event: LiveEvent, sequence: string | undefined) => void;
  onStatus: (status: StreamStatus) => void;
  /** In place of the global ones, in tests. */
  fetch?: typeof globalThis.fetch;
  delay?: (delayMs: number, signal: AbortSignal) => Promise<void>;
}

/** What the service asks for when it says nothing else, and the longest pause between two attempts. */
const RETRY_MS = 2_000;
const RETRY_MS_MAX = 30_000;
/** The service sends something every 15 s: without anything for longer the connection is gone. */
const SILENCE_MS_MAX = 40_000;
/** The session has ended, or may not read. */
const ENDED: readonly number[] = [401, 403];

/** Resolves after the delay, or when the signal aborts. */
const wait = (delayMs: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, delayMs);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });

/**
 * The stream of events of the account: connected again whenever it is lost, from the last event on. `EventSource` would give up for
 * good when the service answers 429 or 503 once, and hides why.
 */
export class EventConnection {
  readonly #options: ConnectionOptions;
  readonly #abort = new AbortController();
  #after: string | undefined;
  #retryMs = RETRY_MS;
  #failures = 0;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#after = options.after;
  }

  /** Resolves when the session has ended, or after `stop`. */
  async run(): Promise<void> {
    const { onStatus, delay = wait } = this.#options;
    onStatus("connecting");
    while (!this.#abort.signal.aborted) {
      const status = await this.#connect().catch(() => undefined);
      if (this.#abort.signal.aborted) return;
      if (status !== undefined && ENDED.includes(status)) {
        onStatus("ended");
        return;
      }
      onStatus("lost");
      await delay(Math.min(RETRY_MS_MAX, this.#retryMs * 2 ** this.#failures), this.#abort.signal);
      this.#failures += 1;
    }
  }

  stop(): void {
    this.#abort.abort();
  }

  /** Reads until the stream ends. Resolves with the status of the answer. */
  async #connect(): Promise<number> {
    const { url, csrfToken, fetch = (...given) => globalThis.fetch(...given) } = this.#options;
    const headers: Record<string, string> = {
      ...(csrfToken !== undefined && { "X-CSRF-Token": csrfToken }),
      ...(this.#after !== undefined && { "Last-Event-ID": this.#after }),
    };
    const silence = new AbortController();
    const signal = AbortSignal.any([this.#abort.signal, silence.signal]);
    const response = await fetch(url, { headers, signal });
    if (!response.ok || response.body === null) return response.status;
    this.#options.onStatus("open");
    this.#failures = 0;
    // What pages have loaded meanwhile may be from before the first event of this stream.
    if (this.#after === undefined) this.#options.onEvent(LOST, undefined);
    const parser = createParser({
      onEvent: ({ id, data }) => this.#receive(id, data),
      onRetry: (retryMs) => {
        this.#retryMs = retryMs;
      },
    });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    try {
      for (;;) {
        timer = setTimeout(() => silence.abort(), SILENCE_MS_MAX);
        const { done, value } = await reader.read();
        clearTimeout(timer);
        if (done) return response.status;
        parser.feed(value);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  #receive(sequence: string | undefined, data: string): void {
    if (sequence !== undefined) this.#after = sequence;
    this.#options.onEvent(JSON.parse(data) as LiveEvent, this.#after);
  }
}
