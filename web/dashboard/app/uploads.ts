import { signal } from "@preact/signals";
import type { BytesSent } from "./send-file.ts";

/** A file as far as a queue needs it. */
export interface NamedFile {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
}

/** `sent`: all bytes have left the browser, and the service checks them. */
export type UploadState = "waiting" | "sending" | "sent" | "done" | "failed";

export interface Upload<Answer> {
  readonly id: number;
  readonly name: string;
  readonly state: UploadState;
  readonly sentBytes: number;
  readonly totalBytes: number;
  /** Why it has failed. */
  readonly error?: unknown;
  /** What the service made of it. */
  readonly answer?: Answer;
}

export interface UploadQueueOptions<File extends NamedFile, Answer> {
  /** Sends a file. Rejects with the reason of the signal after an abort. */
  send: (file: File, onSent: (bytes: BytesSent) => void, signal: AbortSignal) => Promise<Answer>;
}

/** An account may send 8 at once: others of it send, too. */
const CONCURRENT_MAX = 3;

/** Files that are sent one after the other, a few at a time; one that fails holds none of the others up. */
export class UploadQueue<File extends NamedFile, Answer> {
  /** In the order in which they were added. */
  readonly uploads = signal<readonly Upload<Answer>[]>([]);
  /** Called when the service has taken a file. */
  onDone: () => void = () => {};
  readonly #options: UploadQueueOptions<File, Answer>;
  readonly #files = new Map<number, File>();
  readonly #sending = new Map<number, AbortController>();
  #lastId = 0;

  constructor(options: UploadQueueOptions<File, Answer>) {
    this.#options = options;
  }

  /** Whether something is not sent yet. */
  get isBusy(): boolean {
    return this.uploads.value.some(({ state }) => state === "waiting" || state === "sending" || state === "sent");
  }

  add(files: Iterable<File>): void {
    const added = [...files].map((file): Upload<Answer> => {
      this.#lastId += 1;
      this.#files.set(this.#lastId, file);
      return { id: this.#lastId, name: file.name, state: "waiting", sentBytes: 0, totalBytes: file.size };
    });
    this.uploads.value = [...this.uploads.value, ...added];
    this.#next();
  }

  /** Sends one that has failed again. */
  retry(id: number): void {
    this.#change(id, { state: "waiting", sentBytes: 0, error: undefined });
    this.#next();
  }

  /** Takes one out of the list; what is being sent is broken off. */
  remove(id: number): void {
    this.#sending.get(id)?.abort();
    this.#files.delete(id);
    this.uploads.value = this.uploads.value.filter((upload) => upload.id !== id);
  }

  /** Takes out what was sent. */
  clearDone(): void {
    this.uploads.value = this.uploads.value.filter(({ state }) => state !== "done");
  }

  #next(): void {
    for (const { id, state } of this.uploads.value) {
      if (this.#sending.size >= CONCURRENT_MAX) return;
      if (state === "waiting") void this.#send(id);
    }
  }

  async #send(id: number): Promise<void> {
    const file = this.#files.get(id);
    if (file === undefined) return;
    const abort = new AbortController();
    this.#sending.set(id, abort);
    this.#change(id, { state: "sending" });
    const onSent = ({ sent, total }: BytesSent): void =>
      this.#change(id, { state: sent < total ? "sending" : "sent", sentBytes: sent, totalBytes: total });
    try {
      const answer = await this.#options.send(file, onSent, abort.signal);
      this.#files.delete(id);
      this.#change(id, { state: "done", answer });
      this.onDone();
    } catch (error) {
      if (!abort.signal.aborted) this.#change(id, { state: "failed", error });
    } finally {
      this.#sending.delete(id);
      this.#next();
    }
  }

  #change(id: number, changes: Partial<Upload<Answer>>): void {
    this.uploads.value = this.uploads.value.map((upload) => (upload.id === id ? { ...upload, ...changes } : upload));
  }
}
