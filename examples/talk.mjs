// A complete client of the raw WebSocket: microphone on standard input, loudspeaker on standard output, both signed 16-bit PCM
// at 16 kHz, and the transcript on standard error. With SoX, a headset, TRUNKLINE_URL and TRUNKLINE_API_KEY:
//
//   rec -q -t raw -r 16000 -e signed -b 16 -c 1 - | node examples/talk.mjs | play -q -t raw -r 16000 -e signed -b 16 -c 1 -

import WebSocket from "ws";

const { TRUNKLINE_URL, TRUNKLINE_API_KEY } = process.env;
const SECOND_BYTES = 16_000 * 2;
const FRAME_MS = 20;
process.stdin.resume(); // Drops audio from before the call, which would otherwise arrive all at once.
const answer = await fetch(`${TRUNKLINE_URL}/api/v1/calls`, {
  method: "POST",
  headers: { "X-API-Key": TRUNKLINE_API_KEY, "Content-Type": "application/json" },
  body: JSON.stringify({
    systemPrompt: "The bakery is open from eight to six.",
    greeting: "Hello, this is the bakery.",
    voice: "English (America)",
    language: "en-US",
    selectedTools: [{ toolName: "hang_up" }],
    connectionType: "websocket",
    websocket: { codec: "pcm_s16le", inputSampleRate: 16_000, outputSampleRate: 16_000 },
  }),
});
const call = await answer.json();
if (!answer.ok) throw new Error(call.error.message);

const socket = new WebSocket(call.websocketUrl);
const say = (message) => socket.send(JSON.stringify(message));
let waiting = []; // Not played yet: frames of audio, and between them the names of marks.
socket.on("open", () => {
  if (process.stdin.readableEnded) return say({ type: "end" }); // The microphone did not start.
  process.stdin.on("end", () => say({ type: "end" }));
  process.stdin.on("data", (audio) => {
    for (let at = 0; at < audio.length; at += SECOND_BYTES) socket.send(audio.subarray(at, at + SECOND_BYTES));
  });
});
socket.on("message", (data, isBinary) => {
  if (isBinary) return waiting.push(data);
  const message = JSON.parse(data);
  if (message.type === "mark") waiting.push(message.name);
  if (message.type === "clear") waiting = [];
  if (message.type === "transcript" && message.final) console.error(`${message.role}: ${message.text}`);
  if (message.type === "ended") console.error(`ended: ${message.reason}`);
});
socket.on("close", () => process.exit());

let nextMs = performance.now(); // The loudspeaker gets a frame, or silence, every 20 ms by the clock.
setInterval(() => {
  for (; nextMs <= performance.now(); nextMs += FRAME_MS) {
    while (typeof waiting[0] === "string") say({ type: "mark", name: waiting.shift() });
    process.stdout.write(waiting.shift() ?? Buffer.alloc((SECOND_BYTES * FRAME_MS) / 1_000));
  }
}, FRAME_MS / 2);
