import { expect, test } from "vitest";
import { Batcher } from "../../src/core/batcher.ts";
import { unavailable } from "../../src/core/errors.ts";

/** A batcher that doubles numbers, and the batches that it made; `refuse` says which batches are rejected. */
function scene(refuse: (items: readonly number[]) => Error | undefined = () => undefined) {
  const batches: (readonly number[])[] = [];
  const batcher = new Batcher<number, number>({
    work: async (items) => {
      batches.push(items);
      const error = refuse(items);
      if (error !== undefined) throw error;
      return items.map((item) => 2 * item);
    },
    itemsMax: 3,
    gatherMs: 0,
  });
  const run = (items: readonly number[]) => Promise.all(items.map((item) => batcher.run(item)));
  return { batches, batcher, run };
}

const messageOf = (error: Error): string => error.message;

test("items that come together are done together, a limited number at a time, and each has its own result", async () => {
  const { batches, run } = scene();
  expect(await run([1, 2, 3, 4])).toEqual([2, 4, 6, 8]);
  expect(batches).toEqual([[1, 2, 3], [4]]);
});

test("what comes while a batch is in progress is the next batch", async () => {
  const { batches, batcher, run } = scene();
  const first = run([1, 2, 3]);
  // The first batch is full, so it has begun.
  const second = batcher.run(4);
  expect(await first).toEqual([2, 4, 6]);
  expect(await second).toBe(8);
  expect(batches).toEqual([[1, 2, 3], [4]]);
});

test("an item that cannot be done fails no other one", async () => {
  const { batches, batcher } = scene((items) => (items.includes(2) ? new Error("no twos") : undefined));
  const results = await Promise.all([1, 2, 3].map((item) => batcher.run(item).catch(messageOf)));
  expect(results).toEqual([2, "no twos", 6]);
  expect(batches).toEqual([[1, 2, 3], [1], [2], [3]]);
  expect(await batcher.run(5)).toBe(10);
});

test("what is unavailable to all is tried once for all", async () => {
  const { batches, batcher } = scene(() => unavailable("the database is away"));
  const results = await Promise.all([1, 2].map((item) => batcher.run(item).catch(messageOf)));
  expect(results).toEqual(["the database is away", "the database is away"]);
  expect(batches).toEqual([[1, 2]]);
});
