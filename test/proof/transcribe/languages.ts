import { once } from "node:events";
import WebSocket from "ws";
import { primaryLanguage } from "../../../src/core/text/language-tags.ts";
import { fakeDeepgram, results } from "../../support/providers/stt/deepgram.ts";
import { sendMessage } from "../../support/providers/stt/stt-server.ts";
import { KilledService } from "../killed-service.ts";
import { over } from "./live/streams.ts";

// Each language of a documented set-up (docs/languages.md: STT=deepgram, eSpeak's voices): a live transcription and a call in it. The fake
// Deepgram notes the language that it is given; a voice of the language speaks.

const FRAME = new Uint8Array(640);
const FRAMES_SENT = 10;
const ANSWER_MS_MAX = 30_000;
/** Deepgram's own codes of languages, where they differ from those of GET /languages. */
const DEEPGRAM_CODES: Readonly<Record<string, string>> = { nb: "no", fil: "tl", yue: "zh-HK" };
const HEARD = "heard";

export interface LanguagesResult {
  /** Without regions. */
  languages: number;
  /** What is wrong, one line each. */
  problems: readonly string[];
}

interface Language {
  code: string;
}

interface Voice {
  id: string;
  language: string;
}

/** Asks for at most so many of the languages. */
export async function proveLanguages(languagesMax: number): Promise<LanguagesResult> {
  const answered = new WeakSet<WebSocket>();
  const deepgram = await fakeDeepgram({
    onAudio: (socket) => {
      if (answered.has(socket)) return;
      answered.add(socket);
      sendMessage(results(HEARD, [0, 0.1], { final: true, speechFinal: true }))(socket);
    },
  });
  const service = await KilledService.start("SQLite", {
    STT: "deepgram",
    TTS: "espeak",
    DEEPGRAM_API_KEY: "proof",
    DEEPGRAM_URL: `ws://127.0.0.1:${deepgram.port}/v1/listen`,
  });
  try {
    const { data } = await service.ask<{ data: Language[] }>("GET", "/languages");
    const codes = [...new Set(data.map(({ code }) => primaryLanguage(code)))];
    const problems: string[] = [];
    for (const code of codes.slice(0, languagesMax)) {
      const sent = (): string | null => deepgram.last?.query.get("language") ?? null;
      const expected = DEEPGRAM_CODES[code] ?? code;
      const check = (what: string, isRight: boolean, why: string): void => {
        if (!isRight) problems.push(`${code}, ${what}: ${why}`);
      };
      const text = await transcribed(service, code);
      check("a live transcription", text === HEARD && sent() === expected, `"${text}", language=${sent()}`);
      const call = await called(service, code);
      check("a call", call.isHeard && sent() === expected, `heard ${call.isHeard}, language=${sent()}`);
      check(
        "a call",
        primaryLanguage(call.voice.language) === code && call.isSpoken,
        `spoken ${call.isSpoken} by ${call.voice.id}`,
      );
    }
    return { languages: codes.length, problems };
  } finally {
    await service.remove();
    deepgram.close();
  }
}

async function transcribed(service: KilledService, language: string): Promise<string> {
  const { id, websocketUrl } = await service.ask<{ id: string; websocketUrl: string }>("POST", "/transcriptions/live", {
    language,
  });
  const socket = await opened(websocketUrl);
  for (let n = 0; n < FRAMES_SENT; n += 1) socket.send(FRAME);
  await until(socket, (message) => message.type === "final");
  socket.send(JSON.stringify({ type: "end" }));
  const { result } = await over(service, id);
  return (result as { text: string } | null)?.text ?? "";
}

/** A call that greets in the language, and whose caller says something. */
async function called(
  service: KilledService,
  language: string,
): Promise<{ voice: Voice; isHeard: boolean; isSpoken: boolean }> {
  const { data } = await service.ask<{ data: Voice[] }>("GET", `/voices?language=${language}`);
  const voice = data[0] as Voice;
  const { websocketUrl } = await service.ask<{ websocketUrl: string }>("POST", "/calls", {
    ...{ systemPrompt: "You are a clock.", voice: voice.id, language, languagePinned: true },
    ...{ connectionType: "websocket", firstSpeaker: "agent", greeting: "1, 2, 3." },
  });
  const socket = await opened(websocketUrl);
  let isSpoken = false;
  socket.on("message", (bytes: Buffer, isBinary: boolean) => {
    isSpoken ||= isBinary && bytes.some((byte) => byte !== 0);
  });
  for (let n = 0; n < FRAMES_SENT; n += 1) socket.send(FRAME);
  const isHeard = await until(
    socket,
    ({ type, role, text }) => type === "transcript" && role === "user" && text === HEARD,
  );
  const endMs = performance.now() + ANSWER_MS_MAX;
  while (!isSpoken && performance.now() < endMs && socket.readyState === WebSocket.OPEN)
    await once(socket, "message", { signal: AbortSignal.timeout(ANSWER_MS_MAX) }).catch(() => {});
  socket.close();
  return { voice, isHeard, isSpoken };
}

async function opened(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url);
  await once(socket, "open");
  return socket;
}

/** Whether such a message comes in time. */
async function until(socket: WebSocket, isWanted: (message: Record<string, unknown>) => boolean): Promise<boolean> {
  return await new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ANSWER_MS_MAX);
    socket.on("close", () => resolve(false));
    socket.on("message", (bytes: Buffer, isBinary: boolean) => {
      if (isBinary || !isWanted(JSON.parse(bytes.toString()) as Record<string, unknown>)) return;
      clearTimeout(timer);
      resolve(true);
    });
  });
}
