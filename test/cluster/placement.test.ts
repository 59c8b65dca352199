import { describe, expect, test } from "vitest";
import { chooseNode, openNodes, type PlacedSince, type PlacementNode } from "../../src/cluster/placement.ts";
import type { NodeName } from "../../src/core/ids.ts";
import { NODE_LEASE_MS, NODE_LEASE_MS_TRUSTED } from "../../src/core/limits/cluster/nodes.ts";
import { seededRandom } from "../../src/core/seeded-random.ts";

const node = (name: string, changes: Partial<PlacementNode> = {}): PlacementNode => ({
  name: name as NodeName,
  isAccepting: true,
  leaseLeftMs: NODE_LEASE_MS,
  slots: 100,
  used: 10,
  ...changes,
});
const openNames = (...nodes: PlacementNode[]): string[] => openNodes(nodes).map(({ name }) => name);
const nonePlaced = (): number => 0;

/** How often each node is chosen in so many choices. */
function chosen(nodes: readonly PlacementNode[], times: number, placedSince: PlacedSince = nonePlaced) {
  const random = seededRandom(7);
  const counts = new Map<string, number>(nodes.map(({ name }) => [name, 0]));
  for (let n = 0; n < times; n += 1) {
    const name = chooseNode(nodes, placedSince, random) ?? "none";
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

describe("the nodes that a call may go to", () => {
  test("a node that takes no calls, is full, or has no lease is not among them", () => {
    const draining = node("draining", { isAccepting: false });
    expect(openNames(draining, node("full", { used: 100 }), node("gone", { leaseLeftMs: 0 }), node("good"))).toEqual([
      "good",
    ]);
  });

  test("a node without slots for this kind of call is not among them", () => {
    expect(openNames(node("none", { slots: 0, used: 0 }), node("good"))).toEqual(["good"]);
  });

  test("a node that has missed heartbeats is among them only where no other node is", () => {
    const late = node("late", { leaseLeftMs: NODE_LEASE_MS_TRUSTED - 1, used: 0 });
    expect(openNames(late, node("good"))).toEqual(["good"]);
    expect(openNames(late, node("full", { used: 100 }))).toEqual(["late"]);
  });
});

describe("the node for a new call", () => {
  test("is any of those that are loaded the same, equally often", () => {
    const nodes = [node("a"), node("b"), node("c"), node("d", { slots: 50, used: 5 })];
    for (const times of Object.values(chosen(nodes, 4_000))) expect(Math.abs(times - 1_000)).toBeLessThan(100);
  });

  test("is never the most loaded of three, and is the least loaded in two of three cases", () => {
    const { low, middle, high } = chosen(
      [node("low"), node("middle", { used: 40 }), node("high", { used: 80 })],
      3_000,
    );
    expect(high).toBe(0);
    expect(Math.abs((low ?? 0) - 2_000)).toBeLessThan(150);
    expect(Math.abs((middle ?? 0) - 1_000)).toBeLessThan(150);
  });

  test("is chosen by the share of its own capacity that is taken", () => {
    expect(chosen([node("small", { slots: 10, used: 5 }), node("large", { used: 40 })], 10)).toEqual({
      small: 0,
      large: 10,
    });
  });

  test("counts what this node has placed since it read the rows", () => {
    const placed: PlacedSince = (name) => (name === "a" ? 30 : 0);
    expect(chosen([node("a"), node("b")], 10, placed)).toEqual({ a: 0, b: 10 });
  });

  test("is the only one with room, whatever is drawn", () => {
    const nodes = Array.from({ length: 50 }, (_, n) => node(String(n)));
    const placed: PlacedSince = (name) => (name === "31" ? 0 : 90);
    expect(chosen(nodes, 100, placed)[31]).toBe(100);
  });

  test("is missing where no node has room", () => {
    expect(chooseNode([], nonePlaced, Math.random)).toBeUndefined();
    expect(chooseNode([node("a"), node("b")], () => 90, Math.random)).toBeUndefined();
  });

  test("is the one that there is", () => {
    expect(chosen([node("a")], 10)).toEqual({ a: 10 });
  });

  test("keeps the loads close together where each choice is counted, whatever the random numbers are", () => {
    const random = seededRandom(27);
    const used = Array.from({ length: 20 }, () => 0);
    for (let calls = 0; calls < 2_000; calls += 1) {
      const open = used.map((count, index) => node(String(index), { used: count, slots: 200 }));
      const name = Number(chooseNode(open, nonePlaced, random));
      used[name] = (used[name] ?? 0) + 1;
    }
    expect(Math.max(...used)).toBeLessThanOrEqual(115);
    expect(Math.min(...used)).toBeGreaterThanOrEqual(85);
  });
});
