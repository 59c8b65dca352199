import type { TestSpecification } from "vitest/node";
import { BaseSequencer } from "vitest/node";

/**
 * The files that take longest, the longest first. A clean checkout has no durations of earlier runs, and by size Vitest would begin
 * these small files last: one worker would then end long after the others.
 */
const SLOWEST = [
  "docs/pages",
  "docs/first-page",
  "docs/slow-pages",
  "web/webrtc",
  "docs/account-pages",
  "docs/postgres-pages",
  "web/sdk-transports",
  "web/sdk-service",
  "processes/lost-process",
  "processes/roll",
  "processes/killed-supervisor",
  "processes/workers",
  "processes/resumption",
].map((name) => `test/end-to-end/${name}.test.ts`);

/** Begins the slowest test files first, then the largest. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const rank = SLOWEST.findIndex((path) => moduleId.endsWith(`/${path}`));
      return rank < 0 ? SLOWEST.length : rank;
    };
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}
