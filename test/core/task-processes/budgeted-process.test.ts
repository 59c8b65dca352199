import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { childModule } from "../../../src/core/child-processes/child-module.ts";
import { type Clock, systemClock } from "../../../src/core/clock.ts";
import { monotonicMs } from "../../../src/core/clocks.ts";
import { type AccountId, asAccountId } from "../../../src/core/ids.ts";
import {
  RESTART_MS_MIN,
  TASK_PROCESS_START_INTERVAL_MS,
  TASK_WAIT_MS_MAX,
} from "../../../src/core/limits/service/processes.ts";
import {
  BudgetedProcess,
  type TaskOutcome,
  type TaskResult,
} from "../../../src/core/task-processes/budgeted-process.ts";
import { forkTaskChild, type StartTaskChild, type TaskChildEvents } from "../../../src/core/task-processes/child.ts";
import { ManualClock, settled } from "../../support/manual-clock.ts";
import { memoryLog } from "../../support/memory-log.ts";

/**
 * From the source a child starts slowly where the machine is busy: a task may wait for it longer than it otherwise does. Nor does its
 * wall clock count, so that what a task gets of a busy processor decides nothing.
 */
const patientClock: Clock = {
  ...systemClock,
  nowMs: () => monotonicMs(0),
  after(delayMs, task) {
    if (delayMs === TASK_WAIT_MS_MAX) return systemClock.after(60_000, task);
    return systemClock.after(delayMs === TASK_PROCESS_START_INTERVAL_MS ? 0 : delayMs, task);
  },
};

const processes: BudgetedProcess<string, string>[] = [];
afterEach(async () => {
  await Promise.all(processes.splice(0).map((one) => one.close()));
});

const moody = forkTaskChild(childModule(import.meta.url, "./programs/scripted-process"));

function processOf(start: StartTaskChild = moody, clock: Clock = patientClock) {
  const { log, lines } = memoryLog();
  const outcomes: TaskOutcome[] = [];
  const tasks = new BudgetedProcess<string, string>({
    ...{ name: "test", start, clock, log, count: (outcome) => outcomes.push(outcome) },
  });
  processes.push(tasks);
  const run = (task: string, accountId = asAccountId("a"), signal?: AbortSignal): Promise<TaskResult<string>> =>
    tasks.run(task, { accountId, cpuMsMax: 30, ...(signal !== undefined && { signal }) });
  return { tasks, run, lines, outcomes };
}

const answered = (answer: string) => ({ outcome: "answered", answer, cpuMs: expect.any(Number) });

describe("a child process with a budget", () => {
  test("answers one task after the other", async () => {
    const { run, outcomes } = processOf();
    expect(await Promise.all([run("one"), run("two", asAccountId("b"))])).toEqual([
      answered("one, answered"),
      answered("two, answered"),
    ]);
    expect(outcomes).toEqual(["answered", "answered"]);
  });

  test("ADV-H2: is replaced when a task exceeds its CPU budget, and the next process answers other tasks", async () => {
    const { run, lines, outcomes } = processOf();
    const [spinning, other, own] = await Promise.all([run("spin"), run("quick", asAccountId("b")), run("quick")]);
    expect(spinning.outcome).toBe("over_budget");
    expect(spinning.cpuMs).toBeGreaterThanOrEqual(30);
    expect([other, own]).toEqual([answered("quick, answered"), answered("quick, answered")]);
    expect(outcomes).toEqual(["over_budget", "answered", "answered"]);
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({
      ...{ msg: "task process replaced", tasks: "test", accountId: "a", outcome: "over_budget" },
    });
  });

  test.each([
    ["the heap", "fill"],
    ["memory that is not of the heap", "fill outside"],
  ])(
    "ADV-H2: is replaced where a task takes more of %s than it may",
    async (_what, task) => {
      const { tasks, lines } = processOf();
      expect(await tasks.run(task, { accountId: asAccountId("a"), cpuMsMax: 60_000 })).toMatchObject({
        outcome: "over_budget",
      });
      expect(await tasks.run("quick", { accountId: asAccountId("b"), cpuMsMax: 1_000 })).toEqual(
        answered("quick, answered"),
      );
      expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ accountId: "a" }]);
    },
    60_000,
  );

  test("ADV-H2: serves the tasks of another account before further ones of an account that took long", async () => {
    const { run, outcomes } = processOf();
    const order: string[] = [];
    const ran = async (task: string, accountId: AccountId): Promise<void> => {
      await run(task, accountId);
      order.push(`${accountId} ${task}`);
    };
    await Promise.all([
      ran("spin", asAccountId("a")),
      ran("spin", asAccountId("a")),
      ran("one", asAccountId("b")),
      ran("two", asAccountId("b")),
    ]);
    expect(order).toEqual(["a spin", "b one", "b two", "a spin"]);
    expect(outcomes).toHaveLength(4);
  });

  test("ADV-H2: queues a bounded number of tasks of one account", async () => {
    const { run, outcomes } = processOf();
    const results = await Promise.all([
      ...Array.from({ length: 300 }, (_, index) => run(`task ${index}`)),
      run("of another one", asAccountId("b")),
    ]);
    // None has begun before the child is ready, so that all of them wait.
    expect(results.map(({ outcome }) => outcome)).toEqual([
      ...Array<string>(256).fill("answered"),
      ...Array<string>(44).fill("refused"),
      "answered",
    ]);
    expect(outcomes.filter((outcome) => outcome === "refused")).toHaveLength(44);
  });

  test("refuses tasks that wait too long and aborted tasks, and clears all timers", async () => {
    const clock = new ManualClock();
    const { run, outcomes } = processOf(moody, clock);
    const life = new AbortController();
    const results = Promise.all([
      run("late"),
      run("unwanted", asAccountId("b"), life.signal),
      run("unwanted", asAccountId("b"), AbortSignal.abort()),
    ]);
    life.abort();
    clock.advance(TASK_WAIT_MS_MAX);
    expect((await results).map(({ outcome }) => outcome)).toEqual(["refused", "refused", "refused"]);
    expect(outcomes).toEqual(["refused"]);
    expect(clock.pending).toBe(0);
  });

  test("distinguishes a task that threw from one over budget, and passes on no error message", async () => {
    const { run, lines } = processOf();
    expect(await run("throw")).toMatchObject({ outcome: "failed" });
    expect(await run("exit")).toMatchObject({ outcome: "failed" });
    expect(await run("quick")).toEqual(answered("quick, answered"));
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { msg: "budgeted task failed", code: "internal", fault: "bug" },
      { msg: "task process exited", exitCode: 3, fault: "bug" },
    ]);
    expect(lines.join()).not.toContain("canary");
  });

  test("that ends before it is ready refuses what waits, and is started again", async () => {
    const { run, lines } = processOf(forkTaskChild(childModule(import.meta.url, "./programs/unstartable-process")));
    expect(await Promise.all([run("one"), run("two", asAccountId("b"))])).toMatchObject([
      { outcome: "refused" },
      { outcome: "refused" },
    ]);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { msg: "task process could not be started", exitCode: 1, retryMs: RESTART_MS_MIN },
    ]);
  });

  test("refuses everything once it is closed", async () => {
    const { tasks, run } = processOf();
    const running = [run("spin"), run("waiting", asAccountId("b"))];
    await tasks.close();
    await settled();
    expect(await Promise.all([...running, run("late")])).toMatchObject(Array(3).fill({ outcome: "refused" }));
  });
});

/** Children that are started, answer and are gone when a test says so. */
class ScriptedChildren {
  /** Those that were started, and what was done with each. */
  readonly children: { events: TaskChildEvents; done: string[] }[] = [];
  /** The system has no room for a process. */
  isFull = false;

  readonly start: StartTaskChild = (events) => {
    if (this.isFull) throw Object.assign(new Error("spawn ENOMEM"), { code: "ENOMEM" });
    const done: string[] = [];
    this.children.push({ events, done });
    return {
      pid: undefined,
      send: ({ task }) => done.push(String(task)),
      kill: () => done.push("killed"),
    };
  };

  /** What the child of this number says. */
  says(index: number): TaskChildEvents {
    const child = this.children[index];
    if (child === undefined) throw new Error(`child ${index} was not started`);
    return child.events;
  }
}

const KILLED = { exitCode: null, signal: "SIGKILL" };
const answer = (text: string, isFull = false) => ({ kind: "answer", answer: text, cpuMs: 1, isFull }) as const;

describe("ADV-H2: the children of a process with a budget", () => {
  test("start only after their predecessor is gone; the task over budget is answered before that", async () => {
    const clock = new ManualClock();
    const script = new ScriptedChildren();
    const { run } = processOf(script.start, clock);
    const [spinning, other] = [run("spin"), run("quick", asAccountId("b"))];
    script.says(0).onMessage({ kind: "ready" });
    clock.advance(30);
    expect(await spinning).toEqual({ outcome: "over_budget", cpuMs: 30 });
    // It holds out, as a process may that the kernel is busy with.
    clock.advance(1_000);
    script.says(0).onMessage(answer("late"));
    expect(script.children.map(({ done }) => done)).toEqual([["spin", "killed"]]);
    script.says(0).onExit(KILLED);
    script.says(1).onMessage({ kind: "ready" });
    script.says(1).onMessage(answer("quick, answered"));
    expect(await other).toEqual(answered("quick, answered"));
    expect(script.children.map(({ done }) => done)).toEqual([["spin", "killed"], ["quick"]]);
    script.says(1).onExit(KILLED);
  });

  test("are replaced before the next task if a task left much memory in use; that next task still runs", async () => {
    const clock = new ManualClock();
    const script = new ScriptedChildren();
    const { run, lines } = processOf(script.start, clock);
    const [costly, other] = [run("costly"), run("quick", asAccountId("b"))];
    script.says(0).onMessage({ kind: "ready" });
    script.says(0).onMessage(answer("done", true));
    script.says(0).onExit(KILLED);
    clock.advance(TASK_PROCESS_START_INTERVAL_MS);
    script.says(1).onMessage({ kind: "ready" });
    script.says(1).onMessage(answer("quick, answered"));
    expect([await costly, await other]).toEqual([answered("done"), answered("quick, answered")]);
    expect([script.children.map(({ done }) => done), lines]).toEqual([[["costly", "killed"], ["quick"]], []]);
    script.says(1).onExit(KILLED);
  });

  test("start at most twice a second, however many tasks exceed their budget", async () => {
    const clock = new ManualClock();
    const script = new ScriptedChildren();
    const { run } = processOf(script.start, clock);
    const results = [run("spin", asAccountId("a")), run("spin", asAccountId("b")), run("spin", asAccountId("c"))];
    for (let index = 0; index < 3; index += 1) {
      expect(script.children).toHaveLength(index + 1);
      script.says(index).onMessage({ kind: "ready" });
      clock.advance(30);
      script.says(index).onExit(KILLED);
      clock.advance(TASK_PROCESS_START_INTERVAL_MS - 31);
      expect(script.children).toHaveLength(index + 1);
      clock.advance(1);
    }
    expect((await Promise.all(results)).map(({ outcome }) => outcome)).toEqual(Array(3).fill("over_budget"));
    script.says(3).onExit(KILLED);
  });

  test("are tried again when they cannot be started; meanwhile tasks are refused at once, and the process continues", async () => {
    const clock = new ManualClock();
    const script = new ScriptedChildren();
    const { run, lines, outcomes } = processOf(script.start, clock);
    script.isFull = true;
    expect([await run("one"), await run("two", asAccountId("b"))]).toMatchObject([
      { outcome: "refused" },
      { outcome: "refused" },
    ]);
    clock.advance(RESTART_MS_MIN);
    expect((await run("three")).outcome).toBe("refused");
    script.isFull = false;
    clock.advance(2 * RESTART_MS_MIN);
    script.says(0).onMessage({ kind: "ready" });
    const four = run("four");
    script.says(0).onMessage(answer("four, answered"));
    expect(await four).toEqual(answered("four, answered"));
    expect(outcomes).toEqual(["refused", "refused", "refused", "answered"]);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { msg: "task process could not be started", tasks: "test", code: "ENOMEM", retryMs: RESTART_MS_MIN },
      { code: "ENOMEM", retryMs: 2 * RESTART_MS_MIN },
    ]);
    script.says(0).onExit(KILLED);
  });
});

test("ADV-H2: a child whose parent was killed during an endless task exits by itself", async () => {
  const { spawn } = await import("node:child_process");
  const { path, execArgv } = childModule(import.meta.url, "./programs/parent-process");
  const parent = spawn(process.execPath, [...execArgv, path], { stdio: ["ignore", "pipe", "inherit"] });
  const [said] = (await once(parent.stdout, "data")) as [Buffer];
  const pid = Number(said.toString());
  expect(isAlive(pid)).toBe(true);
  parent.kill("SIGKILL");
  await expect.poll(() => isAlive(pid), { timeout: 30_000 }).toBe(false);
}, 60_000);

/** A process that is there, and more than what its parent has not taken leave of. */
const isAlive = (pid: number): boolean =>
  readdirSync("/proc").includes(String(pid)) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
