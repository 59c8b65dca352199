import { timingSafeEqual } from "node:crypto";
import { beforeEach, expect, test, vi } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { openSqliteStores } from "../../src/store/sqlite/open-stores.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

vi.mock("node:crypto", async (importActual) => {
  const actual = await importActual<typeof import("node:crypto")>();
  return { ...actual, timingSafeEqual: vi.fn(actual.timingSafeEqual) };
});

beforeEach(() => {
  vi.mocked(timingSafeEqual).mockClear();
});

test("A5: an API key is compared as a hash, in constant time, and a near miss with as many comparisons as the right one", async () => {
  const stores = await openSqliteStores(temporaryDirectory(), systemClock);
  const accountId = await stores.accounts.ensure("first");
  const { key, record } = await stores.apiKeys.create({ accountId, name: "laptop" });
  const other = (character: string): string => (character === "A" ? "B" : "A");
  const compared: unknown[] = [];
  for (const [text, isRight] of [
    [key, true],
    // Wrong from the first secret character on, at the last one alone, and too long.
    [key.slice(0, 12) + other(key[12] ?? "").repeat(35), false],
    [key.slice(0, -1) + other(key.at(-1) ?? ""), false],
    [`${key}x`, false],
  ] as const) {
    vi.mocked(timingSafeEqual).mockClear();
    expect((await stores.apiKeys.authenticate(text))?.apiKeyId).toBe(isRight ? record.id : undefined);
    const calls = vi.mocked(timingSafeEqual).mock.calls;
    compared.push(calls.map((sides) => sides.map(({ byteLength }) => byteLength)));
  }
  // Once with the current text and once with the previous one, also where there is none.
  expect(compared).toEqual(
    Array(4).fill([
      [64, 64],
      [64, 64],
    ]),
  );
  await stores.close();
});
