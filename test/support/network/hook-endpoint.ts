import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { onTestFinished } from "vitest";

export interface ReceivedMessage {
  headers: IncomingMessage["headers"];
  body: string;
}

/** An endpoint of webhooks on this machine, until the test is over. */
export interface HookEndpoint {
  url: string;
  /** In the order of arrival. */
  received: ReceivedMessage[];
}

export type HookAnswer = (response: ServerResponse, message: ReceivedMessage) => void;

/** An endpoint that has received a message when it answers; with TLS where a certificate is given. */
export async function hookEndpoint(answer: HookAnswer, tls?: { cert: string; key: string }): Promise<HookEndpoint> {
  const received: ReceivedMessage[] = [];
  const onRequest: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const message = { headers: request.headers, body: Buffer.concat(chunks).toString() };
      received.push(message);
      answer(response, message);
    });
  };
  const server = tls === undefined ? createServer(onRequest) : createTlsServer(tls, onRequest);
  return { url: await hookAddress(server, tls === undefined ? "http" : "https"), received };
}

/** The address of a server that listens on this machine until the test is over. */
export async function hookAddress(server: Server, scheme = "http"): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    if ("closeAllConnections" in server) (server as { closeAllConnections(): void }).closeAllConnections();
  });
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}
