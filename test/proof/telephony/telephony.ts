import { percentile } from "../../../src/core/calls/latency.ts";
import { hasPostgres } from "../../support/postgres/server.ts";
import { Random } from "../../support/random.ts";
import { setup as build } from "../../support/services/build.ts";
import type { Proof } from "../proof.ts";
import { writeSection } from "../results.ts";
import type { ObservedCarrier } from "./carriers.ts";
import { type ForgeryResult, forgeWebhooks } from "./forgeries.ts";
import { KillTrial, type KillTrialResult } from "./kill-trial.ts";
import { type LatencyResult, LatencyTrial } from "./latency.ts";
import { resultTables } from "./tables.ts";

// Telephone calls of the whole service at emulated carriers: under kills, under load, and with forged webhooks.

const FULL = { calls: 500, kills: 200, inboundCalls: 1_500, inboundPerSecond: 50, greetings: 60, forgeries: 10_000 };
const REDUCED = { calls: 40, kills: 12, inboundCalls: 30, inboundPerSecond: 10, greetings: 9, forgeries: 500 };
const PROBLEMS_SHOWN_MAX = 5;
const DOCUMENT_MS_MAX = 100;
const GREETING_MS_MAX = 300;

/** Places and receives calls. Writes the section "proof -- telephony" of bench/RESULTS.md. */
export async function proveTelephony(proof: Proof): Promise<void> {
  const { reduced, checks, seed } = proof;
  const { forgeries, ...size } = reduced ? REDUCED : FULL;
  // The services are those of the build.
  build();
  let forged: ForgeryResult = { sent: 0, accepted: [], statuses: {} };
  const forge = async (carriers: readonly ObservedCarrier[]): Promise<void> => {
    forged = await forgeWebhooks(carriers, forgeries, new Random(seed));
  };
  const measuring = new LatencyTrial(size).run(forge);
  // What is judged is measured on a machine with nothing else to do.
  if (!reduced) await measuring;
  const [latency, trials] = await Promise.all([measuring, runTrials(proof, size)]);
  checkLatency(proof, latency);
  checks.print(`  forged webhooks by the status of their answers: ${JSON.stringify(forged.statuses)}`);
  checks.check(
    `seed ${seed}: ${forged.sent} forged webhooks, accepted 0`,
    forged.accepted.slice(0, PROBLEMS_SHOWN_MAX).join("; "),
  );
  checkTrials(proof, trials);
  await writeSection(proof, "Telephony", "telephony", resultTables(trials, latency, forged));
}

/** Both stores at once: most of the time both wait for what is in doubt. */
async function runTrials(
  { checks, seed }: Proof,
  size: { calls: number; kills: number },
): Promise<readonly KillTrialResult[]> {
  const stores = (["SQLite", "Postgres"] as const).filter((store) => store === "SQLite" || hasPostgres);
  return await Promise.all(
    stores.map(async (store) => await new KillTrial({ store, ...size, seed }, checks.print).run()),
  );
}

function checkTrials({ checks, seed }: Proof, trials: readonly KillTrialResult[]): void {
  for (const { store, verdict, kills, calls } of trials) {
    const under = `${store}, seed ${seed}: ${calls} calls under ${kills} kills`;
    const claims: [string, readonly string[]][] = [
      ["placed twice 0", verdict.placedTwice],
      ["lost without a state 0", verdict.lost],
      ["`unknown` only where it cannot be known", verdict.wronglyUnknown],
      ["undisturbed ones end as the carrier saw", verdict.wrongEnds],
      ["no token before the answer, and none readable", verdict.leakedTokens],
    ];
    for (const [claim, problems] of claims) {
      checks.check(`${under}: ${claim}`, problems.slice(0, PROBLEMS_SHOWN_MAX).join("\n"));
    }
  }
  if (!hasPostgres) checks.skipped("Postgres: calls under kills", "PostgreSQL is not installed", 5);
}

/** The goals hold on a machine with nothing else to do, so only the full form is held to them. */
function checkLatency({ checks, reduced }: Proof, result: LatencyResult): void {
  const { inboundCalls, unanswered, documentMs, greetingMs, ungreeted } = result;
  const documentP99 = percentile(documentMs, 99);
  const greetingP90 = percentile(greetingMs, 90);
  checks.print(`  inbound webhook to its answer: p99 ${Math.round(documentP99)} ms of ${documentMs.length}`);
  checks.print(`  answer to the greeting's first frame: p90 ${Math.round(greetingP90)} ms of ${greetingMs.length}`);
  checks.check(
    `${inboundCalls} inbound calls, all answered; ${greetingMs.length} outbound calls, all greeted`,
    unanswered + ungreeted === 0 ? "" : `${unanswered} not answered, ${ungreeted} not greeted`,
  );
  if (reduced) return;
  checks.check(
    `inbound webhook to its answer, 50 a second: p99 at most ${DOCUMENT_MS_MAX} ms`,
    documentP99 <= DOCUMENT_MS_MAX ? "" : `${documentP99} ms`,
  );
  checks.check(
    `answer to the greeting's first frame: p90 at most ${GREETING_MS_MAX} ms`,
    greetingP90 <= GREETING_MS_MAX ? "" : `${greetingP90} ms`,
  );
}
