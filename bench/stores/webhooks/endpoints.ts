import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { serve } from "../../rig/child-process.ts";

// The endpoints of webhooks, in a process of their own: `/quick/...` answer at once, `/slow/...` never.

export interface Received {
  /** Of each delivery to a quick endpoint, from the time of its event until it was read, ms. */
  delaysMs: Float32Array;
  /** Attempts at slow endpoints. */
  slowAttempts: number;
}

export type EndpointQuestions = {
  /** `http://127.0.0.1:40123` */
  address: { ask: undefined; answer: string };
  /** What has come since this was asked last. */
  take: { ask: undefined; answer: Received };
};

let delaysMs: number[] = [];
let slowAttempts = 0;

function received(path: string, body: string, response: ServerResponse): void {
  if (path.startsWith("/slow/")) {
    slowAttempts += 1;
    return;
  }
  const { timestamp } = JSON.parse(body) as { timestamp: string };
  delaysMs.push(Date.now() - Date.parse(timestamp));
  response.writeHead(204).end();
}

const server = createServer((request, response) => {
  let body = "";
  // A sender that has waited for long enough closes the connection.
  request.on("error", () => {});
  request.setEncoding("utf8").on("data", (text: string) => {
    body += text;
  });
  request.on("end", () => received(request.url ?? "", body, response));
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

serve<EndpointQuestions>({
  address: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  take() {
    const taken = { delaysMs: Float32Array.from(delaysMs), slowAttempts };
    delaysMs = [];
    slowAttempts = 0;
    return taken;
  },
});
