import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { percentile } from "../../../../src/core/calls/latency.ts";
import { comparableWords, wordErrorPercent, wordErrors } from "../../../../src/core/text/word-errors.ts";
import { estimateWordTimes } from "../../../../src/core/transcriptions/estimated-times.ts";
import type { TranscriptionResult } from "../../../../src/core/transcriptions/result.ts";
import { monoWav } from "../../../../src/media/wav.ts";
import { speechSpans } from "../../../../src/speech/stt/batch/speech-spans.ts";
import { LiveClient } from "../../../callers/live-client.ts";
import { Random } from "../../../support/random.ts";
import { KilledService } from "../../killed-service.ts";
import { type JoinedSpeech, RATE_HZ, type Utterance } from "../local/speech.ts";
import { framesOf, over } from "./streams.ts";

// How late interims and finals of the local engine are, in live streams of known utterances; and their words beside the same audio as a
// file.

/** One on each of two cores, which they share with the service and with the clients. */
const PROCESSES = 2;
/** Between two utterances: by then the final of the first has come. */
const PAUSE_S = 3;
const LENGTHS_S = [4, 8, Number.POSITIVE_INFINITY] as const;

export interface LatencyByLength {
  /** Utterances of up to so many seconds, longer than those of the row before. */
  upToS: number;
  utterances: number;
  /** From the end of a word until there is an interim or a final with as many words. */
  interimP90Ms: number;
  /** From the end of an utterance until its final. */
  finalP90Ms: number;
  /** What was said in utterances whose words were shown, and were not final before the next one began; and what came instead. */
  unfinished: readonly string[];
  /** What was said in utterances in which the model found no words: word errors, and nothing that is late. */
  notUnderstood: readonly string[];
}

export interface LocalLatencyResult {
  streams: number;
  byLength: readonly LatencyByLength[];
  /** Word error of the same audio, percent. */
  livePercent: number;
  filePercent: number;
}

interface Measured {
  said: string;
  /** What was shown of it, and when; empty where that is nothing. */
  came: string;
  lengthS: number;
  interimsMs: number[];
  finalMs: number | undefined;
}

/** So many streams at once, each of its own utterances, through one service with the local engine. */
export async function measureLocalLatency(
  speech: readonly Utterance[],
  { streams, seconds, seed }: { streams: number; seconds: number; seed: number },
): Promise<LocalLatencyResult> {
  const service = await KilledService.start("SQLite", { STT: "local", LOCAL_STT_PROCESSES: String(PROCESSES) });
  const random = new Random(seed);
  const all = Array.from({ length: streams }, () => spaced(speech, seconds, random.fork()));
  try {
    const live = await Promise.all(all.map((joined) => stream(service, joined)));
    const files: string[] = [];
    for (const joined of all) files.push(await asFile(service, joined));
    const said = all.map(({ utterances }) => utterances.flatMap(({ text }) => comparableWords(text)));
    const percent = (texts: readonly string[]): number =>
      wordErrorPercent(
        wordErrors(
          said.flat(),
          texts.flatMap((text) => comparableWords(text)),
        ),
      );
    return {
      streams,
      byLength: byLength(live.flatMap(({ measured }) => measured)),
      livePercent: percent(live.map(({ text }) => text)),
      filePercent: percent(files),
    };
  } finally {
    await service.remove();
  }
}

function spaced(all: readonly Utterance[], seconds: number, random: Random): JoinedSpeech {
  const utterances: (Utterance & { from: number })[] = [];
  let at = RATE_HZ;
  while (at < seconds * RATE_HZ) {
    const utterance = random.pick(all);
    utterances.push({ ...utterance, from: at });
    at += utterance.samples.length + PAUSE_S * RATE_HZ;
  }
  const samples = new Int16Array(at);
  for (const { samples: own, from } of utterances) samples.set(own, from);
  return { samples, utterances };
}

async function stream(service: KilledService, joined: JoinedSpeech): Promise<{ text: string; measured: Measured[] }> {
  const { websocketUrl } = await service.ask<{ websocketUrl: string }>("POST", "/transcriptions/live", {
    language: "en",
  });
  const client = new LiveClient(websocketUrl);
  const startMs = await client.speak(framesOf(joined.samples));
  await client.end();
  return { text: client.text, measured: measuredOf(client, joined, startMs) };
}

function measuredOf({ messages, arrivalsMs }: LiveClient, { utterances }: JoinedSpeech, startMs: number): Measured[] {
  return utterances.map(({ text, samples, from }, index) => {
    const fromMs = startMs + (1_000 * from) / RATE_HZ;
    const untilMs = startMs + (1_000 * (utterances[index + 1]?.from ?? Number.POSITIVE_INFINITY)) / RATE_HZ;
    const own = messages.flatMap((message, at) => {
      const atMs = arrivalsMs[at] as number;
      const isOwn = atMs >= fromMs && atMs < untilMs && (message.type === "interim" || message.type === "final");
      return isOwn && message.text !== "" ? [{ ...message, atMs }] : [];
    });
    const words = estimateWordTimes(text, speechSpans(samples), "en");
    const interimsMs = words.flatMap(({ endMs }, word) => {
      const shown = own.find((message) => (message.text ?? "").split(" ").length > word);
      return shown === undefined ? [] : [shown.atMs - fromMs - endMs];
    });
    const final = own.findLast(({ type }) => type === "final");
    const came = own.map(
      (message) => `${message.type} "${message.text}" after ${Math.round(message.atMs - fromMs)} ms`,
    );
    const lengthS = samples.length / RATE_HZ;
    return {
      said: text,
      came: came.join(", "),
      lengthS,
      interimsMs,
      finalMs: final && final.atMs - fromMs - 1_000 * lengthS,
    };
  });
}

const byLength = (all: readonly Measured[]): LatencyByLength[] =>
  LENGTHS_S.flatMap((upToS, index) => {
    const own = all.filter(({ lengthS }) => lengthS <= upToS && lengthS > (LENGTHS_S[index - 1] ?? 0));
    if (own.length === 0) return [];
    const finals = own.flatMap(({ finalMs }) => finalMs ?? []);
    const withoutFinal = own.filter(({ finalMs }) => finalMs === undefined);
    return [
      {
        upToS,
        utterances: own.length,
        interimP90Ms: percentile(
          own.flatMap(({ interimsMs }) => interimsMs),
          90,
        ),
        finalP90Ms: percentile(finals, 90),
        unfinished: withoutFinal.flatMap(({ said, came }) => (came === "" ? [] : [`"${said}": ${came}`])),
        notUnderstood: withoutFinal.flatMap(({ said, came }) => (came === "" ? [said] : [])),
      },
    ];
  });

async function asFile(service: KilledService, { samples }: JoinedSpeech): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "trunkline-live-"));
  try {
    const path = join(folder, "live.wav");
    writeFileSync(path, monoWav(samples, RATE_HZ));
    const { id } = await service.upload<{ id: string }>("/transcriptions", path, { language: "en" });
    return ((await over(service, id)) as { result: TranscriptionResult }).result.text;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
