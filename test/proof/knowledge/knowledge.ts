import { hasPostgres } from "../../support/postgres/server.ts";
import { setup as build } from "../../support/services/build.ts";
import type { StoreName } from "../killed-service.ts";
import type { Proof } from "../proof.ts";
import { writeSection } from "../results.ts";
import { KillTrial, type KillTrialResult } from "./kill-trial.ts";

// Corpora and what depends on them. Each part checks what it has found, and returns its table.

const FULL = { documents: 2_000, kills: 200 };
const REDUCED = { documents: 30, kills: 6 };
const SHOWN_MAX = 5;

/** A part of the proof: it checks, and returns what the section says of it, in Markdown. */
type Part = (proof: Proof) => Promise<string>;

const PARTS: readonly Part[] = [documentsUnderKills];

/** Writes the section "proof -- knowledge" of bench/RESULTS.md. */
export async function proveKnowledge(proof: Proof): Promise<void> {
  build();
  const texts: string[] = [];
  for (const part of PARTS) texts.push(await part(proof));
  await writeSection(proof, "Knowledge", "knowledge", texts.join("\n\n"));
}

async function documentsUnderKills({ checks, reduced, seed }: Proof): Promise<string> {
  const { documents, kills } = reduced ? REDUCED : FULL;
  const stores = (["SQLite", "Postgres"] as const).filter((store) => store === "SQLite" || hasPostgres);
  if (!hasPostgres) checks.skipped("Postgres: documents under kills", "PostgreSQL is not installed", 1);
  const run = (store: StoreName) => new KillTrial({ store, documents, kills, seed }, checks.print).run();
  const trials = await Promise.all(stores.map(run));
  for (const { store, killed, verdict } of trials) {
    const { lost, stuck, doubled, unannounced } = verdict;
    const found = [
      ...lost.map((what) => `lost ${what}`),
      ...stuck.map((what) => `stuck ${what}`),
      ...doubled.map((what) => `doubled ${what}`),
      ...unannounced.map((id) => `no event of ${id}`),
    ];
    checks.check(
      `${store}, seed ${seed}: ${documents} documents under ${killed} kills: lost 0, stuck 0, doubled 0, an event of each`,
      found.slice(0, SHOWN_MAX).join("; "),
    );
  }
  return killTable(trials);
}

function killTable(trials: readonly KillTrialResult[]): string {
  const row = (...cells: (string | number)[]): string => `| ${cells.join(" | ")} |`;
  return [
    "**Kills**: short documents in five formats, one in twenty of which cannot be read, are uploaded and processed, while the control process,",
    "the process that reads, or the whole service is killed at random times.",
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
