import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One request for a transcription, as the server saw it. */
interface ReceivedTranscription {
  path: string;
  headers: IncomingMessage["headers"];
  /** The fields of its form. */
  fields: Record<string, string>;
  file: { name: string; type: string; bytes: Buffer };
}

/** Responds to one request. Responses apply in order, and the last one is repeated. */
export type Answer = (response: ServerResponse) => void;

export const transcribed = (text: string): Answer => respondWith({ text });

export const respondWith =
  (body: object): Answer =>
  (response) =>
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));

/** A fake of OpenAI's `POST /v1/audio/transcriptions` on loopback: it ignores the audio and follows its script. */
export class TranscriptionServer {
  readonly seen: ReceivedTranscription[] = [];
  /** How many sockets were opened. */
  sockets = 0;
  /** Requests whose client disconnected before the response was complete. */
  cancelled = 0;
  readonly #answers: readonly Answer[];
  readonly #server = createServer((request, response) => void this.#serve(request, response));

  private constructor(answers: readonly Answer[]) {
    this.#answers = answers;
  }

  static async listen(...answers: readonly Answer[]): Promise<TranscriptionServer> {
    const server = new TranscriptionServer(answers);
    server.#server.on("connection", () => {
      server.sockets += 1;
    });
    server.#server.listen(0, "127.0.0.1");
    await once(server.#server, "listening");
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === "GET") {
      response.writeHead(404).end();
      return;
    }
    response.on("close", () => {
      if (!response.writableFinished) this.cancelled += 1;
    });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const contentType = request.headers["content-type"] ?? "";
    const form = await new Response(Buffer.concat(chunks), { headers: { "content-type": contentType } }).formData();
    const fields: Record<string, string> = {};
    let file = { name: "", type: "", bytes: Buffer.alloc(0) };
    for (const [name, value] of form) {
      if (typeof value === "string") fields[name] = value;
      else file = { name: value.name, type: value.type, bytes: Buffer.from(await value.arrayBuffer()) };
    }
    const answer = this.#answers[Math.min(this.seen.length, this.#answers.length - 1)];
    this.seen.push({ path: request.url ?? "", headers: request.headers, fields, file });
    answer?.(response);
  }
}
