import { expect, test } from "vitest";
import { collect } from "../../../../web/dashboard/app/collect.ts";

async function* numbers(count: number): AsyncGenerator<number> {
  for (let at = 0; at < count; at += 1) yield at;
}

test("an export has the beginning of a list that is too long, and says that it has more", async () => {
  const progress: number[] = [];
  const { items, isCut } = await collect(numbers(1_000), (count) => progress.push(count), 250);
  expect([items.length, items.at(-1), isCut, progress]).toEqual([250, 249, true, [0, 100, 200]]);
});

test("a list of exactly the longest length is whole", async () => {
  const { items, isCut } = await collect(numbers(250), () => {}, 250);
  expect([items.length, isCut]).toEqual([250, false]);
});
