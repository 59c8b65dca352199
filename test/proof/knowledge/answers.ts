import { setTimeout as delay } from "node:timers/promises";
import WebSocket from "ws";
import { spokenDocument, spokenQuestions } from "../../../bench/retrieval/spoken-corpus.ts";
import { type BenchService, sendRequest, withService } from "../../../bench/rig/service.ts";
import { percentile, stepDurations } from "../../../src/core/calls/latency.ts";
import type { TranscriptTurn } from "../../../src/core/calls/transcript.ts";
import { INDEX_COMPACT_DELAY_MS, INDEX_COMPACT_MS_MAX } from "../../../src/core/limits/knowledge/retrieval.ts";
import { FRAME_MS } from "../../../src/core/limits/streams/media.ts";
import { RATE_HZ, spoken } from "../../support/transcriptions/spoken.ts";

// How long replies wait for passages: where a caller speaks, so that interim transcripts start the search, and where the question comes at
// once, as it does where the search starts with the final transcript.

const FULL = { documents: 400, calls: 5, questions: 20 };
const REDUCED = { documents: 4, calls: 2, questions: 2 };
const FRAME_SAMPLES = (RATE_HZ * FRAME_MS) / 1_000;
const SILENCE = new Uint8Array(2 * FRAME_SAMPLES);
const WORDS_PER_SENTENCE = 10;
const POLL_MS = 500;
const INGESTED_MS_MAX = 1_200_000;
const REPLY_MS_MAX = 60_000;
const ENDED_MS_MAX = 30_000;

/** How replies of one kind waited, ms. */
export interface AnswerWaits {
  asked: number;
  /** Of the questions: answered with passages that were found for the turn. */
  answered: number;
  /** From the end of the turn until the passages were there. */
  share: { p50Ms: number; p90Ms: number; maxMs: number };
  /** From the start of the search until its passages. */
  search: { p50Ms: number; p90Ms: number };
}

export interface AnswersResult {
  chunks: number;
  calls: number;
  spoken: AnswerWaits;
  typed: AnswerWaits;
}

/** Questions of callers to one corpus with `retrieval: "always"`, spoken in one round and typed in the other. */
export async function measureAnswers({
  reduced,
  seed,
  print,
}: {
  reduced: boolean;
  seed: number;
  print: (line: string) => void;
}): Promise<AnswersResult> {
  const { documents, calls, questions } = reduced ? REDUCED : FULL;
  const asked = spokenQuestions(questions, seed);
  const frames = await Promise.all(asked.map(async (question) => framesOf(await spoken([question]))));
  return await withService({ accounts: 1 }, async (service) => {
    print(`  ${documents} documents`);
    const { corpusId, chunks } = await corpusIn(service, documents);
    const round = async (say: readonly Said[]): Promise<AnswerWaits> => {
      const turns = await Promise.all(Array.from({ length: calls }, () => askedCall(service, corpusId, say)));
      return waitsOf(turns.flat(), calls * say.length);
    };
    print(`  ${calls} callers speak ${questions} questions each`);
    const spokenWaits = await round(frames);
    print("  the same questions typed");
    return { chunks, calls, spoken: spokenWaits, typed: await round(asked) };
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

async function corpusIn(service: BenchService, documents: number): Promise<{ corpusId: string; chunks: number }> {
  const { id: corpusId } = await ask<{ id: string }>(service, "POST", "/corpora", 201, { name: "Pumps" });
  for (let number = 0; number < documents; number += 1) {
    const paragraphs = spokenDocument(number).chunks.map((chunk) => sentencesOf(chunk.text));
    const text = [`It has ${markerOf(number)}.`, ...paragraphs].join("\n\n");
    await ask(service, "POST", `/corpora/${corpusId}/documents`, 201, { name: `Document ${number}`, text });
  }
  const endMs = performance.now() + INGESTED_MS_MAX;
  while (performance.now() < endMs) {
    await delay(POLL_MS);
    const corpus = await ask<Corpus>(service, "GET", `/corpora/${corpusId}`, 200);
    if (corpus.documents.failed > 0) throw new Error(`${corpus.documents.failed} documents failed`);
    if (corpus.documents.ready < documents || !(await isFound(service, corpusId, documents - 1))) continue;
    // The index is compacted once nothing is added any more.
    await delay(INDEX_COMPACT_DELAY_MS + INDEX_COMPACT_MS_MAX);
    return { corpusId, chunks: corpus.chunks };
  }
  throw new Error(`${documents} documents were not found within ${INGESTED_MS_MAX} ms`);
}

interface Corpus {
  documents: { ready: number; failed: number };
  chunks: number;
}

const markerOf = (number: number): string => `marker${number}x`;

/** Whether the index has the document with this number. */
async function isFound(service: BenchService, corpusId: string, number: number): Promise<boolean> {
  const [key] = service.keys;
  const body = JSON.stringify({ text: markerOf(number) });
  const path = `/api/v1/corpora/${corpusId}/query`;
  const answer = await sendRequest({ ...service, key }, "POST", path, 200, body).catch(() => undefined);
  if (answer === undefined) return false;
  return (JSON.parse(answer.toString()) as { passages: object[] }).passages.length > 0;
}

/** The words of a chunk as sentences: an answer cites one of them. */
function sentencesOf(text: string): string {
  const words = text.split(" ");
  const sentences: string[] = [];
  while (words.length > 0) sentences.push(`${words.splice(0, WORDS_PER_SENTENCE).join(" ")}.`);
  return sentences.join(" ");
}

/** One call with all the questions, each after the reply to the one before; resolves with its transcript. */
async function askedCall(service: BenchService, corpusId: string, say: readonly Said[]): Promise<TranscriptTurn[]> {
  const call = await ask<{ id: string; websocketUrl: string }>(service, "POST", "/calls", 201, {
    ...{ systemPrompt: "You answer from documents.", voice: "reference/gmw/en-US", language: "en-US" },
    ...{ firstSpeaker: "user", connectionType: "websocket" },
    selectedTools: [
      { toolName: "query_corpus", parameterOverrides: { corpusIds: [corpusId], retrieval: "always" } },
      { toolName: "hang_up" },
    ],
  });
  const caller = new Caller(call.websocketUrl);
  try {
    for (const question of say) await caller.ask(question);
  } finally {
    caller.end();
  }
  const endMs = performance.now() + ENDED_MS_MAX;
  while (performance.now() < endMs) {
    const { status } = await ask<{ status: string }>(service, "GET", `/calls/${call.id}`, 200);
    if (status === "ended") break;
    await delay(POLL_MS);
  }
  return (await ask<{ data: TranscriptTurn[] }>(service, "GET", `/calls/${call.id}/transcript?limit=1000`, 200)).data;
}

/** Sends a frame of silence every 20 ms, or of the question that is being spoken. */
class Caller {
  readonly #socket: WebSocket;
  readonly #timer: NodeJS.Timeout;
  readonly #startMs = performance.now();
  #sent = 0;
  #speech: Uint8Array[] = [];
  #onReply = (): void => {};

  constructor(url: string) {
    this.#socket = new WebSocket(url);
    this.#socket.on("error", () => {});
    this.#socket.on("message", (data, isBinary) => {
      if (!isBinary) this.#onMessage(JSON.parse(String(data)) as WireMessage);
    });
    this.#timer = setInterval(() => this.#sendDue(), FRAME_MS);
  }

  /** Resolves when the reply was heard; rejects where none comes. */
  async ask(question: Said): Promise<void> {
    const replied = new Promise<void>((resolve) => {
      this.#onReply = resolve;
    });
    if (typeof question === "string") await this.#sendText(question);
    else this.#speech = [...question];
    const timeout = new AbortController();
    const late = delay(REPLY_MS_MAX, "late", { signal: timeout.signal }).catch(() => "in time");
    const outcome = await Promise.race([replied, late]);
    timeout.abort();
    if (outcome === "late") throw new Error(`no reply within ${REPLY_MS_MAX} ms`);
  }

  end(): void {
    clearInterval(this.#timer);
    this.#send(JSON.stringify({ type: "end" }));
    this.#socket.close();
  }

  async #sendText(text: string): Promise<void> {
    while (this.#socket.readyState === WebSocket.CONNECTING) await delay(FRAME_MS);
    this.#send(JSON.stringify({ type: "text", text }));
  }

  #onMessage({ type, name, role, final }: WireMessage): void {
    if (type === "mark") this.#send(JSON.stringify({ type: "mark", name }));
    if (type === "transcript" && role === "agent" && final === true) this.#onReply();
  }

  #sendDue(): void {
    const due = Math.floor((performance.now() - this.#startMs) / FRAME_MS);
    for (; this.#sent < due; this.#sent += 1) {
      if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(this.#speech.shift() ?? SILENCE);
    }
  }

  #send(message: string): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(message);
  }
}

interface WireMessage {
  type: string;
  name?: string;
  role?: string;
  final?: boolean;
}

function waitsOf(turns: readonly TranscriptTurn[], asked: number): AnswerWaits {
  const replies = turns.filter(({ retrieval }) => (retrieval?.passages.length ?? 0) > 0);
  const ascending = (values: readonly (number | undefined)[]): number[] =>
    values.filter((value) => value !== undefined).toSorted((one, other) => one - other);
  const shares = ascending(replies.map(({ latency }) => latency && stepDurations(latency).retrieval));
  const searches = ascending(replies.map(({ retrieval }) => retrieval?.tookMs));
  return {
    asked,
    answered: shares.length,
    share: { p50Ms: percentile(shares, 50), p90Ms: percentile(shares, 90), maxMs: percentile(shares, 100) },
    search: { p50Ms: percentile(searches, 50), p90Ms: percentile(searches, 90) },
  };
}

async function ask<T>(
  { apiUrl, keys: [key] }: BenchService,
  method: "GET" | "POST",
  path: string,
  status: number,
  body?: object,
): Promise<T> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  return JSON.parse((await sendRequest({ apiUrl, key }, method, `/api/v1${path}`, status, text)).toString()) as T;
}
