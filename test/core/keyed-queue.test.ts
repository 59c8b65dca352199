import { expect, test } from "vitest";
import { KeyedQueue } from "../../src/core/keyed-queue.ts";

/** Tasks that settle when the test says so, and the names of those that have begun. */
function scene() {
  const queue = new KeyedQueue<string>();
  const begun: string[] = [];
  const settle = new Map<string, { resolve: (value: string) => void; reject: (error: Error) => void }>();
  const add = (key: string, name: string): Promise<string> =>
    queue.run(key, () => {
      begun.push(name);
      return new Promise((resolve, reject) => settle.set(name, { resolve, reject }));
    });
  const idle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return { begun, add, settle, idle };
}

test("tasks of one key run one after another in order of arrival, also after one that failed", async () => {
  const { begun, add, settle, idle } = scene();
  const results = ["first", "second", "third"].map((name) => add("a", name).catch((error: Error) => error.message));
  await idle();
  expect(begun).toEqual(["first"]);
  settle.get("first")?.reject(new Error("failed"));
  await idle();
  expect(begun).toEqual(["first", "second"]);
  settle.get("second")?.resolve("done");
  await idle();
  settle.get("third")?.resolve("done too");
  expect(await Promise.all(results)).toEqual(["failed", "done", "done too"]);
});

test("tasks of different keys run at once, and one that arrives after the last begins immediately", async () => {
  const { begun, add, settle, idle } = scene();
  const first = add("a", "first");
  void add("b", "other");
  await idle();
  expect(begun).toEqual(["first", "other"]);
  settle.get("first")?.resolve("done");
  await first;
  void add("a", "later");
  await idle();
  expect(begun).toEqual(["first", "other", "later"]);
});
