import { setTimeout as delay } from "node:timers/promises";
import WebSocket from "ws";
import { type BenchService, sendRequest } from "../rig/service.ts";

/** Frames of the raw WebSocket in its default format: 20 ms of silence, 16-bit PCM at 16 kHz. */
const FRAME = Buffer.alloc(640);
const FRAME_MS = 20;
/** How often a call is asked for again, and after what time. */
const REFUSALS_MAX = 30;
const REFUSED_MS = 1_000;
const QUESTION = "When are you closed?";
export const QUESTION_MS = 6_000;
const CALL = JSON.stringify({
  systemPrompt: "The bakery is closed on Monday. It opens at eight on all other days.",
  voice: "reference/gmw/en-US",
  language: "en-US",
  connectionType: "websocket",
  greeting: "Good morning, this is the bakery.",
});

/** Holds so many calls at once, whose callers type a question every six seconds. Resolves with how many failed. */
export async function holdCalls(
  { apiUrl, keys: [key] }: BenchService,
  count: number,
  seconds: number,
): Promise<number> {
  const held = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      // Not all at once, as calls come.
      await delay((index * QUESTION_MS) / count);
      const body = await createCall(apiUrl, key);
      const { websocketUrl } = JSON.parse(body.toString("utf8")) as { websocketUrl: string };
      return await holdCall(websocketUrl, seconds);
    }),
  );
  return held.filter((turns) => turns < Math.floor((seconds * 1_000) / QUESTION_MS) - 1).length;
}

/** A service that has just started refuses calls while its worker lags, because it runs new code. */
async function createCall(apiUrl: string, key: string): Promise<Buffer> {
  for (let refusals = 0; ; refusals += 1) {
    try {
      return await sendRequest({ apiUrl, key }, "POST", "/api/v1/calls", 201, CALL);
    } catch (error) {
      if (refusals === REFUSALS_MAX) throw error;
      await delay(REFUSED_MS);
    }
  }
}

/** Resolves with how many turns the agent has had. */
async function holdCall(url: string, seconds: number): Promise<number> {
  const socket = new WebSocket(url);
  let turns = 0;
  const send = (message: object): void => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };
  socket.on("message", (data, isBinary) => {
    if (isBinary) return;
    const message = JSON.parse(String(data)) as { type: string; name?: string; role?: string; final?: boolean };
    if (message.type === "mark") send({ type: "mark", name: message.name });
    if (message.type === "transcript" && message.role === "agent" && message.final === true) turns += 1;
  });
  const closed = new Promise<void>((resolve) => {
    socket.on("close", () => resolve());
    socket.on("error", () => resolve());
  });
  await new Promise<void>((resolve) => {
    socket.on("open", () => resolve());
    socket.on("error", () => resolve());
  });
  const frames = setInterval(() => socket.readyState === WebSocket.OPEN && socket.send(FRAME), FRAME_MS);
  const questions = setInterval(() => send({ type: "text", text: QUESTION }), QUESTION_MS);
  await Promise.race([delay(seconds * 1_000), closed]);
  clearInterval(frames);
  clearInterval(questions);
  send({ type: "end" });
  await closed;
  return turns;
}
