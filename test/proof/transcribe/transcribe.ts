import { hasPostgres } from "../../support/postgres/server.ts";
import { setup as build } from "../../support/services/build.ts";
import { joinProblems } from "../../support/transcription/join-check.ts";
import type { StoreName } from "../killed-service.ts";
import type { Proof } from "../proof.ts";
import { writeSection } from "../results.ts";
import { KillTrial, type KillTrialResult } from "./kill-trial.ts";
import { type LongFileResult, transcribeLongFiles } from "./long-file.ts";
import { measurementTables } from "./measurement-tables.ts";
import { measure } from "./measurements.ts";

// Transcriptions: the boundaries of parts, under kills, very long files, and what is measured of files and of live streams.

const FULL = { boundaries: 10_000, jobs: 300, kills: 200, hours: 4 };
const REDUCED = { boundaries: 1_000, jobs: 8, kills: 5, hours: 0.1 };
const MEMORY_MB_MAX = 300;
/** The database, its log and the service's own log. */
const DISK_MB_MAX = 200;
const SHOWN_MAX = 5;

/** Writes the section "proof -- transcribe" of bench/RESULTS.md. */
export async function proveTranscriptions(proof: Proof): Promise<void> {
  const { reduced, checks, seed } = proof;
  const size = reduced ? REDUCED : FULL;
  build();
  const problems = joinProblems(size.boundaries, seed);
  checks.check(
    `${size.boundaries} cases of parts that overlap: words lost 0, doubled 0`,
    problems.slice(0, SHOWN_MAX).join("; "),
  );
  const stores = (["SQLite", "Postgres"] as const).filter((store) => store === "SQLite" || hasPostgres);
  if (!hasPostgres) checks.skipped("Postgres: files under kills", "PostgreSQL is not installed", 1);
  const run = (store: StoreName) =>
    new KillTrial({ store, jobs: size.jobs, kills: size.kills, seed }, checks.print).run();
  const trials: KillTrialResult[] = await Promise.all(stores.map(run));
  for (const trial of trials) checkTrial(proof, trial);
  const files = await transcribeLongFiles(size.hours, checks.print);
  for (const file of files) checkFile(proof, file);
  const measured = await measure(proof);
  const text = [tables(size.boundaries, problems.length, trials, files), ...measurementTables(measured)].join("\n");
  await writeSection(proof, "Transcriptions", "transcribe", text);
}

function checkTrial({ checks, seed }: Proof, { store, jobs, kills, verdict }: KillTrialResult): void {
  const { lost, doubled, unannounced, askedAgain, uncounted } = verdict;
  const found = [
    ...lost.map((id) => `lost ${id}`),
    ...doubled.map((id) => `doubled ${id}`),
    ...unannounced.map((id) => `no event of ${id}`),
    ...askedAgain.map((part) => `asked again for ${part}`),
    ...(uncounted > 0 ? [`${uncounted} requests are not counted`] : []),
  ];
  checks.check(
    `${store}, seed ${seed}: ${jobs} files under ${kills} kills: lost 0, doubled 0, an event of each, stored parts asked for again 0, every request counted`,
    found.slice(0, SHOWN_MAX).join("; "),
  );
}

function checkFile({ checks }: Proof, file: LongFileResult): void {
  const { kind, hours, status, words, saidWords, memoryMB, diskMB } = file;
  const found = [
    ...(status === "completed" ? [] : [`it is ${status}`]),
    ...(words === saidWords ? [] : [`${words} words of ${saidWords}`]),
    ...(memoryMB <= MEMORY_MB_MAX ? [] : [`${Math.round(memoryMB)} MB of memory`]),
    ...(diskMB <= DISK_MB_MAX ? [] : [`${Math.round(diskMB)} MB of the disk beside the file`]),
  ];
  checks.check(
    `${kind} of ${hours} h in two channels: completed, every word, at most ${MEMORY_MB_MAX} MB more`,
    found.join("; "),
  );
}

function tables(
  boundaries: number,
  problems: number,
  trials: readonly KillTrialResult[],
  files: readonly LongFileResult[],
): string {
  const row = (...cells: (string | number)[]): string => `| ${cells.join(" | ")} |`;
  return [
    `**Boundaries**: ${boundaries} random recordings, cut anywhere, word times off by up to 200 ms: ${problems} with a word lost or doubled.`,
    "",
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
    "",
    "**Long files**: two channels that take turns, the reference STT. Memory: all processes of the service,",
    "beyond what they had before, when its spare processes were loaded; pages that they share count once.",
    "",
    row("file", "h", "MB", "words", "said", "memory, MB", "disk beside it, MB", "s", "FFmpeg alone, s"),
    row("---", "---", "---", "---", "---", "---", "---", "---", "---"),
    ...files.map(({ kind, hours, fileMB, words, saidWords, memoryMB, diskMB, tookS, decodedS }) =>
      row(
        kind,
        hours,
        Math.round(fileMB),
        words,
        saidWords,
        Math.round(memoryMB),
        Math.round(diskMB),
        Math.round(tookS),
        decodedS === undefined ? "-" : Math.round(decodedS),
      ),
    ),
  ].join("\n");
}
