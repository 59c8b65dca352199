import type { Counts, Proof } from "./proof.ts";
import { writeSection } from "./results.ts";

/** Checks a part of an area; resolves with what its section says, in Markdown. */
export type ProofPart = (proof: Proof) => Promise<string>;

/**
 * Runs the parts of an area one after the other, or those that `--only` names, and writes the section of each as soon as it is over: a run
 * that is ended keeps what it has measured. A part that cannot be measured is a failed check, and the others go on.
 */
export async function runParts(
  proof: Proof,
  { area, title, parts }: { area: string; title: string; parts: Readonly<Record<string, ProofPart>> },
): Promise<void> {
  const { checks, only } = proof;
  for (const [name, part] of Object.entries(parts)) {
    if (only.length > 0 && !only.includes(name)) continue;
    checks.print(`${name}:`);
    const before = { ...checks.counts };
    try {
      const body = await part(proof);
      await writeSection(proof, `${title}: ${name}`, `${area} --only ${name}`, body, since(before, checks.counts));
    } catch (error) {
      checks.failed(name, error instanceof Error ? (error.stack ?? error.message) : String(error));
    }
  }
}

const since = (before: Counts, now: Counts): Counts => ({
  passed: now.passed - before.passed,
  failed: now.failed - before.failed,
  skipped: now.skipped - before.skipped,
});
