// Tools of a voice agent, without an account at a provider: an HTTP server of this program looks up orders, and the program
// itself, as the call's client, books tables. It types the caller's turns and prints the conversation. The service must run
// with TOOLS_ALLOW_LOOPBACK=true; TRUNKLINE_URL and TRUNKLINE_API_KEY give its address and an API key:
//
//   node examples/tools.mjs "Where is my order A-17?" "I would like to book a table." "Four people." "Goodbye."

import { createServer } from "node:http";
import WebSocket from "ws";

const { TRUNKLINE_URL = "http://127.0.0.1:8080", TRUNKLINE_API_KEY } = process.env;
const ORDERS = { "A-17": { state: "on its way", arrives: "Friday" }, "B-2": { state: "waiting for payment" } };
const QUESTIONS = ["Where is my order A-17?", "I would like to book a table.", "Four people.", "Thank you, goodbye."];
const questions = process.argv.length > 2 ? process.argv.slice(2) : QUESTIONS;

const server = createServer((request, response) => {
  const order = ORDERS[decodeURIComponent(request.url.split("/").at(-1))];
  console.log(`tool server: ${request.method} ${request.url}`);
  response.writeHead(order ? 200 : 404, { "Content-Type": "application/json" });
  response.end(JSON.stringify(order ?? { error: "there is no such order" }));
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));

const order = { type: "string", title: "Order number" };
const people = { type: "integer", minimum: 1, maximum: 12, description: "How many people come" };
const orderStatus = {
  type: "http",
  name: "order_status",
  description: "Tells where an order is.",
  parameters: { type: "object", properties: { order }, required: ["order"] },
  http: { method: "GET", url: `http://127.0.0.1:${server.address().port}/orders/{order}` },
};
const bookTable = {
  type: "client",
  name: "book_table",
  description: "Books a table in the restaurant.",
  parameters: { type: "object", properties: { people }, required: ["people"] },
};
const answer = await fetch(`${TRUNKLINE_URL}/api/v1/calls`, {
  method: "POST",
  headers: { "X-API-Key": TRUNKLINE_API_KEY, "Content-Type": "application/json" },
  body: JSON.stringify({
    systemPrompt: "You answer the telephone of a restaurant.",
    voice: "English (America)",
    language: "en-US",
    firstSpeaker: "user",
    selectedTools: [{ definition: orderStatus }, { definition: bookTable }, { toolName: "hang_up" }],
    connectionType: "websocket",
  }),
});
const call = await answer.json();
if (!answer.ok) throw new Error(call.error.message);

const socket = new WebSocket(call.websocketUrl);
const send = (message) => socket.send(JSON.stringify(message));
const sayNext = () => questions.length > 0 && send({ type: "text", text: questions.shift() });
const handlers = {
  ready: sayNext,
  mark: ({ name }) => send({ type: "mark", name }),
  toolCall: ({ id, name, arguments: given }) => {
    console.log(`client tool: ${name} ${JSON.stringify(given)}`);
    send({ type: "toolResult", id, result: { message: `A table for ${given.people} is booked.` } });
  },
  transcript: ({ role, text, final }) => {
    if (!final || text === "") return;
    console.log(`${role}: ${text}`);
    if (role === "agent") questions.length > 0 ? sayNext() : send({ type: "end" });
  },
  ended: ({ reason }) => console.log(`ended: ${reason}`),
};
socket.on("message", (data, isBinary) => {
  if (isBinary) return; // The agent's audio: this program reads the transcript instead.
  const message = JSON.parse(data);
  handlers[message.type]?.(message);
});
socket.on("close", () => server.close());
