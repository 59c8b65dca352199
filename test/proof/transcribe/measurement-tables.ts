import type { LanguagesResult } from "./languages.ts";
import type { CapacityResult } from "./live/capacity.ts";
import type { LocalLatencyResult } from "./live/latency.ts";
import type { ProviderShareResult } from "./live/provider-share.ts";
import type { LocalBatchResult } from "./local/batch.ts";

const row = (...cells: (string | number)[]): string => `| ${cells.join(" | ")} |`;
const lines = (...all: string[]): string => all.join("\n");
const head = (...cells: string[]): string[] => [row(...cells), row(...cells.map(() => "---"))];

// What was measured of transcriptions, for bench/RESULTS.md.

export const batchTable = (batch: LocalBatchResult): string =>
  lines(
    `**Local engine, files**: utterances joined by the seed, ${batch.shares.people} % of people, ${batch.shares.eSpeak} % of eSpeak, ${batch.words} words.`,
    "",
    ...head(
      "s of audio",
      "word error, joined",
      "each alone",
      "times real time, two cores",
      "longer than the model alone",
    ),
    row(
      Math.round(batch.seconds),
      `${batch.joinedPercent.toFixed(2)} %`,
      `${batch.alonePercent.toFixed(2)} %`,
      batch.timesRealTime.toFixed(1),
      `${batch.overheadPercent.toFixed(0)} %`,
    ),
  );

export const latencyTable = (latency: readonly LocalLatencyResult[]): string =>
  lines(
    "**Local engine, live**: an interim after the end of its word, which is an estimate by the letters; a final after the end of its utterance.",
    "",
    ...head(
      "streams",
      "utterances up to",
      "utterances",
      "interim p90, ms",
      "final p90, ms",
      "late",
      "no words found",
      "word error",
      "as a file",
    ),
    ...latency.flatMap(({ streams, byLength, livePercent, filePercent }) =>
      byLength.map(({ upToS, utterances, interimP90Ms, finalP90Ms, unfinished, notUnderstood }) =>
        row(
          ...[streams, Number.isFinite(upToS) ? `${upToS} s` : "any", utterances],
          ...[Math.round(interimP90Ms), Math.round(finalP90Ms), unfinished.length, notUnderstood.length],
          ...[`${livePercent.toFixed(1)} %`, `${filePercent.toFixed(1)} %`],
        ),
      ),
    ),
  );

export const shareLine = ({ words, p50Ms, p90Ms }: ProviderShareResult): string =>
  `**Streaming provider, live**: ${words} words, an interim at the client ${p50Ms.toFixed(1)} ms (p90 ${p90Ms.toFixed(1)} ms) after the provider alone.`;

export const capacityLine = ({ each, streamsPerCore, callsPerCore }: CapacityResult): string =>
  `**Reference STT, by the worker's processor time for ${each} of each**: ${streamsPerCore.toFixed(0)} live streams a core, ${callsPerCore.toFixed(0)} calls a core.`;

export const languagesLine = ({ languages, problems }: LanguagesResult): string =>
  `**Languages**: ${languages} with STT=deepgram and eSpeak's voices, ${problems.length} problems.`;
