import type { CallTrialResult } from "./call-trial.ts";
import type { JobTrialResult } from "./jobs/trial.ts";

/** The body of the section "proof -- stores" of bench/RESULTS.md. */
export function resultTables(calls: readonly CallTrialResult[], jobs: readonly JobTrialResult[]): string {
  return [
    "Calls over a carrier's stream while processes are killed at random times; an endpoint of webhooks fails half the time,",
    "and accepts a part of what it fails. After the kills, deliveries that wait for a later attempt are made due at once.",
    "",
    ...callTable(calls),
    "",
    "Jobs of eight kinds while their runner, half of the time one of two, is killed at random times: quick and slow ones,",
    "some that fail half of their attempts or all of them, some with a deadline, some that end a call, whose transaction has",
    "another job in it, and one with a schedule. Those that always fail are dead, and those with a deadline of 3 s may be.",
    "",
    ...jobTable(jobs),
  ].join("\n");
}

function callTable(results: readonly CallTrialResult[]): string[] {
  const headings = [
    ...["store", "seed", "calls begun", "control process killed", "Postgres killed", "records lost"],
    ...["events doubled", "call.ended undelivered", "attempts", "problems of the oracle", "s"],
  ];
  const rows = results.map((result) => [
    ...[result.store, result.seed, result.begun, result.controlKills, result.postgresKills, result.lost],
    ...[result.doubled, result.undelivered, result.attempts, result.problems.length],
    Math.round(result.tookS),
  ]);
  return tableLines(headings, rows);
}

function jobTable(results: readonly JobTrialResult[]): string[] {
  const headings = [
    ...["store", "seed", "jobs", "runner killed", "attempts", "interrupted", "done", "dead as meant", "not done"],
    ...["effects doubled", "claimed twice", "stuck", "wrongly dead", "s"],
  ];
  const rows = results.map((result) => [
    ...[result.store, result.seed, result.accepted, result.kills, result.attempts, result.interrupted, result.done],
    ...[result.dead, result.missing, result.doubled, result.claimedTwice, result.stuck, result.wronglyDead],
    Math.round(result.tookS),
  ]);
  return tableLines(headings, rows);
}

const tableLines = (headings: readonly string[], rows: readonly (readonly (string | number)[])[]): string[] =>
  [headings, headings.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
