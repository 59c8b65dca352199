import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook as Signature } from "standardwebhooks";
import type { TrunklineClient } from "#client";
import { isObject } from "../../core/json.ts";
import { EVENT_BYTES_MAX } from "../../core/limits/control-api/webhooks.ts";
import type { WebhookEventType } from "../../core/webhook-events.ts";
import { printable } from "../terminal.ts";

export interface ListenPlan {
  eventTypes: readonly WebhookEventType[];
  /** 0 for any free port. */
  port: number;
  /** Ends after so many deliveries. */
  count: number;
  /** So many deliveries are answered with 500 first. */
  failures: number;
  /** Prints whole messages. */
  json: boolean;
}

export interface ListenOutput {
  print: (line: string) => void;
  note: (line: string) => void;
}

/** More than any message of the service has. */
const BODY_BYTES_MAX = 2 * EVENT_BYTES_MAX;

/**
 * Has the service send its events to a port of this machine, and prints them, until `signal` aborts or the count is
 * reached. Resolves with whether every signature was right; the webhook is then deleted. Rejects when the service
 * refuses the webhook.
 */
export async function listen(
  plan: ListenPlan,
  api: TrunklineClient,
  signal: AbortSignal,
  { print, note }: ListenOutput,
): Promise<boolean> {
  let secret = "";
  let received = 0;
  let isRight = true;
  let finish = (): void => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  const server = createServer((request, response) => {
    const receive = async (): Promise<void> => {
      let body: string | undefined;
      try {
        body = await bodyOf(request);
      } catch {
        // The service sends it again.
        note(`${idOf(request)}  INCOMPLETE: the sender closed the connection`);
        return;
      }
      received += 1;
      const fails = received <= plan.failures;
      const problem = body === undefined ? "its body is too long" : whyNotSigned(body, request, secret);
      if (problem !== undefined) isRight = false;
      const answer = problem !== undefined ? 400 : fails ? 500 : 204;
      print(problem === undefined && plan.json ? `${body}` : lineOf(request, body ?? "", problem, answer));
      response.writeHead(answer).end();
      if (received >= plan.count) finish();
    };
    void receive();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(plan.port, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  try {
    const webhook = await api.post("/webhooks", {
      body: {
        url: `http://127.0.0.1:${port}/`,
        description: "npm run webhooks -- listen",
        eventTypes: [...plan.eventTypes],
      },
    });
    secret = webhook.secret;
    note(`listening on port ${port} as ${webhook.id} for ${plan.eventTypes.join(", ")}; end with Ctrl-C`);
    await finished;
    await api.delete("/webhooks/{id}", { path: { id: webhook.id }, signal: AbortSignal.timeout(5_000) });
  } finally {
    server.close();
    server.closeAllConnections();
  }
  return isRight;
}

/** Undefined where it is too long. Rejects when the sender closes the connection before its end. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** As any receiver verifies a message, with the library of Standard Webhooks. */
function whyNotSigned(body: string, { headers }: IncomingMessage, secret: string): string | undefined {
  try {
    new Signature(secret).verify(body, headers as Record<string, string>);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const idOf = ({ headers }: IncomingMessage): string => printable(String(headers["webhook-id"]));

function lineOf(request: IncomingMessage, body: string, problem: string | undefined, answer: number): string {
  const id = idOf(request);
  if (problem !== undefined) return `${id}  NOT VERIFIED: ${problem}`;
  const { type, timestamp, data } = JSON.parse(body) as { type: string; timestamp: string; data: unknown };
  const call = isObject(data) && isObject(data.call) ? data.call : {};
  const about = [call.id, call.status, call.endReason].filter((text) => typeof text === "string").join(" ");
  return `${timestamp}  ${type.padEnd(16)}  ${id}  verified, answered ${answer}  ${printable(about)}`;
}
