import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { edited, MUTANTS, type Mutant, simulateMutant } from "./mutants.ts";
import { reportOf, simulateCluster } from "./report.ts";

/** `npm run sim:cluster` simulates 1,000 nodes. An odd seed has an address for each node, an even one a shared one. */
const SIZE = { nodes: 40, calls: 8_000 };
const TIMEOUT_MS = 60_000;

describe("a cluster in virtual time", () => {
  test.each([1, 2])("the nodes of seed %i keep every invariant", { timeout: TIMEOUT_MS }, (seed) => {
    const simulation = simulateCluster({ seed, ...SIZE });
    expect([...simulation.observer.violations.keys()], reportOf(simulation)).toEqual([]);
  });

  test("the same seed gives the same figures", { timeout: TIMEOUT_MS }, () => {
    const [one, again] = [3, 3].map((seed) => reportOf(simulateCluster({ seed, nodes: 20, calls: 1_000 })));
    expect(one).toBe(again);
  });

  test("nodes die with calls, limits refuse calls, and more are wanted than there is room for", () => {
    const { nodes, observer } = simulateCluster({ seed: 1, ...SIZE });
    expect(nodes.recovered).toBeGreaterThan(0);
    expect(observer.limited).toBeGreaterThan(0);
    expect(observer.refusals).toBeGreaterThan(0);
  });

  test.each(MUTANTS)("this guard is still there: $guard", (mutant) => {
    const root = fileURLToPath(new URL("../../..", import.meta.url));
    expect(edited(root, mutant)).toContain(mutant.to);
  });

  test("without a guard the simulation fails", { timeout: TIMEOUT_MS }, async () => {
    const silent = MUTANTS.find(({ guard }) => guard.startsWith("a node that has missed")) as Mutant;
    const { isSeen, output } = await simulateMutant(silent);
    expect(isSeen, output).toBe(true);
  });
});
