// Sends a WAV file (16-bit PCM, one channel, 8, 16, 24 or 48 kHz) in real time to a live transcription, and prints what is said as it
// becomes final; interims on standard error. With TRUNKLINE_URL and TRUNKLINE_API_KEY:
//
//   node examples/transcribe.mjs meeting.wav en-US

import { readFileSync } from "node:fs";
import WebSocket from "ws";

const { TRUNKLINE_URL, TRUNKLINE_API_KEY } = process.env;
const [path, language = "en-US"] = process.argv.slice(2);
const FRAME_MS = 20;
const file = readFileSync(path);
const rate = file.readUInt32LE(24);
if (file.readUInt16LE(22) !== 1 || file.readUInt16LE(34) !== 16)
  throw new Error("the file must be 16-bit PCM with one channel");

const answer = await fetch(`${TRUNKLINE_URL}/api/v1/transcriptions/live`, {
  method: "POST",
  headers: { "X-API-Key": TRUNKLINE_API_KEY, "Content-Type": "application/json" },
  body: JSON.stringify({ language, websocket: { codec: "pcm_s16le", inputSampleRate: rate } }),
});
const live = await answer.json();
if (!answer.ok) throw new Error(live.error.message);

const socket = new WebSocket(live.websocketUrl);
socket.on("message", (data) => {
  const message = JSON.parse(data);
  if (message.type === "interim") process.stderr.write(`\r${message.text}`);
  if (message.type === "final" && message.text !== "")
    console.log(`${(message.startMs / 1_000).toFixed(1)} s: ${message.text}`);
  if (message.type === "error") console.error(message.message);
  if (message.type === "end") console.error(`\nended: ${message.reason}, ${live.id}`);
});
socket.on("close", () => process.exit());

const frameBytes = (rate / 1_000) * FRAME_MS * 2;
let at = file.indexOf("data", 12, "latin1") + 8;
socket.on("open", () => {
  let nextMs = performance.now();
  const microphone = setInterval(() => {
    // A frame every 20 ms by the clock: audio far ahead of real time would end the transcription.
    for (; nextMs <= performance.now() && at < file.length; nextMs += FRAME_MS, at += frameBytes)
      socket.send(file.subarray(at, at + frameBytes));
    if (at < file.length) return;
    clearInterval(microphone);
    socket.send(JSON.stringify({ type: "end" })); // What was said last becomes final first.
  }, FRAME_MS / 2);
});
