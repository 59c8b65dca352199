import { setTimeout as delay } from "node:timers/promises";
import WebSocket from "ws";
import { spokenQuestions } from "../../../bench/retrieval/spoken-corpus.ts";
import { type BenchService, withService } from "../../../bench/rig/service.ts";
import { percentile } from "../../../src/core/calls/latency.ts";
import { FRAME_MS } from "../../../src/core/limits/streams/media.ts";
import { RATE_HZ, spoken } from "../../support/transcriptions/spoken.ts";
import { ask, corpusIn } from "./spoken-corpora.ts";

// How long replies wait for passages: where a caller speaks, so that interim transcripts start the search, and where the question comes at
// once, as it does where the search starts with the final transcript.

const FULL = { documents: 400, questions: 100, callsAtOnce: 5 };
const REDUCED = { documents: 4, questions: 2, callsAtOnce: 2 };
const FRAME_SAMPLES = (RATE_HZ * FRAME_MS) / 1_000;
const SILENCE = new Uint8Array(2 * FRAME_SAMPLES);
const POLL_MS = 500;
const REPLY_MS_MAX = 60_000;
const ENDED_MS_MAX = 30_000;

/** How replies of one kind waited, ms. */
export interface AnswerWaits {
  asked: number;
  /** Of the questions: answered with passages to all of their words. The others went on with those to earlier words, or with none. */
  answered: number;
  /** From the end of the turn until those passages were there, of all that were asked: without an end where the answer went on before. */
  share: { p50Ms: number; p90Ms: number; maxMs: number };
  /** From the start of the search until its passages, of those that were answered. */
  search: { p50Ms: number; p90Ms: number };
}

export interface AnswersResult {
  chunks: number;
  callsAtOnce: number;
  spoken: AnswerWaits;
  typed: AnswerWaits;
}

/** Questions of callers to one corpus with `retrieval: "always"`, one a call, spoken in one round and typed in the other. */
export async function measureAnswers({
  reduced,
  seed,
  print,
}: {
  reduced: boolean;
  seed: number;
  print: (line: string) => void;
}): Promise<AnswersResult> {
  const { documents, questions, callsAtOnce } = reduced ? REDUCED : FULL;
  const asked = spokenQuestions(questions, seed);
  // Others, which no earlier search has prepared.
  const typed = spokenQuestions(questions, seed + 1);
  print(`  ${questions} questions are spoken by the reference TTS`);
  const frames: Uint8Array[][] = [];
  for (const question of asked) frames.push(framesOf(await spoken([question])));
  return await withService({ accounts: 1 }, async (service) => {
    print(`  ${documents} documents are uploaded`);
    const { corpusId, chunks } = await corpusIn(service, documents);
    const round = async (say: readonly Said[]): Promise<AnswerWaits> => {
      const rest = [...say];
      const used: (RetrievalEvent | undefined)[] = [];
      const callOneAfterTheOther = async (): Promise<void> => {
        for (let question = rest.shift(); question !== undefined; question = rest.shift())
          used.push(await askedCall(service, corpusId, question));
      };
      await Promise.all(Array.from({ length: callsAtOnce }, callOneAfterTheOther));
      return waitsOf(used);
    };
    print(`  ${questions} callers, ${callsAtOnce} at once, speak a question each; ${chunks} chunks`);
    const spokenWaits = await round(frames);
    print("  as many other questions are typed");
    return { chunks, callsAtOnce, spoken: spokenWaits, typed: await round(typed) };
  });
}

/** A question as the frames of its speech, or as text. */
type Said = readonly Uint8Array[] | string;

function framesOf(samples: Int16Array): Uint8Array[] {
  const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
  return Array.from({ length: Math.floor(samples.length / FRAME_SAMPLES) }, (_, n) =>
    bytes.subarray(2 * n * FRAME_SAMPLES, 2 * (n + 1) * FRAME_SAMPLES),
  );
}

/** An event of a question to the corpora, `retrieve`, or of a reply that was given passages, `passages-used`. */
interface RetrievalEvent {
  kind: string;
  /** Numbers the questions of the call. */
  retrieval: number;
  tookMs: number;
  waitMs: number;
  passages: readonly object[];
}

/** One call that ends once its reply is heard; resolves with what its reply was given, where that was found by all words of the question. */
async function askedCall(service: BenchService, corpusId: string, question: Said): Promise<RetrievalEvent | undefined> {
  const call = await ask<{ id: string; websocketUrl: string }>(service, "POST", "/calls", 201, {
    ...{ systemPrompt: "You answer from documents.", voice: "reference/gmw/en-US", language: "en-US" },
    ...{ firstSpeaker: "user", connectionType: "websocket" },
    selectedTools: [
      { toolName: "query_corpus", parameterOverrides: { corpusIds: [corpusId], retrieval: "always" } },
      { toolName: "hang_up" },
    ],
  });
  await askAndListen(call.websocketUrl, question);
  const endMs = performance.now() + ENDED_MS_MAX;
  while (performance.now() < endMs) {
    const { status } = await ask<{ status: string }>(service, "GET", `/calls/${call.id}`, 200);
    if (status === "ended") break;
    await delay(POLL_MS);
  }
  const { data } = await ask<{ data: RetrievalEvent[] }>(service, "GET", `/calls/${call.id}/events?limit=1000`, 200);
  const at = data.findLastIndex(({ kind }) => kind === "passages-used");
  const asked = data.slice(0, Math.max(0, at)).findLast(({ kind }) => kind === "retrieve");
  const used = data[at];
  return used !== undefined && used.retrieval === asked?.retrieval && used.passages.length > 0 ? used : undefined;
}

/** Sends a frame every 20 ms, of the question and then of silence, until a second of the reply has come. */
async function askAndListen(url: string, question: Said): Promise<void> {
  const socket = new WebSocket(url);
  const heard = new Promise<void>((resolve, reject) => {
    let bytes = 0;
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("the call ended before its reply")));
    socket.on("message", (data: Buffer, isBinary) => {
      if (isBinary) bytes += data.length;
      if (bytes >= 2 * RATE_HZ) resolve();
    });
    setTimeout(() => reject(new Error(`no reply within ${REPLY_MS_MAX} ms`)), REPLY_MS_MAX).unref();
  });
  heard.catch(() => {});
  await new Promise((resolve) => socket.on("open", resolve).on("close", resolve));
  const speech = typeof question === "string" ? [] : [...question];
  if (typeof question === "string") socket.send(JSON.stringify({ type: "text", text: question }));
  const startMs = performance.now();
  let sent = 0;
  const frames = setInterval(() => {
    const due = Math.floor((performance.now() - startMs) / FRAME_MS);
    for (; sent < due && socket.readyState === WebSocket.OPEN; sent += 1) socket.send(speech.shift() ?? SILENCE);
  }, FRAME_MS);
  try {
    await heard;
    socket.send(JSON.stringify({ type: "end" }));
  } finally {
    clearInterval(frames);
    socket.close();
  }
}

function waitsOf(used: readonly (RetrievalEvent | undefined)[]): AnswerWaits {
  const found = used.filter((event) => event !== undefined);
  const ascending = (values: readonly number[]): number[] => values.toSorted((one, other) => one - other);
  const endless = Array.from({ length: used.length - found.length }, () => Number.POSITIVE_INFINITY);
  const shares = [...ascending(found.map(({ waitMs }) => waitMs)), ...endless];
  const searches = ascending(found.map(({ tookMs }) => tookMs));
  return {
    asked: used.length,
    answered: found.length,
    share: { p50Ms: percentile(shares, 50), p90Ms: percentile(shares, 90), maxMs: percentile(shares, 100) },
    search: { p50Ms: percentile(searches, 50), p90Ms: percentile(searches, 90) },
  };
}
