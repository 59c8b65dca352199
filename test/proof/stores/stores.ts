import { hasPostgres } from "../../support/postgres/server.ts";
import { setup as build } from "../../support/services/build.ts";
import type { Proof } from "../proof.ts";
import { writeSection } from "../results.ts";
import { CallTrial, type CallTrialResult } from "./call-trial.ts";
import { JobTrial, type JobTrialResult } from "./jobs/trial.ts";
import { problemsOf } from "./jobs/verdict.ts";
import { resultTables } from "./tables.ts";

// The stores under kills: of whole services with calls, and of runners of jobs.

const FULL = { calls: 1_000, kills: 200, runnerKills: 200 };
const REDUCED = { calls: 60, kills: 8, runnerKills: 10 };
const SEED = 1;
const PROBLEMS_SHOWN_MAX = 10;

/** Kills processes on each store. Writes the section "proof -- stores" of bench/RESULTS.md. */
export async function proveStores(proof: Proof): Promise<void> {
  const { reduced, checks } = proof;
  const { calls, kills, runnerKills } = reduced ? REDUCED : FULL;
  // The services under kills are those of the build.
  build();
  const callResults: CallTrialResult[] = [];
  const jobResults: JobTrialResult[] = [];
  for (const store of ["SQLite", "Postgres"] as const) {
    if (store === "Postgres" && !hasPostgres) {
      checks.skipped("Postgres: calls and jobs under kills", "PostgreSQL is not installed", 2);
      continue;
    }
    const ofCalls = await new CallTrial({ store, calls, kills, seed: SEED }, checks.print).run();
    callResults.push(ofCalls);
    checkCalls(proof, ofCalls);
    const ofJobs = await new JobTrial({ store, kills: runnerKills, seed: SEED }, checks.print).run();
    jobResults.push(ofJobs);
    checkJobs(proof, ofJobs);
  }
  await writeSection(proof, "Stores", "stores", resultTables(callResults, jobResults));
}

function checkCalls({ checks }: Proof, result: CallTrialResult): void {
  const { store, begun, controlKills, postgresKills, recorded, lost, doubled, undelivered, wrong, problems } = result;
  const seen = `${begun} begun, ${recorded} recorded, ${lost} lost, ${doubled} doubled, ${undelivered} undelivered, ${wrong} wrong`;
  const isRight = recorded === begun && lost + doubled + undelivered + wrong === 0;
  const judged = [...(isRight ? [] : [seen]), ...problems.slice(0, PROBLEMS_SHOWN_MAX)];
  checks.check(
    `${store}: ${begun} calls under ${controlKills + postgresKills} kills: records lost 0, doubled 0; one call.ended id for each, delivered; oracle clean`,
    judged.join("; "),
  );
}

function checkJobs({ checks }: Proof, result: JobTrialResult): void {
  const { store, kills, accepted } = result;
  checks.check(
    `${store}: ${accepted} jobs under ${kills} kills of their runner: every one done at least once, its effect once by id, none stuck`,
    problemsOf(result),
  );
}
