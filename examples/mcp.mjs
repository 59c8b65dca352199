// A saved tool that is an MCP server, without an account at a provider. This program is the server, by the official library. It
// saves itself as a tool, tests it, places a call that has it, types the caller's turns, prints the conversation and the runs of the
// tool, and deletes it again. The service must run with TOOLS_ALLOW_LOOPBACK=true; TRUNKLINE_URL and TRUNKLINE_API_KEY give its
// address and an API key:
//
//   node examples/mcp.mjs

import { createServer } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import WebSocket from "ws";
import { z } from "zod";

const { TRUNKLINE_URL = "http://127.0.0.1:8080", TRUNKLINE_API_KEY } = process.env;
const ORDERS = { "A-17": { state: "on its way", arrives: "Friday" } };
const questions = ["Where is my order A-17?", "Thank you, goodbye."];

/** A server for one request: this one keeps no sessions. */
function mcpServer() {
  const server = new McpServer({ name: "orders", version: "1.0.0" });
  server.registerTool(
    "order_status",
    { description: "Tells where an order is.", inputSchema: { order: z.string().meta({ title: "Order number" }) } },
    ({ order }) => ({ content: [{ type: "text", text: JSON.stringify(ORDERS[order] ?? { error: "no such order" }) }] }),
  );
  return server;
}
const http = createServer(async (request, response) => {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
  await mcpServer().connect(transport);
  await transport.handleRequest(request, response);
});
await new Promise((resolve) => http.listen(0, "127.0.0.1", resolve));

async function api(method, path, body) {
  const answer = await fetch(`${TRUNKLINE_URL}/api/v1${path}`, {
    method,
    headers: { "X-API-Key": TRUNKLINE_API_KEY, ...(body && { "Content-Type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const result = answer.status === 204 ? undefined : await answer.json();
  if (!answer.ok) throw new Error(result.error.message);
  return result;
}

const tool = await api("POST", "/tools", {
  type: "mcp",
  name: "orders",
  mcp: { url: `http://127.0.0.1:${http.address().port}/mcp`, allowedTools: ["order_status"] },
  readOnly: true,
  whileRunning: "I am looking that up.",
});
console.log(`saved, with the tools ${tool.mcp.toolNames.join(", ")}`);
const tested = await api("POST", `/tools/${tool.id}/test`, { toolName: "order_status", arguments: { order: "A-17" } });
console.log(`tested: ${tested.result}`);

const call = await api("POST", "/calls", {
  systemPrompt: "You answer the telephone of a shop.",
  voice: "English (America)",
  language: "en-US",
  firstSpeaker: "user",
  selectedTools: [{ toolId: tool.id }, { toolName: "hang_up" }],
  connectionType: "websocket",
});
const socket = new WebSocket(call.websocketUrl);
const send = (message) => socket.send(JSON.stringify(message));
const sayNext = () => questions.length > 0 && send({ type: "text", text: questions.shift() });
const handlers = {
  ready: sayNext,
  mark: ({ name }) => send({ type: "mark", name }),
  transcript: ({ role, text, final }) => {
    if (!final || text === "") return;
    console.log(`${role}: ${text}`);
    if (role === "agent") sayNext();
  },
};
socket.on("message", (data, isBinary) => {
  if (isBinary) return; // The agent's audio: this program reads the transcript instead.
  const message = JSON.parse(data);
  handlers[message.type]?.(message);
});
await new Promise((resolve) => socket.on("close", resolve));

// The runs are stored with the call, a moment after its end.
let runs = [];
for (let tries = 0; runs.length < 2 && tries < 50; tries++) {
  await new Promise((resolve) => setTimeout(resolve, 200));
  runs = (await api("GET", `/tools/${tool.id}/runs`)).data;
}
for (const run of runs) console.log(`run of a ${run.source}: ${run.toolName} ${run.arguments}`);
await api("DELETE", `/tools/${tool.id}`);
console.log("deleted");
http.close();
http.closeAllConnections();
