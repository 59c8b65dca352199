// Listens to a live call until it ends, and writes what it hears to a WAV file: the caller left, the agent right. It waits up to half a
// minute for the call to begin. With TRUNKLINE_URL and TRUNKLINE_API_KEY:
//
//   node examples/listen.mjs call_0197a000-0000-7000-8000-000000000001 heard.wav

import { writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import WebSocket from "ws";

const { TRUNKLINE_URL = "http://127.0.0.1:8080", TRUNKLINE_API_KEY } = process.env;
const [callId, path] = process.argv.slice(2);

async function address(attemptsLeft = 30) {
  const answer = await fetch(`${TRUNKLINE_URL}/api/v1/calls/${callId}/listen`, {
    method: "POST",
    headers: { "X-API-Key": TRUNKLINE_API_KEY },
  });
  const body = await answer.json();
  if (answer.ok) return body.url;
  // The call has no media stream yet.
  if (answer.status !== 409 || attemptsLeft === 0) throw new Error(body.error.message);
  await delay(1_000);
  return await address(attemptsLeft - 1);
}

const socket = new WebSocket(await address());
let start;
const audio = [];
socket.on("message", (data, isBinary) => {
  if (isBinary) audio.push(data);
  else start = JSON.parse(data);
});
socket.on("close", (code, reason) => {
  if (start === undefined) throw new Error(`the connection was closed: ${code} ${reason}`);
  const samples = Buffer.concat(audio);
  const header = Buffer.alloc(44);
  header.write("RIFF");
  header.writeUInt32LE(36 + samples.length, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(start.channels, 22);
  header.writeUInt32LE(start.sampleRate, 24);
  header.writeUInt32LE(start.sampleRate * start.channels * 2, 28);
  header.writeUInt16LE(start.channels * 2, 32);
  header.writeUInt16LE(16, 34);
  header.write("data", 36);
  header.writeUInt32LE(samples.length, 40);
  writeFileSync(path, Buffer.concat([header, samples]));
  const seconds = samples.length / (start.sampleRate * start.channels * 2);
  console.log(`${seconds.toFixed(1)} s heard, ${reason}`);
});
