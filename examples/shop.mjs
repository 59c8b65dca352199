// The server of an invented shop, as docs/walkthrough.md uses it: an HTTP tool, an MCP server by the official library, and an endpoint
// for webhooks, which verifies each event and writes it to event.json. It prints what it is asked. The service must run with
// TOOLS_ALLOW_LOOPBACK=true and WEBHOOKS_ALLOW_LOOPBACK=true; WEBHOOK_SECRET is the secret of the webhook:
//
//   WEBHOOK_SECRET=whsec_... node examples/shop.mjs

import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { Webhook } from "standardwebhooks";
import { z } from "zod";

const PORT = 8095;
const ORDERS = { "A-17": { state: "on its way", arrives: "Friday" }, "B-2": { state: "waiting for payment" } };
const { WEBHOOK_SECRET } = process.env;
if (!WEBHOOK_SECRET) throw new Error("set WEBHOOK_SECRET to the secret of the webhook");
const webhook = new Webhook(WEBHOOK_SECRET);

/** The HTTP tool: GET /orders/{order}. */
function answerOrder(request, response) {
  const order = ORDERS[decodeURIComponent(request.url.split("/").at(-1))];
  console.log(`HTTP tool: ${request.method} ${request.url}`);
  response.writeHead(order ? 200 : 404, { "Content-Type": "application/json" });
  response.end(JSON.stringify(order ?? { error: "there is no such order" }));
}

/** The MCP server: one for each request, without sessions. */
async function answerMcp(request, response) {
  const server = new McpServer({ name: "workshop", version: "1.0.0" });
  const phone = z.string().meta({ title: "Telephone number" });
  server.registerTool(
    "book_repair",
    { description: "Books a repair in the workshop.", inputSchema: { phone } },
    (given) => {
      console.log(`MCP server: book_repair ${JSON.stringify(given)}`);
      return { content: [{ type: "text", text: JSON.stringify({ message: "The repair is booked for Friday." }) }] };
    },
  );
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
  response.on("close", () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(request, response);
}

/** The endpoint for webhooks. An event may come more than once; this one only writes it again. */
async function receiveEvent(request, response) {
  const body = await text(request);
  try {
    webhook.verify(body, request.headers);
  } catch (error) {
    console.log(`webhook: not verified: ${error.message}`);
    response.writeHead(400).end();
    return;
  }
  writeFileSync("event.json", body);
  console.log(`webhook: ${JSON.parse(body).type}, verified, written to event.json`);
  response.writeHead(204).end();
}

const server = createServer(async (request, response) => {
  try {
    if (request.url === "/mcp") await answerMcp(request, response);
    else if (request.url === "/webhooks") await receiveEvent(request, response);
    else answerOrder(request, response);
  } catch (error) {
    console.log(`${request.method} ${request.url}: ${error.message}`);
    if (!response.headersSent) response.writeHead(500);
    response.end();
  }
});
server.listen(PORT, "127.0.0.1", () => console.log(`listening on port ${PORT}; end with Ctrl-C`));
