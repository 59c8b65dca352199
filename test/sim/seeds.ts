import { temporaryDirectory } from "../support/temporary-directory.ts";
import { Census, failureText } from "./observer/report.ts";
import { loadShared } from "./service.ts";
import { simulate } from "./simulation.ts";

/** Simulates the calls of the seeds 1 to `count`: a text for each call that failed, and what came about in all of them. */
export async function simulateSeeds(count: number): Promise<{ failures: readonly string[]; census: Census }> {
  const shared = await loadShared(temporaryDirectory());
  const census = new Census();
  const failures: string[] = [];
  for (let seed = 1; seed <= count; seed += 1) {
    const call = await simulate(seed, shared);
    census.take(call);
    const failure = failureText(call);
    if (failure !== undefined) failures.push(failure);
  }
  return { failures, census };
}
