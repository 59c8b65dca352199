import { release } from "node:os";
import { describeMachine } from "../../bench/harness/machine.ts";
import { writeResults } from "../../bench/harness/results-file.ts";
import { commitHere } from "./checkout.ts";
import { countsText, type Proof } from "./proof.ts";

/** Replaces a section of bench/RESULTS.md by what an area has found, below what it was found with; unless the counts go elsewhere. */
export async function writeSection(proof: Proof, title: string, area: string, body: string): Promise<void> {
  if (!proof.writesResults) return;
  writeResults(title, `${preamble(proof, area, await commitHere(proof.cache))}\n${body}`);
}

/** Which form of which area, of which commit, when and on which machine, and how many checks ended how. */
export function preamble({ reduced, checks }: Proof, area: string, commit: string): string {
  const { cpu, cores, memoryGiB, measuredAt } = describeMachine();
  const command = `npm run proof -- ${area}${reduced ? " --reduced" : ""}`;
  return [
    `\`${command}\`, commit ${commit}, ${measuredAt.slice(0, 10)}, ${cpu}, ${cores} cores, ${memoryGiB} GiB, Linux ${release()}.`,
    `Tests and checks: ${countsText(checks.counts)}.`,
  ].join("\n");
}
