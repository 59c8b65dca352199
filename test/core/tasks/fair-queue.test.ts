import { expect, test } from "vitest";
import { FairQueue } from "../../../src/core/tasks/fair-queue.ts";

/** Serves everything that waits; each item takes as long as it says. Returns the order. */
function serveAll(queue: FairQueue<[owner: string, tookMs: number]>): string[] {
  const order: string[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) {
    order.push(item[0]);
    queue.charge(...item);
  }
  return order;
}

const queueOf = (itemsMax = 100, itemsPerOwnerMax = 50) =>
  new FairQueue<[owner: string, tookMs: number]>({ itemsMax, itemsPerOwnerMax });

test("ADV-H2: an owner of short tasks waits for one long task of another, however many of those wait", () => {
  const queue = queueOf();
  for (let count = 0; count < 4; count += 1) queue.add("slow", ["slow", 200]);
  for (let count = 0; count < 3; count += 1) queue.add("quick", ["quick", 1]);
  expect(serveAll(queue)).toEqual(["slow", "quick", "quick", "quick", "slow", "slow", "slow"]);
});

test("ADV-H2: who comes later has saved up no time, and owes none", () => {
  const queue = queueOf();
  for (let count = 0; count < 3; count += 1) queue.add("a", ["a", 10]);
  expect([queue.take(), queue.take()]).toEqual([
    ["a", 10],
    ["a", 10],
  ]);
  queue.charge("a", 20);
  for (let count = 0; count < 3; count += 1) queue.add("late", ["late", 10]);
  expect(serveAll(queue)).toEqual(["late", "late", "a", "late"]);
});

test("one owner's tasks keep their order", () => {
  const queue = queueOf();
  for (const tookMs of [3, 1, 2]) queue.add("a", ["a", tookMs]);
  expect([queue.take(), queue.take(), queue.take(), queue.take()]).toEqual([["a", 3], ["a", 1], ["a", 2], undefined]);
});

test("ADV-H2: no owner fills it for the others, and it has an end", () => {
  const queue = queueOf(3, 2);
  const add = (owner: string): boolean => queue.add(owner, [owner, 1]);
  expect([add("a"), add("a"), add("a"), add("b"), add("c")]).toEqual([true, true, false, true, false]);
  expect(queue.length).toBe(3);
  expect(serveAll(queue)).toEqual(["a", "b", "a"]);
  expect([queue.length, add("c")]).toEqual([0, true]);
});

test("what is taken out before its turn is not served", () => {
  const queue = queueOf();
  const item: [string, number] = ["a", 1];
  queue.add("a", item);
  expect([queue.remove("a", item), queue.remove("a", item), queue.remove("b", item)]).toEqual([true, false, false]);
  expect([queue.length, queue.take()]).toEqual([0, undefined]);
});
