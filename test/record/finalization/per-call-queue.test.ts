import { expect, test } from "vitest";
import { asCallId } from "../../../src/core/ids.ts";
import { PerCallQueue } from "../../../src/record/finalization/per-call-queue.ts";

/** Work that is over when the test says so, and the names of the works in the order in which they began. */
function works() {
  const begun: string[] = [];
  const ends = new Map<string, { resolve: () => void; reject: (error: Error) => void }>();
  return {
    begun,
    work: (name: string) => (): Promise<void> => {
      begun.push(name);
      return new Promise((resolve, reject) => ends.set(name, { resolve, reject }));
    },
    end: (name: string): void => ends.get(name)?.resolve(),
    fail: (name: string, error: Error): void => ends.get(name)?.reject(error),
  };
}

const reactionsRun = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("work of one call runs in sequence, work of other calls meanwhile", async () => {
  const { begun, work, end } = works();
  const queue = new PerCallQueue(4);
  const first = queue.run(asCallId("a"), work("a1"));
  const second = queue.run(asCallId("a"), work("a2"));
  void queue.run(asCallId("b"), work("b1"));
  await reactionsRun();
  expect(begun).toEqual(["a1", "b1"]);
  expect([queue.inProgress, queue.waiting]).toEqual([2, 0]);
  end("a1");
  await first;
  await reactionsRun();
  expect(begun).toEqual(["a1", "b1", "a2"]);
  end("a2");
  await second;
  expect(queue.inProgress).toBe(1);
});

test("work above the limit waits, and the oldest begins when a slot is free", async () => {
  const { begun, work, end } = works();
  const queue = new PerCallQueue(2);
  for (const call of ["a", "b", "c", "d"]) void queue.run(asCallId(call), work(call));
  await reactionsRun();
  expect(begun).toEqual(["a", "b"]);
  expect([queue.inProgress, queue.waiting]).toEqual([2, 2]);
  end("b");
  await reactionsRun();
  expect(begun).toEqual(["a", "b", "c"]);
  expect([queue.inProgress, queue.waiting]).toEqual([2, 1]);
});

test("work that fails rejects, frees its slot, and does not stop the next work of its call", async () => {
  const { begun, work, end, fail } = works();
  const queue = new PerCallQueue(1);
  const first = queue.run(asCallId("a"), work("a1"));
  const second = queue.run(asCallId("a"), work("a2"));
  await reactionsRun();
  fail("a1", new Error("disk full"));
  await expect(first).rejects.toThrow("disk full");
  await reactionsRun();
  expect(begun).toEqual(["a1", "a2"]);
  end("a2");
  await second;
  expect([queue.inProgress, queue.waiting]).toEqual([0, 0]);
});

test("the queue is idle when all work requested so far has ended, also when it failed", async () => {
  const { work, end, fail } = works();
  const queue = new PerCallQueue(2);
  await queue.idle();
  const failing = queue.run(asCallId("a"), work("a"));
  void queue.run(asCallId("b"), work("b"));
  let isIdle = false;
  const idle = queue.idle().then(() => {
    isIdle = true;
  });
  await reactionsRun();
  fail("a", new Error("disk full"));
  await expect(failing).rejects.toThrow("disk full");
  await reactionsRun();
  expect(isIdle).toBe(false);
  end("b");
  await idle;
});

test("urgent work goes before all that waits for a slot, but not before earlier work of its own call", async () => {
  const { begun, work, end } = works();
  const queue = new PerCallQueue(1);
  void queue.run(asCallId("a"), work("a1"));
  void queue.run(asCallId("b"), work("b1"));
  void queue.run(asCallId("a"), work("urgent, of a"), { isUrgent: true });
  void queue.run(asCallId("c"), work("urgent, of c"), { isUrgent: true });
  await reactionsRun();
  for (const name of ["a1", "urgent, of c", "urgent, of a", "b1"]) {
    expect(begun.at(-1)).toBe(name);
    end(name);
    await reactionsRun();
  }
});
