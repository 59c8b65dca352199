import { monoWav } from "../../../src/media/wav.ts";
import { Random } from "../../support/random.ts";
import { checkUndisturbed, interferenceLine } from "../interference.ts";
import type { ProofPart } from "../parts.ts";
import type { Proof } from "../proof.ts";
import { measureBatchInterference } from "./interference.ts";
import { type LanguagesResult, proveLanguages } from "./languages.ts";
import { type CapacityResult, measureCapacity } from "./live/capacity.ts";
import { type LocalLatencyResult, measureLocalLatency } from "./live/latency.ts";
import { measureProviderShare, type ProviderShareResult } from "./live/provider-share.ts";
import { type LocalBatchResult, transcribeLocally } from "./local/batch.ts";
import { joinSpeech, RATE_HZ, readSpeech, type Utterance } from "./local/speech.ts";
import { batchTable, capacityLine, languagesLine, latencyTable, shareLine } from "./measurement-tables.ts";

// What is measured of transcriptions, and judged by the goals: they hold on a machine with nothing else to do, so only the full form is
// held to those of time.

const FULL = {
  batchS: 3_600,
  liveS: 300,
  repeats: 20,
  each: 40,
  capacityS: 30,
  fileS: 1_200,
  streamsPerCore: 4,
  languages: 1_000,
};
const REDUCED = {
  batchS: 40,
  liveS: 20,
  repeats: 2,
  each: 4,
  capacityS: 4,
  fileS: 120,
  streamsPerCore: 1,
  languages: 3,
};
const CORES = 2;

const JOINED_POINTS_MAX = 0.5;
const TIMES_REAL_TIME_MIN = 8;
const OVERHEAD_PERCENT_MAX = 10;
const INTERIM_MS_MAX = 900;
const FINAL_MS_MAX = 600;
/** The goals of interims and finals speak of utterances up to this length; of longer ones the figures are stated. */
const GOAL_UTTERANCE_S = 4;
const LIVE_POINTS_MAX = 2;
const SHARE_MS_MAX = 30;
const LANGUAGES_MIN = 50;
/** A short recording has few words. */
const REDUCED_POINTS_MAX = 15;

/** What is measured of transcriptions, by the names of the parts. Each resolves with its table, in Markdown. */
export const MEASUREMENTS: Readonly<Record<string, ProofPart>> = {
  "local-files": localFiles,
  "local-live": localLive,
  capacity,
  calls: callsBesideFiles,
  languages,
  provider: providerShare,
};

const sizeOf = ({ reduced }: Proof): typeof FULL => (reduced ? REDUCED : FULL);
const speechOf = ({ cache, reduced, checks }: Proof): Promise<Utterance[]> => readSpeech(cache, reduced, checks.print);

async function localFiles(proof: Proof): Promise<string> {
  const speech = await speechOf(proof);
  const batch = await transcribeLocally(speech, sizeOf(proof).batchS, proof.seed, proof.checks.print);
  checkBatch(proof, batch);
  return batchTable(batch);
}

async function localLive(proof: Proof): Promise<string> {
  const speech = await speechOf(proof);
  const { streamsPerCore, liveS } = sizeOf(proof);
  const results: LocalLatencyResult[] = [];
  for (const streams of [1, streamsPerCore * CORES]) {
    proof.checks.print(`  ${streams} at once:`);
    const result = await measureLocalLatency(speech, { streams, seconds: liveS, seed: proof.seed });
    checkLatency(proof, result);
    results.push(result);
  }
  return latencyTable(results);
}

async function capacity(proof: Proof): Promise<string> {
  const [{ samples }] = (await speechOf(proof)) as [Utterance];
  const { each, capacityS: seconds } = sizeOf(proof);
  const result = await measureCapacity(samples, { each, seconds });
  checkCapacity(proof, result);
  return capacityLine(result);
}

async function callsBesideFiles(proof: Proof): Promise<string> {
  const { reduced, checks, seed } = proof;
  const { samples } = joinSpeech(await speechOf(proof), sizeOf(proof).fileS, new Random(seed));
  const result = await measureBatchInterference(monoWav(samples, RATE_HZ), { reduced, print: checks.print });
  checkUndisturbed(proof, result, "files");
  return interferenceLine(result, "files");
}

async function languages(proof: Proof): Promise<string> {
  const result = await proveLanguages(sizeOf(proof).languages);
  checkLanguages(proof, result);
  return languagesLine(result);
}

async function providerShare(proof: Proof): Promise<string> {
  const result = await measureProviderShare(sizeOf(proof).repeats);
  checkShare(proof, result);
  return shareLine(result);
}

function checkBatch({ checks, reduced }: Proof, result: LocalBatchResult): void {
  const { joinedPercent, alonePercent, timesRealTime, overheadPercent } = result;
  const points = joinedPercent - alonePercent;
  const pointsMax = reduced ? REDUCED_POINTS_MAX : JOINED_POINTS_MAX;
  const measured = `${joinedPercent.toFixed(1)} %, ${alonePercent.toFixed(1)} % alone`;
  checks.print(
    `  word error ${measured}; ${timesRealTime.toFixed(1)}x real time; ${overheadPercent.toFixed(0)} % over the model`,
  );
  checks.check(
    `local engine, ${Math.round(result.seconds)} s cut and joined: word error at most ${pointsMax} points above each utterance alone`,
    points <= pointsMax ? "" : measured,
  );
  if (reduced) return;
  checks.check(
    `local engine, files: at least ${TIMES_REAL_TIME_MIN}x real time on two cores`,
    timesRealTime >= TIMES_REAL_TIME_MIN ? "" : `${timesRealTime.toFixed(1)}x`,
  );
  checks.check(
    `local engine, files: at most ${OVERHEAD_PERCENT_MAX} % longer than the model alone`,
    overheadPercent <= OVERHEAD_PERCENT_MAX ? "" : `${overheadPercent.toFixed(1)} %`,
  );
}

function checkLatency({ checks, reduced }: Proof, result: LocalLatencyResult): void {
  const { streams, byLength, livePercent, filePercent } = result;
  for (const { upToS, utterances, interimP90Ms, finalP90Ms, unfinished, notUnderstood } of byLength) {
    const late = `interim p90 ${Math.round(interimP90Ms)} ms, final p90 ${Math.round(finalP90Ms)} ms`;
    checks.print(`  utterances up to ${upToS} s: ${utterances}, ${late}, ${unfinished.length} without a final in time`);
    for (const said of unfinished) checks.print(`    without one: ${said}`);
    for (const said of notUnderstood) checks.print(`    the model found no words in it: ${said}`);
    if (reduced || upToS > GOAL_UTTERANCE_S) continue;
    checks.check(
      `local engine, ${streams} live streams, utterances up to ${upToS} s: interim p90 at most ${INTERIM_MS_MAX} ms after the word, final at most ${FINAL_MS_MAX} ms after the utterance`,
      interimP90Ms <= INTERIM_MS_MAX && finalP90Ms <= FINAL_MS_MAX && unfinished.length === 0 ? "" : late,
    );
  }
  const apart = Math.abs(livePercent - filePercent);
  const measured = `live ${livePercent.toFixed(1)} %, as a file ${filePercent.toFixed(1)} %`;
  checks.print(`  word error ${measured}`);
  const pointsMax = reduced ? REDUCED_POINTS_MAX : LIVE_POINTS_MAX;
  checks.check(
    `local engine, ${streams} live streams: word error at most ${pointsMax} points from the same audio as a file`,
    apart <= pointsMax ? "" : measured,
  );
}

function checkCapacity({ checks, reduced }: Proof, { each, streamsPerCore, callsPerCore }: CapacityResult): void {
  const measured = `${streamsPerCore.toFixed(0)} streams, ${callsPerCore.toFixed(0)} calls a core, by ${each} of each`;
  checks.print(`  ${measured}`);
  if (reduced) return;
  checks.check(
    "reference STT: at least as many live streams a core as calls",
    streamsPerCore >= callsPerCore ? "" : measured,
  );
}

function checkLanguages({ checks }: Proof, { languages, problems }: LanguagesResult): void {
  checks.check(
    `STT=deepgram with eSpeak's voices: at least ${LANGUAGES_MIN} languages`,
    languages >= LANGUAGES_MIN ? "" : `${languages}`,
  );
  checks.check(
    "each is heard and spoken, and is the language that the provider is given",
    problems.slice(0, 5).join("; "),
  );
}

function checkShare({ checks, reduced }: Proof, { words, p50Ms, p90Ms }: ProviderShareResult): void {
  const measured = `p50 ${p50Ms.toFixed(1)} ms, p90 ${p90Ms.toFixed(1)} ms of ${words} words`;
  checks.print(`  our share: ${measured}`);
  if (reduced) return;
  checks.check(
    `streaming provider, live: our share of an interim p90 at most ${SHARE_MS_MAX} ms`,
    p90Ms <= SHARE_MS_MAX ? "" : measured,
  );
}
