import { expect, test } from "vitest";
import { FairQueue } from "../../../src/core/task-processes/fair-queue.ts";

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

test("ADV-H2: an owner of short tasks waits for at most one long task of another owner", () => {
  const queue = queueOf();
  for (let count = 0; count < 4; count += 1) queue.add("slow", ["slow", 200]);
  for (let count = 0; count < 3; count += 1) queue.add("quick", ["quick", 1]);
  expect(serveAll(queue)).toEqual(["slow", "quick", "quick", "quick", "slow", "slow", "slow"]);
});

test("ADV-H2: a new owner starts with neither a credit nor a debt of time", () => {
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

test("ADV-H2: the queue is bounded, and no owner can fill the share of the others", () => {
  const queue = queueOf(3, 2);
  const add = (owner: string): boolean => queue.add(owner, [owner, 1]);
  expect([add("a"), add("a"), add("a"), add("b"), add("c")]).toEqual([true, true, false, true, false]);
  expect(queue.length).toBe(3);
  expect(serveAll(queue)).toEqual(["a", "b", "a"]);
  expect([queue.length, add("c")]).toEqual([0, true]);
});

test("a task that is removed before its turn does not run", () => {
  const queue = queueOf();
  const item: [string, number] = ["a", 1];
  queue.add("a", item);
  expect([queue.remove("a", item), queue.remove("a", item), queue.remove("b", item)]).toEqual([true, false, false]);
  expect([queue.length, queue.take()]).toEqual([0, undefined]);
});
