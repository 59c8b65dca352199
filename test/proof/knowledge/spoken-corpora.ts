import { setTimeout as delay } from "node:timers/promises";
import { spokenDocument } from "../../../bench/retrieval/spoken-corpus.ts";
import { type BenchService, sendRequest } from "../../../bench/rig/service.ts";
import { INDEX_COMPACT_DELAY_MS, INDEX_COMPACT_MS_MAX } from "../../../src/core/limits/knowledge/retrieval.ts";

const WORDS_PER_SENTENCE = 10;
const POLL_MS = 500;
const INGESTED_MS_MAX = 1_200_000;

/** The account that is asked: by default the first one. */
export type AskedService = Pick<BenchService, "apiUrl" | "keys">;

/** A corpus of so many documents of 50 chunks each, once all of them are found and its index is compacted. */
export async function corpusIn(
  service: AskedService,
  documents: number,
): Promise<{ corpusId: string; chunks: number }> {
  const { id: corpusId } = await ask<{ id: string }>(service, "POST", "/corpora", 201, { name: "Pumps" });
  for (let number = 0; number < documents; number += 1) {
    const paragraphs = spokenDocument(number).chunks.map((chunk) => sentencesOf(chunk.text));
    const text = [`It has ${markerOf(number)}.`, ...paragraphs].join("\n\n");
    await ask(service, "POST", `/corpora/${corpusId}/documents`, 202, { name: `Document ${number}`, text });
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
async function isFound(service: AskedService, corpusId: string, number: number): Promise<boolean> {
  const body = { text: markerOf(number) };
  const answer = ask<{ passages: object[] }>(service, "POST", `/corpora/${corpusId}/query`, 200, body);
  return (await answer.catch(() => ({ passages: [] }))).passages.length > 0;
}

/** The words of a chunk as sentences: an answer cites one of them. */
function sentencesOf(text: string): string {
  const words = text.split(" ");
  const sentences: string[] = [];
  while (words.length > 0) sentences.push(`${words.splice(0, WORDS_PER_SENTENCE).join(" ")}.`);
  return sentences.join(" ");
}

/** A request with the first key of a service; its answer must have this status. */
export async function ask<T>(
  { apiUrl, keys: [key] }: AskedService,
  method: "GET" | "POST",
  path: string,
  status: number,
  body?: object,
): Promise<T> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  return JSON.parse((await sendRequest({ apiUrl, key }, method, `/api/v1${path}`, status, text)).toString()) as T;
}
