import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { TrunklineClient } from "#client";
import { listen } from "../../../src/cli/webhooks/listen.ts";

const SECRET = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
const ID = "event_1";

/** A service that has webhooks, and says which it created and deleted. */
async function fakeService() {
  const requests: string[] = [];
  let onUrl = (_url: string): void => {};
  const url = new Promise<string>((resolve) => {
    onUrl = resolve;
  });
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (request.method === "POST") onUrl(JSON.parse(Buffer.concat(chunks).toString()).url);
      response.end(JSON.stringify({ id: "webhook_1", secret: SECRET }));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return { port: (server.address() as AddressInfo).port, requests, url, close: () => server.close() };
}

function signed(body: string): RequestInit {
  const at = new Date();
  return {
    method: "POST",
    body,
    headers: {
      "webhook-id": ID,
      "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
      "webhook-signature": new Webhook(SECRET).sign(ID, at, body),
    },
  };
}

test("a delivery whose sender disconnects is printed as incomplete; the next one is received, and the webhook deleted", async () => {
  const service = await fakeService();
  const never = new AbortController().signal;
  const printed: string[] = [];
  let onIncomplete = (): void => {};
  const incomplete = new Promise<void>((resolve) => {
    onIncomplete = resolve;
  });
  const listening = listen(
    { eventTypes: ["call.ended"], port: 0, count: 1, failures: 0, json: false },
    new TrunklineClient({ baseUrl: `http://127.0.0.1:${service.port}`, apiKey: "key", signal: never }),
    never,
    {
      print: (line) => printed.push(line),
      note: (line) => {
        printed.push(line);
        if (line.includes("INCOMPLETE")) onIncomplete();
      },
    },
  );
  const url = await service.url;
  const sender = connect(Number(new URL(url).port), "127.0.0.1");
  sender.write(`POST / HTTP/1.1\r\nHost: a\r\nwebhook-id: event_0\r\nContent-Length: 100\r\n\r\n{"type":`, () =>
    sender.destroy(),
  );
  await incomplete;
  const answer = await fetch(
    url,
    signed(JSON.stringify({ type: "call.ended", timestamp: "2026-11-21T08:00:00Z", data: {} })),
  );
  expect(answer.status).toBe(204);
  expect(await listening).toBe(true);
  expect(printed).toContain("event_0  INCOMPLETE: the sender closed the connection");
  expect(printed.at(-1)).toMatch(/call\.ended .* event_1 {2}verified, answered 204/);
  expect(service.requests).toEqual(["POST /api/v1/webhooks", "DELETE /api/v1/webhooks/webhook_1"]);
  service.close();
});
