import { hasPostgres } from "../../support/postgres/server.ts";
import { setup as build } from "../../support/services/build.ts";
import { joinProblems } from "../../support/transcription/join-check.ts";
import { type ProofPart, runParts } from "../parts.ts";
import type { Proof } from "../proof.ts";
import { KillTrial, type KillTrialResult } from "./kill-trial.ts";
import { type LongFileResult, transcribeLongFiles } from "./long-file.ts";
import { MEASUREMENTS } from "./measurements.ts";

// Transcriptions: the boundaries of parts, under kills, very long files, and what is measured of files and of live streams.

const FULL = { boundaries: 10_000, jobs: 300, kills: 200, hours: 4 };
const REDUCED = { boundaries: 1_000, jobs: 8, kills: 5, hours: 0.1 };
const MEMORY_MB_MAX = 300;
/** The database, its log and the service's own log. */
const DISK_MB_MAX = 200;
const SHOWN_MAX = 5;

const PARTS: Readonly<Record<string, ProofPart>> = {
  boundaries,
  kills: filesUnderKills,
  "long-files": longFiles,
  ...MEASUREMENTS,
};

export const TRANSCRIBE_PARTS: readonly string[] = Object.keys(PARTS);

/** Writes a section of bench/RESULTS.md for each part. */
export async function proveTranscriptions(proof: Proof): Promise<void> {
  build();
  await runParts(proof, { area: "transcribe", title: "Transcriptions", parts: PARTS });
}

const sizeOf = ({ reduced }: Proof): typeof FULL => (reduced ? REDUCED : FULL);

async function boundaries(proof: Proof): Promise<string> {
  const cases = sizeOf(proof).boundaries;
  const problems = joinProblems(cases, proof.seed);
  proof.checks.check(
    `${cases} cases of parts that overlap: words lost 0, doubled 0`,
    problems.slice(0, SHOWN_MAX).join("; "),
  );
  return `**Boundaries**: ${cases} random recordings, cut anywhere, word times off by up to 200 ms: ${problems.length} with a word lost or doubled.`;
}

async function filesUnderKills(proof: Proof): Promise<string> {
  const { checks, seed } = proof;
  const { jobs, kills } = sizeOf(proof);
  const stores = (["SQLite", "Postgres"] as const).filter((store) => store === "SQLite" || hasPostgres);
  if (!hasPostgres) checks.skipped("Postgres: files under kills", "PostgreSQL is not installed", 1);
  const trials: KillTrialResult[] = [];
  for (const store of stores) trials.push(await new KillTrial({ store, jobs, kills, seed }, checks.print).run());
  for (const trial of trials) checkTrial(proof, trial);
  return killTable(trials);
}

async function longFiles(proof: Proof): Promise<string> {
  const files = await transcribeLongFiles(sizeOf(proof).hours, proof.checks.print);
  for (const file of files) checkFile(proof, file);
  return fileTable(files);
}

function checkTrial({ checks, seed }: Proof, { store, jobs, kills, verdict }: KillTrialResult): void {
  const { lost, doubled, unannounced, askedAgain, costly, uncounted } = verdict;
  const found = [
    ...lost.map((id) => `lost ${id}`),
    ...doubled.map((id) => `doubled ${id}`),
    ...unannounced.map((id) => `no event of ${id}`),
    ...askedAgain.map((part) => `asked again for ${part}`),
    ...costly.map((time) => `more parts asked for again after the kill of ${time} than can be in flight`),
    ...(uncounted > 0 ? [`${uncounted} requests are not counted`] : []),
  ];
  checks.check(
    `${store}, seed ${seed}: ${jobs} files under ${kills} kills: lost 0, doubled 0, an event of each, stored parts asked for again 0, every request counted`,
    found.slice(0, SHOWN_MAX).join("; "),
  );
}

function checkFile({ checks }: Proof, file: LongFileResult): void {
  const { kind, hours, status, words, wholeWords, saidWords, memoryMB, diskMB } = file;
  const expectedWords = wholeWords ?? saidWords;
  const found = [
    ...(status === "completed" ? [] : [`it is ${status}`]),
    ...(words === expectedWords ? [] : [`${words} words of ${expectedWords}`]),
    ...(memoryMB <= MEMORY_MB_MAX ? [] : [`${Math.round(memoryMB)} MB of memory`]),
    ...(diskMB <= DISK_MB_MAX ? [] : [`${Math.round(diskMB)} MB of the disk beside the file`]),
  ];
  checks.check(
    `${kind} of ${hours} h in two channels: completed, every word, at most ${MEMORY_MB_MAX} MB more`,
    found.join("; "),
  );
}

const row = (...cells: (string | number)[]): string => `| ${cells.join(" | ")} |`;

function killTable(trials: readonly KillTrialResult[]): string {
  return [
    "**Kills**: files of four parts each, transcribed by a fake server that refuses 3 % of the requests, while the control process, the",
    "transcriber or the whole service is killed at random times.",
    "",
    row("store", "files", "kills", "lost", "doubled", "asked again", "requests", "counted", "s"),
    row("---", "---", "---", "---", "---", "---", "---", "---", "---"),
    ...trials.map(({ store, jobs, kills, verdict, tookS }) =>
      row(
        store,
        jobs,
        kills,
        verdict.lost.length,
        verdict.doubled.length,
        verdict.askedAgain.length,
        verdict.requests,
        verdict.counted,
        Math.round(tookS),
      ),
    ),
  ].join("\n");
}

function fileTable(files: readonly LongFileResult[]): string {
  return [
    "**Long files**: two channels that take turns, the reference STT. Memory: all processes of the service,",
    "beyond what they had before, when its spare processes were loaded; pages that they share count once. Opus spoils the watermark of",
    "a few words: of that file every word must be there that the reference STT has of it as a whole, not cut.",
    "",
    row("file", "h", "MB", "words", "not cut", "said", "memory, MB", "disk beside it, MB", "s", "FFmpeg alone, s"),
    row("---", "---", "---", "---", "---", "---", "---", "---", "---", "---"),
    ...files.map(({ kind, hours, fileMB, words, wholeWords, saidWords, memoryMB, diskMB, tookS, decodedS }) =>
      row(
        kind,
        hours,
        Math.round(fileMB),
        words,
        wholeWords ?? "-",
        saidWords,
        Math.round(memoryMB),
        Math.round(diskMB),
        Math.round(tookS),
        decodedS === undefined ? "-" : Math.round(decodedS),
      ),
    ),
  ].join("\n");
}
