// A client of the raw WebSocket without a microphone: types its arguments, one turn each, and prints the transcript. It reads the
// response of POST /calls from standard input:
//
//   curl ... /api/v1/calls -d '{"connectionType": "websocket", ...}' | node examples/chat.mjs "When are you open?" "Goodbye."

import { text } from "node:stream/consumers";
import WebSocket from "ws";

const call = JSON.parse(await text(process.stdin));
if (call.error !== undefined) throw new Error(call.error.message);
const lines = process.argv.slice(2);

const socket = new WebSocket(call.websocketUrl);
const send = (message) => socket.send(JSON.stringify(message));
let hasSpoken = false;
socket.on("message", (data, isBinary) => {
  if (isBinary) return; // The agent's voice: 20 ms of PCM in each message.
  const message = JSON.parse(data);
  if (message.type === "mark") send({ type: "mark", name: message.name }); // There is no loudspeaker to wait for.
  if (message.type === "transcript" && message.final) console.log(`${message.role}: ${message.text}`);
  if (message.type === "ended") console.log(`ended: ${message.reason}`);
  if (message.type === "state" && message.state === "speaking") hasSpoken = true;
  if (message.type === "state" && message.state === "listening" && hasSpoken) {
    hasSpoken = false;
    const line = lines.shift();
    send(line === undefined ? { type: "end" } : { type: "text", text: line });
  }
});
socket.on("error", (error) => console.error(error.message));
