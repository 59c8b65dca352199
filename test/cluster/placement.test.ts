import { describe, expect, test } from "vitest";
import { chooseNode, type PlacementNode } from "../../src/cluster/placement.ts";
import { asNodeName } from "../../src/core/ids.ts";
import { seededRandom } from "../../src/core/seeded-random.ts";

const node = (name: string, used: number, slots = 100, isAccepting = true): PlacementNode => ({
  name: asNodeName(name),
  isAccepting,
  slots,
  used,
});

/** These numbers, one after the other. */
const numbers = (...list: number[]) => {
  const left = [...list];
  return () => left.shift() ?? 0;
};

describe("the node for a new call", () => {
  test("is the less loaded of two that are drawn, in parts of what each can carry", () => {
    const nodes = [node("a", 50), node("b", 40), node("c", 0)];
    expect(chooseNode(nodes, numbers(0, 0))).toBe("b");
    expect(chooseNode(nodes, numbers(0.4, 0))).toBe("b");
    expect(chooseNode(nodes, numbers(0.9, 0.9))).toBe("c");
    expect(chooseNode([node("small", 9, 10), node("large", 80, 100)], numbers(0, 0))).toBe("large");
  });

  test("is none that drains, is gone or is full", () => {
    const nodes = [node("draining", 0, 100, false), node("full", 100), node("without", 0, 0), node("left", 99)];
    for (const number of [0, 0.3, 0.6, 0.999]) expect(chooseNode(nodes, numbers(number, number))).toBe("left");
    expect(chooseNode(nodes.slice(0, 3), numbers(0.5, 0.5))).toBeUndefined();
    expect(chooseNode([], numbers(0.5, 0.5))).toBeUndefined();
  });

  test("keeps the loads close together where each choice is counted, whatever the random numbers are", () => {
    const random = seededRandom(27);
    const used = Array.from({ length: 20 }, () => 0);
    for (let calls = 0; calls < 2_000; calls += 1) {
      const chosen = chooseNode(
        used.map((count, index) => node(String(index), count, 200)),
        random,
      );
      used[Number(chosen)] = (used[Number(chosen)] ?? 0) + 1;
    }
    expect(Math.max(...used)).toBeLessThanOrEqual(115);
    expect(Math.min(...used)).toBeGreaterThanOrEqual(85);
  });
});
