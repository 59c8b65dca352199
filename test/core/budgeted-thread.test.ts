import { afterEach, describe, expect, test } from "vitest";
import { BudgetedThread, type TaskResult, type ThreadOutcome } from "../../src/core/budgeted-thread.ts";
import { threadModule } from "../../src/core/child-module.ts";
import { type Clock, systemClock } from "../../src/core/clock.ts";
import { THREAD_WAIT_MS_MAX } from "../../src/core/schema-limits.ts";
import { ManualClock, settled } from "../support/manual-clock.ts";
import { memoryLog } from "../support/memory-log.ts";

/**
 * From the source a thread starts slowly where the machine is busy: a task may wait for it longer than it otherwise does. Nor does its
 * wall clock count, so that what a task gets of a busy processor decides nothing.
 */
const patientClock: Clock = {
  ...systemClock,
  nowMs: () => 0,
  after: (delayMs, task) => systemClock.after(delayMs === THREAD_WAIT_MS_MAX ? 60_000 : delayMs, task),
};

const threads: BudgetedThread<string, string>[] = [];
afterEach(async () => {
  await Promise.all(threads.splice(0).map((thread) => thread.close()));
});

function threadOf(body: "moody-thread" | "unstartable-thread" = "moody-thread", clock: Clock = patientClock) {
  const { log, lines } = memoryLog();
  const outcomes: ThreadOutcome[] = [];
  const module = threadModule(import.meta.url, `./threads/${body}`);
  const thread = new BudgetedThread<string, string>({
    ...{ name: "test", module, clock, log, count: (outcome) => outcomes.push(outcome) },
  });
  threads.push(thread);
  const run = (task: string, accountId = "a", signal?: AbortSignal): Promise<TaskResult<string>> =>
    thread.run(task, { accountId, cpuMsMax: 30, ...(signal !== undefined && { signal }) });
  return { thread, run, lines, outcomes };
}

const answered = (answer: string) => ({ outcome: "answered", answer, cpuMs: expect.any(Number) });

describe("a thread with a budget", () => {
  test("answers one task after the other", async () => {
    const { run, outcomes } = threadOf();
    expect(await Promise.all([run("one"), run("two", "b")])).toEqual([
      answered("one, answered"),
      answered("two, answered"),
    ]);
    expect(outcomes).toEqual(["answered", "answered"]);
  });

  test("ADV-H2: is replaced where a task exceeds its CPU budget, and others are answered by the next one", async () => {
    const { run, lines, outcomes } = threadOf();
    const [spinning, other, own] = await Promise.all([run("spin"), run("quick", "b"), run("quick")]);
    expect(spinning.outcome).toBe("over_budget");
    expect(spinning.cpuMs).toBeGreaterThanOrEqual(30);
    expect([other, own]).toEqual([answered("quick, answered"), answered("quick, answered")]);
    expect(outcomes).toEqual(["over_budget", "answered", "answered"]);
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({
      ...{ msg: "a thread was replaced", thread: "test", accountId: "a", outcome: "over_budget" },
    });
  });

  test("ADV-H2: is replaced where a task takes more memory than a thread may, and the process lives", async () => {
    const { thread } = threadOf();
    const filling = thread.run("fill", { accountId: "a", cpuMsMax: 60_000 });
    expect(await filling).toMatchObject({ outcome: "over_budget" });
    expect(await thread.run("quick", { accountId: "b", cpuMsMax: 1_000 })).toEqual(answered("quick, answered"));
  }, 60_000);

  test("ADV-H2: serves the tasks of another account before further ones of an account that took long", async () => {
    const { run, outcomes } = threadOf();
    const order: string[] = [];
    const ran = async (task: string, accountId: string): Promise<void> => {
      await run(task, accountId);
      order.push(`${accountId} ${task}`);
    };
    await Promise.all([ran("spin", "a"), ran("spin", "a"), ran("one", "b"), ran("two", "b")]);
    expect(order).toEqual(["a spin", "b one", "b two", "a spin"]);
    expect(outcomes).toHaveLength(4);
  });

  test("ADV-H2: keeps so many tasks of one account waiting and no more", async () => {
    const { run, outcomes } = threadOf();
    const results = await Promise.all([
      ...Array.from({ length: 300 }, (_, index) => run(`task ${index}`)),
      run("of another one", "b"),
    ]);
    // None has begun before the thread is ready, so that all of them wait.
    expect(results.map(({ outcome }) => outcome)).toEqual([
      ...Array<string>(256).fill("answered"),
      ...Array<string>(44).fill("refused"),
      "answered",
    ]);
    expect(outcomes.filter((outcome) => outcome === "refused")).toHaveLength(44);
  });

  test("refuses what waits too long, and what nobody waits for any more, and leaves no timer", async () => {
    const clock = new ManualClock();
    const { run, outcomes } = threadOf("moody-thread", clock);
    const life = new AbortController();
    const results = Promise.all([
      run("late"),
      run("unwanted", "b", life.signal),
      run("unwanted", "b", AbortSignal.abort()),
    ]);
    life.abort();
    clock.advance(THREAD_WAIT_MS_MAX);
    expect((await results).map(({ outcome }) => outcome)).toEqual(["refused", "refused", "refused"]);
    expect(outcomes).toEqual(["refused"]);
    expect(clock.pending).toBe(0);
  });

  test("tells a task that threw from one that was too costly, and nothing of what it said", async () => {
    const { run, lines } = threadOf();
    expect(await run("throw")).toMatchObject({ outcome: "failed" });
    expect(await run("exit")).toMatchObject({ outcome: "failed" });
    expect(await run("quick")).toEqual(answered("quick, answered"));
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { msg: "a task failed in its thread", code: "internal", fault: "bug" },
      { msg: "a thread ended", code: "internal", fault: "bug" },
    ]);
    expect(lines.join()).not.toContain("canary");
  });

  test("that cannot be started fails what waits, and is tried again", async () => {
    const { run, lines } = threadOf("unstartable-thread");
    expect(await Promise.all([run("one"), run("two", "b")])).toMatchObject([
      { outcome: "failed" },
      { outcome: "failed" },
    ]);
    expect(await run("three")).toMatchObject({ outcome: "failed" });
    expect(lines).toHaveLength(2);
  });

  test("refuses everything once it is closed", async () => {
    const { thread, run } = threadOf();
    const running = [run("spin"), run("waiting", "b")];
    await thread.close();
    await settled();
    expect(await Promise.all([...running, run("late")])).toMatchObject(Array(3).fill({ outcome: "refused" }));
  });
});
