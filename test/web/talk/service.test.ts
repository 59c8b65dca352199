import { afterEach, beforeEach, expect, test, vi } from "vitest";

const PAGE = { csrfToken: "token", expiresAt: "2026-01-01T00:00:00Z", hasOwner: true };
const PROMPT = { systemPrompt: "You answer.", language: "en-US", voice: "voice" };
const created = () => Response.json({ websocketUrl: "wss://voice.example/t" }, { status: 201 });
const refused = (status: number) => Response.json({ error: { code: "code", message: "no", details: [] } }, { status });

let start: () => Promise<{ websocketUrl: string }>;
/** The connection types that the page asked for, and what the service answers, in order. */
let asked: string[];
let answers: Response[];

/** The page as it was just opened. */
beforeEach(async () => {
  asked = [];
  answers = [];
  vi.stubGlobal("fetch", async (_url: string, { body }: RequestInit) => {
    asked.push(JSON.parse(String(body)).connectionType);
    return answers.shift();
  });
  vi.resetModules();
  const { startScratchCall } = await import("../../../web/talk/service.ts");
  start = () => startScratchCall(PAGE, PROMPT);
});
afterEach(() => vi.unstubAllGlobals());

test("a service without WebRTC is asked for it once in a page: refused requests count as starts", async () => {
  answers = [refused(501), created(), created()];
  await start();
  await start();
  expect(asked).toEqual(["webrtc", "websocket", "websocket"]);
});

test("a service without room for WebRTC is asked for the socket, and by the next call for WebRTC again", async () => {
  answers = [refused(503), created(), created()];
  await start();
  await start();
  expect(asked).toEqual(["webrtc", "websocket", "webrtc"]);
});

test("another refusal is that of the call", async () => {
  answers = [refused(429)];
  await expect(start()).rejects.toMatchObject({ status: 429, message: "No." });
  expect(asked).toEqual(["webrtc"]);
});
