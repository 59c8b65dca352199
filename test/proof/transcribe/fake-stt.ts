import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "../../support/random.ts";

/** A request for a part, which is known by its audio. */
export interface PartRequest {
  readonly part: string;
  readonly startedMs: number;
  endedMs?: number;
  isRefused?: boolean;
}

const ANSWER_MS = [50, 900] as const;
/** One request in so many is refused. */
const REFUSED = 0.03;

/** A server with OpenAI's transcriptions, which understands every part as one word of its own; and with the files to transcribe. */
export class FakeStt {
  readonly requests: PartRequest[] = [];
  readonly #server: Server;
  readonly #random: Random;
  readonly #files = new Map<string, Buffer>();

  private constructor(random: Random) {
    this.#random = random;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(random: Random): Promise<FakeStt> {
    const fake = new FakeStt(random);
    fake.#server.listen(0, "127.0.0.1");
    await once(fake.#server, "listening");
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Serves a file; returns its address. */
  serve(name: string, bytes: Buffer): string {
    this.#files.set(`/${name}`, bytes);
    return `${this.url}/${name}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const file = this.#files.get(request.url ?? "");
    if (file !== undefined) {
      response.writeHead(200, { "content-type": "audio/wav", "content-length": file.length }).end(file);
      return;
    }
    const part = await wordOf(request);
    if (part === undefined) return;
    const asked: PartRequest = { part, startedMs: Date.now() };
    this.requests.push(asked);
    await delay(this.#random.between(...ANSWER_MS));
    asked.endedMs = Date.now();
    asked.isRefused = this.#random.chance(REFUSED);
    if (asked.isRefused) response.writeHead(500).end();
    else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ text: part }));
  }
}

/** The word of a part, from the bytes of its samples; undefined where the request was broken off. */
async function wordOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    return undefined;
  }
  const body = Buffer.concat(chunks);
  const from = body.indexOf("RIFF");
  const bytes = body.subarray(from, from + 8 + body.readUInt32LE(from + 4));
  return wordOfSamples(bytes.subarray(44));
}

/** Letters alone, so that nothing makes another word of it. */
export const wordOfSamples = (samples: Uint8Array): string =>
  createHash("sha256")
    .update(samples)
    .digest("hex")
    .slice(0, 12)
    .replace(/\d/g, (digit) => "ghijklmnop"[Number(digit)] ?? "");
