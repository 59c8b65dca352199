import { release } from "node:os";
import { describeMachine } from "../../bench/harness/machine.ts";
import { writeResults } from "../../bench/harness/results-file.ts";
import { commitHere } from "./checkout.ts";
import { type Counts, countsText, type Proof } from "./proof.ts";

/**
 * Replaces a section of bench/RESULTS.md by what an area, or a part of it, has found, below what it was found with; unless the counts go
 * elsewhere. `counts`: of the checks that the section is of.
 */
export async function writeSection(
  proof: Proof,
  title: string,
  area: string,
  body: string,
  counts: Counts = proof.checks.counts,
): Promise<void> {
  if (!proof.writesResults) return;
  writeResults(title, `${preamble(proof, area, await commitHere(proof.cache), counts)}\n${body}`);
}

/** Which form of which area, of which commit, when and on which machine, and how many checks ended how. */
export function preamble(
  { reduced, seed }: Pick<Proof, "reduced" | "seed">,
  area: string,
  commit: string,
  counts: Counts,
): string {
  const { cpu, cores, memoryGiB, measuredAt } = describeMachine();
  const command = `npm run proof -- ${area}${reduced ? " --reduced" : ""}${seed === 1 ? "" : ` --seed ${seed}`}`;
  const machine = `${cpu}, ${cores} cores, ${memoryGiB} GiB, Linux ${release()}`;
  // In one line: two areas may have the same counts, and no line of a page is there twice.
  return `\`${command}\`, commit ${commit}, ${measuredAt.slice(0, 10)}, ${machine}. Tests and checks: ${countsText(counts)}.`;
}
