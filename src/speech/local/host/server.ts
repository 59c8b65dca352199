import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { encodeMessage, readMessages } from "../../../core/child-processes/socket-messages.ts";
import { SPEECH_PROCESS_MESSAGE_BYTES_MAX } from "../../../core/limits/speech-providers/local-speech.ts";
import type { LocalSpeech, PendingJob } from "../jobs.ts";
import type { FromSpeechProcess, ToSpeechProcess } from "./messages.ts";

export interface SpeechServerOptions {
  speech: LocalSpeech;
  /** The metrics of this process, in the Prometheus text format. */
  metrics: () => Promise<string>;
  /** Called when the last connection has closed. */
  onAbandoned: () => void;
}

/** Gives the workers of the service access to the speech models of this process, over a Unix socket. */
export class SpeechServer {
  readonly #options: SpeechServerOptions;
  readonly #server: Server;
  readonly #connections = new Set<Socket>();

  constructor(options: SpeechServerOptions) {
    this.#options = options;
    this.#server = createServer((connection) => this.#serve(connection));
  }

  get connectionCount(): number {
    return this.#connections.size;
  }

  /** `bind` starts to listen on the socket. Resolves when workers can connect; rejects with the system's error. */
  async listen(bind: (server: Server) => void): Promise<void> {
    const listening = once(this.#server, "listening");
    bind(this.#server);
    await listening;
  }

  close(): void {
    this.#server.close();
    for (const connection of this.#connections) connection.destroy();
  }

  #serve(connection: Socket): void {
    const jobs = new Map<number, PendingJob>();
    this.#connections.add(connection);
    connection.on("error", () => {});
    // The workers run the same version of this service and send only these messages.
    readMessages(connection, SPEECH_PROCESS_MESSAGE_BYTES_MAX, (message) =>
      this.#handle(message as ToSpeechProcess, connection, jobs),
    );
    connection.on("close", () => {
      this.#connections.delete(connection);
      for (const job of jobs.values()) job.cancel();
      if (this.#connections.size === 0) this.#options.onAbandoned();
    });
  }

  #handle(message: ToSpeechProcess, connection: Socket, jobs: Map<number, PendingJob>): void {
    switch (message.kind) {
      case "submit": {
        const { id, task, urgency, deadline } = message;
        const job = this.#options.speech.submit(task, urgency, deadline);
        jobs.set(id, job);
        void job.outcome.then((outcome) => {
          jobs.delete(id);
          send(connection, { kind: "ended", id, outcome });
        });
        return;
      }
      case "raise":
        jobs.get(message.id)?.raise(message.deadline);
        return;
      case "cancel":
        jobs.get(message.id)?.cancel();
        return;
      case "metrics":
        void this.#options.metrics().then((exposition) => send(connection, { kind: "metrics", exposition }));
        return;
    }
  }
}

function send(connection: Socket, message: FromSpeechProcess): void {
  if (connection.writable) connection.write(encodeMessage(message));
}
