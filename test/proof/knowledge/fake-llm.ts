import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "../../support/random.ts";
import { NO_NUMBER } from "./analysis-verdict.ts";

const ANSWER_MS = [50, 2_000] as const;
/** One request for an analysis in so many is refused. */
const REFUSED = 0.05;
/** One answer in so many does not fit the schema. */
const UNFIT = 0.05;

/** A server with OpenAI's chat completions, whose analysis of a call names the number that its caller has typed. */
export class FakeLlm {
  /** How often an analysis was answered, by that number. */
  readonly answered = new Map<string, number>();
  readonly #server: Server;
  readonly #random: Random;

  private constructor(random: Random) {
    this.#random = random;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(random: Random): Promise<FakeLlm> {
    const fake = new FakeLlm(random);
    fake.#server.listen(0, "127.0.0.1");
    await once(fake.#server, "listening");
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    if (!body.includes("record_analysis")) {
      send(response, [{ content: "Noted." }]);
      return;
    }
    await delay(this.#random.between(...ANSWER_MS));
    if (this.#random.chance(REFUSED)) {
      response.writeHead(500).end("{}");
      return;
    }
    const number = /case (\d+)/.exec(body)?.[1] ?? NO_NUMBER;
    const isFit = !this.#random.chance(UNFIT);
    if (isFit) this.answered.set(number, (this.answered.get(number) ?? 0) + 1);
    const answer = JSON.stringify(isFit ? { number } : { wrong: number });
    const call = { index: 0, id: "1", type: "function", function: { name: "record_analysis", arguments: answer } };
    send(response, [{ tool_calls: [call] }]);
  }
}

function send(response: ServerResponse, deltas: readonly object[]): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const delta of deltas) response.write(`data: ${JSON.stringify({ choices: [{ delta }] })}\n\n`);
  // Without a reason the reply would be one that was cut off.
  response.write(`data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: "stop" }] })}\n\n`);
  const usage = { prompt_tokens: 100, completion_tokens: 10 };
  response.end(`data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`);
}
