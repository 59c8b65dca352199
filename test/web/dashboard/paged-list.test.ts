import { expect, test } from "vitest";
import { type ListPage, PagedList } from "../../../web/dashboard/app/paged-list.ts";
import { settled } from "../../support/manual-clock.ts";

const PAGE = 100;

/** A list of `total` numbers, with the cursors that were asked for. */
function listOf(total: number, { fails = () => false }: { fails?: (asked: number) => boolean } = {}) {
  const asked: number[] = [];
  const load = async (cursor: string | undefined): Promise<ListPage<number>> => {
    const from = Number(cursor ?? 0);
    asked.push(from);
    if (fails(asked.length)) throw new Error("busy");
    const end = Math.min(total, from + PAGE);
    return {
      data: Array.from({ length: end - from }, (_, at) => from + at),
      nextCursor: end === total ? null : String(end),
    };
  };
  return { list: new PagedList({ load, onChange: () => {} }), asked };
}

test("a list loads its first page, and others as their rows come near", async () => {
  const { list, asked } = listOf(250);
  expect(list.isReady).toBe(false);
  list.show(0, 20);
  await settled();
  expect([list.isReady, list.count, list.hasMore, list.item(7)]).toEqual([true, 100, true, 7]);
  list.show(0, 20);
  await settled();
  expect(asked).toEqual([0]);
  list.show(60, 90);
  await settled();
  list.show(160, 190);
  await settled();
  expect([asked, list.count, list.hasMore, list.item(249), list.item(250)]).toEqual([
    [0, 100, 200],
    250,
    false,
    249,
    undefined,
  ]);
});

test("pages far from the shown rows are dropped, and loaded again when they are shown", async () => {
  const { list, asked } = listOf(2_000);
  for (let first = 0; first < 1_900; first += 50) {
    list.show(first, first + 40);
    await settled();
  }
  expect([list.item(0), list.item(1_850), list.count >= 1_900]).toEqual([undefined, 1_850, true]);
  const before = asked.length;
  list.show(0, 40);
  await settled();
  expect([list.item(0), asked.length - before, asked.at(-1)]).toEqual([0, 1, 0]);
});

test("a page that fails is asked for again only on demand", async () => {
  const { list, asked } = listOf(300, { fails: (count) => count === 2 });
  list.show(0, 20);
  await settled();
  list.show(60, 90);
  await settled();
  expect(list.error).toBeInstanceOf(Error);
  list.show(60, 90);
  await settled();
  expect(asked).toEqual([0, 100]);
  list.retry();
  await settled();
  expect([asked, list.error, list.count]).toEqual([[0, 100, 100], undefined, 200]);
});

test("an empty page that is not the last one is passed over", async () => {
  const pages: Record<string, ListPage<number>> = {
    0: { data: [], nextCursor: "1" },
    1: { data: [], nextCursor: "2" },
    2: { data: [7], nextCursor: null },
  };
  const list = new PagedList<number>({ load: async (cursor = "0") => pages[cursor] as never, onChange: () => {} });
  list.show(0, 20);
  await settled();
  expect([list.isReady, list.count, list.item(0), list.hasMore]).toEqual([true, 1, 7, false]);
});

test("a closed list changes no more", async () => {
  const { list } = listOf(100);
  list.show(0, 20);
  list.close();
  await settled();
  expect(list.error).toBeUndefined();
});
