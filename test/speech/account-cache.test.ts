import { describe, expect, test } from "vitest";
import { ACCOUNT_SPEECH_ENTRIES_MAX } from "../../src/core/limits/accounts/accounts.ts";
import { AccountCache } from "../../src/speech/account-cache.ts";

describe("what is made for accounts", () => {
  const scene = () => {
    const cache = new AccountCache<number>();
    let made = 0;
    const get = (source: unknown) =>
      cache.get(source, async () => {
        made += 1;
        return made;
      });
    return { cache, get };
  };

  test("is made once from equal accounts, in whatever order their members are", async () => {
    const { get } = scene();
    expect(await get([{ allowed: ["a"], credentials: { a: "1", b: "2" } }, "model_a"])).toBe(1);
    expect(await get([{ credentials: { b: "2", a: "1" }, allowed: ["a"] }, "model_a"])).toBe(1);
    expect(await get([{ credentials: { b: "2", a: "3" }, allowed: ["a"] }, "model_a"])).toBe(2);
  });

  test("is made again where that failed", async () => {
    const { cache, get } = scene();
    const failing = cache.get("a", () => Promise.reject(new Error("no provider")));
    await expect(failing).rejects.toThrow("no provider");
    expect([await get("a"), await get("a")]).toEqual([1, 1]);
  });

  test("has a limit, beyond which the least recently used goes", async () => {
    const { get } = scene();
    for (let index = 0; index < ACCOUNT_SPEECH_ENTRIES_MAX; index += 1) await get(index);
    expect(await get(0)).toBe(1);
    await get("one more");
    expect(await get(0)).toBe(1);
    expect(await get(1)).toBe(ACCOUNT_SPEECH_ENTRIES_MAX + 2);
  });
});
