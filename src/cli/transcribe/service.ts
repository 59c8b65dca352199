import { openAsBlob } from "node:fs";
import { basename } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { TranscriptionResult } from "../../core/transcriptions/result.ts";
import type { TranscribePlan } from "./arguments.ts";
import type { TranscribeOne, Transcriptions } from "./transcriptions.ts";

const POLL_MS = 500;
const POLL_FAILED_MS = 2_000;
const POLL_FAILURES_MAX = 15;

/** The parts of the API's answers that are read here. */
interface Item {
  id: string;
  status: string;
  progress: { doneSeconds: number; durationSeconds: number | null };
  failure: { message: string } | null;
  result?: TranscriptionResult | null;
}

type Ask = (method: string, path: string, signal: AbortSignal, body?: FormData) => Promise<Item>;

/** Has files transcribed by a running service. What it has stored is deleted again. */
export function serviceTranscriptions(
  { apiUrl, apiKey }: { apiUrl: string; apiKey: string },
  { options }: TranscribePlan,
): Transcriptions {
  const base = `${apiUrl.replace(/\/+$/, "").replace(/\/api\/v1$/, "")}/api/v1/transcriptions`;
  const ask: Ask = async (method, path, signal, body) => {
    const response = await fetch(base + path, {
      method,
      signal,
      headers: { "X-API-Key": apiKey },
      ...(body && { body }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(messageOf(text) ?? `the service answered with status ${response.status}`);
    return text === "" ? undefined : JSON.parse(text);
  };
  const transcribe: TranscribeOne = async (path, onProgress, signal) => {
    const form = new FormData();
    const { language, channels, timestamps, speakers, vocabulary } = options;
    if (language !== undefined) form.append("language", language);
    form.append("channels", channels);
    form.append("timestamps", timestamps);
    if (speakers) form.append("speakers", "true");
    for (const word of vocabulary) form.append("vocabulary", word);
    form.append("file", await openAsBlob(path), basename(path));
    const { id } = await ask("POST", "", signal, form);
    try {
      return await finished(id, ask, onProgress, signal);
    } finally {
      await ask("DELETE", `/${id}`, AbortSignal.timeout(10 * POLL_MS)).catch(() => {});
    }
  };
  return { transcribe, close: () => {} };
}

async function finished(
  id: string,
  ask: Ask,
  onProgress: Parameters<TranscribeOne>[1],
  signal: AbortSignal,
): Promise<TranscriptionResult> {
  let failures = 0;
  for (;;) {
    const item = await ask("GET", `/${id}`, signal).catch((error: unknown) => {
      failures += 1;
      // A service that is restarted goes on with the file.
      if (failures > POLL_FAILURES_MAX || signal.aborted) throw error;
      return undefined;
    });
    if (item === undefined) {
      await delay(POLL_FAILED_MS, undefined, { signal });
      continue;
    }
    failures = 0;
    const { status, progress, failure, result } = item;
    if (result) return result;
    if (status !== "queued" && status !== "processing")
      throw new Error(failure?.message ?? `the transcription is ${status}`);
    const { doneSeconds, durationSeconds } = progress;
    onProgress(doneSeconds * 1_000, durationSeconds === null ? undefined : durationSeconds * 1_000);
    await delay(POLL_MS, undefined, { signal });
  }
}

/** What the API says is wrong. */
function messageOf(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as {
      error?: { message?: string; details?: { path?: string; message?: string }[] };
    };
    const details = error?.details?.map(({ message = "" }) => message).filter((message) => message !== "") ?? [];
    return [error?.message, ...details].join(": ");
  } catch {
    return undefined;
  }
}
