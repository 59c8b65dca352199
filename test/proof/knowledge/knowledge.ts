import { RETRIEVAL_WAIT_MS_MAX } from "../../../src/core/limits/knowledge/call-knowledge.ts";
import { hasPostgres } from "../../support/postgres/server.ts";
import { setup as build } from "../../support/services/build.ts";
import { checkUndisturbed, interferenceLine } from "../interference.ts";
import type { StoreName } from "../killed-service.ts";
import { type ProofPart, runParts } from "../parts.ts";
import type { Proof } from "../proof.ts";
import { type AnalysedCallsResult, AnalysedCallsTrial } from "./analysed-calls.ts";
import { type AnswersResult, type AnswerWaits, measureAnswers } from "./answers.ts";
import { measureIngestionInterference } from "./interference.ts";
import { KillTrial, type KillTrialResult } from "./kill-trial.ts";
import { measureQuestionInterference } from "./questions.ts";
import type { KillVerdict } from "./verdict.ts";

// Corpora and what depends on them. Each part checks what it has found, and returns its table.

const FULL = { documents: { documents: 2_000, kills: 200 }, calls: { calls: 500, kills: 200 } };
const REDUCED = { documents: { documents: 30, kills: 6 }, calls: { calls: 8, kills: 3 } };
const SHOWN_MAX = 5;
const WORK = "PDFs of 20 pages";

/** What retrieval may add to the delay of an answer, ms. */
const SHARE_P90_MS_MAX = 10;
/** Of the questions: the others are answered with passages to earlier words. */
const ANSWERED_SHARE_MIN = 0.9;

/** Those come first that are judged by their time. */
const PARTS: Readonly<Record<string, ProofPart>> = {
  calls: callsBesideDocuments,
  questions: callsBesideQuestions,
  answers: answersFromDocuments,
  documents: documentsUnderKills,
  analyses: analysedCallsUnderKills,
};

export const KNOWLEDGE_PARTS: readonly string[] = Object.keys(PARTS);

/** Writes a section of bench/RESULTS.md for each part. */
export async function proveKnowledge(proof: Proof): Promise<void> {
  build();
  await runParts(proof, { area: "knowledge", title: "Knowledge", parts: PARTS });
}

async function callsBesideDocuments(proof: Proof): Promise<string> {
  const { checks, reduced } = proof;
  const result = await measureIngestionInterference({ reduced, print: checks.print });
  checkUndisturbed(proof, result, WORK);
  return interferenceLine(result, WORK);
}

async function callsBesideQuestions(proof: Proof): Promise<string> {
  const { checks, reduced, seed } = proof;
  const result = await measureQuestionInterference({ reduced, seed, print: checks.print });
  const beside = "questions to a corpus, as many as are answered";
  checkUndisturbed(proof, result, "questions", beside);
  return `${interferenceLine(result, "questions")} The corpus has ${reduced ? "few" : "20,000"} chunks, and 8 questions of twelve words are asked at a time.`;
}

async function answersFromDocuments(proof: Proof): Promise<string> {
  const { checks, reduced, seed } = proof;
  const result = await measureAnswers({ reduced, seed, print: checks.print });
  // Few questions say nothing about a percentile.
  if (!reduced) {
    const { p90Ms } = result.spoken.share;
    checks.check(
      `passages to all words of a spoken question are there within ${SHARE_P90_MS_MAX} ms of its end at p90`,
      p90Ms <= SHARE_P90_MS_MAX ? "" : `${p90Ms} ms`,
    );
  }
  for (const [what, { asked, answered }] of Object.entries({ spoken: result.spoken, typed: result.typed })) {
    const least = Math.ceil(asked * ANSWERED_SHARE_MIN);
    checks.check(
      `at least ${least} of ${asked} ${what} questions were answered with passages to all of their words`,
      answered >= least ? "" : `${answered} were`,
    );
  }
  return answersTable(result, seed);
}

async function documentsUnderKills(proof: Proof): Promise<string> {
  const { checks, reduced, seed } = proof;
  const size = (reduced ? REDUCED : FULL).documents;
  const trials: KillTrialResult[] = [];
  for (const store of storesOf(proof, "documents under kills")) {
    const trial = await new KillTrial({ store, ...size, seed }, checks.print).run();
    trials.push(trial);
    const { documents, killed, verdict } = trial;
    const what = `${store}, seed ${seed}: ${documents} documents under ${killed} kills`;
    checks.check(`${what}: lost 0, stuck 0, doubled 0, an event of each`, problemsOf(verdict));
  }
  return killTable(trials);
}

async function analysedCallsUnderKills(proof: Proof): Promise<string> {
  const { checks, reduced, seed } = proof;
  const size = (reduced ? REDUCED : FULL).calls;
  const trials = storesOf(proof, "analysed calls under kills").map(
    (store) => new AnalysedCallsTrial({ store, ...size, seed }, checks.print),
  );
  try {
    // One store after the other, where time is short. The last attempts of an analysis are half an hour apart: all stores wait at once.
    for (const trial of trials) await trial.hold();
    const results = await Promise.all(trials.map((trial) => trial.settle()));
    for (const { store, analysed, killed, verdict } of results) {
      const what = `${store}, seed ${seed}: ${analysed} analysed calls under ${killed} kills`;
      checks.check(`${what}: lost 0, stuck 0, doubled 0, an event of each`, problemsOf(verdict));
    }
    return analysisTable(results);
  } finally {
    for (const trial of trials) await trial.remove();
  }
}

/** The stores that are here. */
function storesOf({ checks }: Proof, what: string): readonly StoreName[] {
  if (hasPostgres) return ["SQLite", "Postgres"];
  checks.skipped(`Postgres: ${what}`, "PostgreSQL is not installed", 1);
  return ["SQLite"];
}

/** The first of what was found; empty where nothing was. */
function problemsOf({ lost, stuck, doubled, unannounced }: KillVerdict): string {
  const found = [
    ...lost.map((what) => `lost ${what}`),
    ...stuck.map((what) => `stuck ${what}`),
    ...doubled.map((what) => `doubled ${what}`),
    ...unannounced.map((id) => `no event of ${id}`),
  ];
  return found.slice(0, SHOWN_MAX).join("; ");
}

const row = (...cells: (string | number)[]): string => `| ${cells.join(" | ")} |`;

function answersTable({ chunks, callsAtOnce, spoken, typed }: AnswersResult, seed: number): string {
  const waits = (what: string, { asked, answered, share, search }: AnswerWaits): string =>
    row(
      ...[what, `${answered} of ${asked}`],
      ...[share.p50Ms, share.p90Ms, share.maxMs, search.p50Ms, search.p90Ms].map((ms) => `${ms} ms`),
    );
  return [
    `**Answers**, seed ${seed}: calls, ${callsAtOnce} at once on one machine, ask a corpus of ${chunks} chunks one question of twelve words each,`,
    'with retrieval: "always". Where it is spoken, interim transcripts of the reference STT, which makes no mistakes, start the search; a typed',
    "one comes at once, so that its search starts as late as one that waits for the final transcript. The share is the time from the end of the",
    `turn until the passages to all of its words were there; an answer that has passages to earlier words goes on without them after ${RETRIEVAL_WAIT_MS_MAX} ms.`,
    "",
    row("questions", "answered with passages to all words", "share p50", "p90", "longest", "search p50", "p90"),
    row("---", "---", "---", "---", "---", "---", "---"),
    waits("spoken", spoken),
    waits("typed", typed),
  ].join("\n");
}

function killTable(trials: readonly KillTrialResult[]): string {
  return [
    "**Kills**: short documents in five formats, one in twenty of which cannot be read, are uploaded and processed, while the control process,",
    "the process that reads, the one that finds passages, or the whole service is killed at random times. At the end a question finds each.",
    "",
    row("store", "documents", "kills", "lost", "stuck", "doubled", "without an event", "s"),
    row("---", "---", "---", "---", "---", "---", "---", "---"),
    ...trials.map(({ store, documents, killed, verdict, tookS }) =>
      row(
        store,
        documents,
        killed,
        verdict.lost.length,
        verdict.stuck.length,
        verdict.doubled.length,
        verdict.unannounced.length,
        Math.round(tookS),
      ),
    ),
  ].join("\n");
}

function analysisTable(trials: readonly AnalysedCallsResult[]): string {
  return [
    "**Analysed calls**: calls of one typed sentence, analysed after their ends by a fake LLM that refuses some requests, while the control",
    "process, the media worker, or the whole service is killed at random times. A call whose stream did not begin has expired, and does not count.",
    "",
    row(
      "store",
      "calls",
      "of these over",
      "kills",
      "lost",
      "stuck",
      "doubled",
      "without an event",
      "answered again",
      "s",
    ),
    row("---", "---", "---", "---", "---", "---", "---", "---", "---", "---"),
    ...trials.map(({ store, calls, analysed, killed, verdict, answeredAgain, tookS }) =>
      row(
        store,
        calls,
        analysed,
        killed,
        verdict.lost.length,
        verdict.stuck.length,
        verdict.doubled.length,
        verdict.unannounced.length,
        answeredAgain,
        Math.round(tookS),
      ),
    ),
  ].join("\n");
}
