import { MUTANTS, simulateMutant } from "./mutants.ts";

const from = Number(process.argv[2]);
const to = Number(process.argv[3]);
for (const [n, mutant] of MUTANTS.entries()) {
  if (n < from || n >= to) continue;
  try {
    const t = Date.now();
    const { firstSeed, isSeen, output } = await simulateMutant(mutant, Number(process.argv[4] ?? 60));
    console.log(n, isSeen ? `seed ${firstSeed}` : `NOT SEEN ${output.slice(-300)}`, mutant.guard, Date.now() - t);
  } catch (error) {
    console.log(n, "ERROR", String(error).slice(0, 200));
  }
}
