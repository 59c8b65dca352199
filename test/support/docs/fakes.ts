import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../../src/core/clock.ts";
import { FRAME_MS } from "../../../src/core/limits/streams/media.ts";
import { synthesise } from "../../../src/simulator/callers/utterance.ts";
import { createReferenceTts } from "../../../src/speech/reference/tts.ts";
import { LlmServer } from "../providers/llm/llm-server.ts";
import { chatAnswer } from "../providers/llm/openai.ts";
import type { SttServer } from "../providers/stt/stt-server.ts";
import { transcribingDeepgram } from "../providers/stt/transcribing-deepgram.ts";
import { PostgresPrograms } from "./postgres-programs.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const require = createRequire(join(ROOT, "node_modules/client-generator/package.json"));
/** The command that `npx openapi-typescript` would download. */
const CLIENT_GENERATOR = join(dirname(require.resolve("openapi-typescript")), "../bin/cli.js");

/** The API key of a provider in place of the `…` of a page. */
export const PROVIDER_API_KEY = "documented-api-key";
/** What the person at the fake microphone says, and what the fake LLM replies. */
export const QUESTION = "When is the bakery open?";
export const ANSWER = "It is open from eight to six.";

const FORMAT = { codec: "pcm_s16le", rateHz: 16_000 } as const;
const FRAME_BYTES = ((FORMAT.rateHz * 2) / 1_000) * FRAME_MS;
/** A person listens to the greeting, asks, listens to the answer, and asks again. */
const SILENCE_MS = 4_000;
const QUESTIONS = 2;

/** What of a page's commands is replaced, and by what. */
const SUBSTITUTIONS: readonly (readonly [pattern: RegExp, by: string])[] = [
  // The packages of the lock file are there already; that package.json fits it is checked without a network.
  [/\bnpm ci\b/g, "npm ci --dry-run --offline --silent"],
  [/_API_KEY=…/g, `_API_KEY=${PROVIDER_API_KEY}`],
  [/\bnpx openapi-typescript\b/g, `node ${CLIENT_GENERATOR}`],
];

/** Ports of this test in place of those that pages name. */
export interface Ports {
  /** Those that the service took. */
  apiPort: string;
  mediaPort: string;
  postgresPort: string;
}

/** A page's text with the addresses of this test instead of its own; those of ports that are not given stay. */
export function substituted(text: string, { apiPort, mediaPort, postgresPort }: Partial<Ports> = {}): string {
  const places: readonly (readonly [pattern: RegExp, by: string | undefined])[] = [
    ...SUBSTITUTIONS,
    [/\b127\.0\.0\.1:8080\b/g, apiPort && `127.0.0.1:${apiPort}`],
    [/\b127\.0\.0\.1:8081\b/g, mediaPort && `127.0.0.1:${mediaPort}`],
    [/\b5433\b/g, postgresPort],
    // It calls the service of this machine by default.
    [/\bnode examples\/(mcp|tools)\.mjs/g, apiPort && `TRUNKLINE_URL=http://127.0.0.1:${apiPort} node examples/$1.mjs`],
  ];
  return places.reduce((all, [pattern, by]) => (by === undefined ? all : all.replaceAll(pattern, by)), text);
}

/** Fakes of what the pages expect of their reader: accounts of Deepgram and OpenAI, a microphone, a headset; not to be root. */
export class DocumentationFakes {
  readonly deepgram: SttServer;
  readonly openai: LlmServer;
  readonly postgres: PostgresPrograms;
  /** Of every terminal. */
  readonly env: NodeJS.ProcessEnv;

  readonly #programs: string;

  private constructor(deepgram: SttServer, openai: LlmServer, postgres: PostgresPrograms, programs: string) {
    this.#programs = programs;
    this.deepgram = deepgram;
    this.openai = openai;
    this.postgres = postgres;
    this.env = {
      PATH: `${programs}:${process.env.PATH}`,
      HOME: process.env.HOME,
      // An error of the API fails a command of curl.
      CURL_HOME: programs,
      DEEPGRAM_URL: `ws://127.0.0.1:${deepgram.port}/v1/listen`,
      OPENAI_BASE_URL: `${openai.url}/v1`,
    };
  }

  /** Starts the fakes, with their programs in a temporary folder. */
  static async create(): Promise<DocumentationFakes> {
    const folder = mkdtempSync(join(tmpdir(), "trunkline-programs-"));
    const deepgram = await transcribingDeepgram({ rateHz: FORMAT.rateHz, finalMs: 100 });
    const openai = await LlmServer.start({ kind: "events", events: chatAnswer(ANSWER) });
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    writeFileSync(join(folder, ".curlrc"), "fail-with-body\n");
    writeFileSync(join(folder, "said.raw"), await microphoneAudio());
    writeProgram(join(folder, "rec"), microphone(join(folder, "said.raw")));
    writeProgram(join(folder, "play"), "process.stdin.resume();");
    const postgres = await PostgresPrograms.create(folder, (name, text) => writeProgram(join(folder, name), text));
    return new DocumentationFakes(deepgram, openai, postgres, folder);
  }

  async close(): Promise<void> {
    this.deepgram.close();
    await this.openai.stop();
    rmSync(this.#programs, { recursive: true, force: true });
  }
}

/** Silence and the question, as often as it is asked, and silence at the end. */
async function microphoneAudio(): Promise<Buffer> {
  const tts = createReferenceTts({ children: 1, clock: systemClock });
  const request = { text: QUESTION, voiceId: "reference/gmw/en-US", language: "en-US" };
  const { frames } = await synthesise(tts, request, new AbortController().signal, FORMAT);
  tts.close();
  const silence = Buffer.alloc((FRAME_BYTES / FRAME_MS) * SILENCE_MS);
  return Buffer.concat([...Array.from({ length: QUESTIONS }, () => [silence, ...frames]).flat(), silence]);
}

function writeProgram(path: string, text: string): void {
  writeFileSync(path, `#!/usr/bin/env node\n${text}\n`);
  chmodSync(path, 0o755);
}

/** A program that writes audio as fast as it is spoken. */
const microphone = (audioPath: string): string => `
import { readFileSync } from "node:fs";
const audio = readFileSync(${JSON.stringify(audioPath)});
let at = 0;
const beganMs = performance.now();
const timer = setInterval(() => {
  const toMs = performance.now() - beganMs;
  for (; at < audio.length && (at / ${FRAME_BYTES}) * ${FRAME_MS} < toMs; at += ${FRAME_BYTES}) {
    process.stdout.write(audio.subarray(at, at + ${FRAME_BYTES}));
  }
  if (at >= audio.length) clearInterval(timer);
}, ${FRAME_MS});
process.stdout.on("error", () => process.exit());`;
