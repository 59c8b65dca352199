import { describe, expect, test } from "vitest";
import { PROCESS_START_MS_MAX } from "../../../src/core/limits/service/processes.ts";
import { DRAIN_MS, PORTS, received, scriptedSupervisor } from "../../support/services/scripted-supervisor.ts";

describe("rolling", () => {
  test("K9: workers are replaced one by one: the old one retires when the new one is ready, and the next waits for that", async () => {
    const { clock, children, supervisor, logged, rolls, up } = scriptedSupervisor(2, { leavesMs: () => 30_000 });
    await up();
    supervisor.roll();
    await clock.play(400);
    expect(children.started.map(received)).toEqual([[], [], [], []]);
    await clock.play(200);
    expect(children.started.map(received)).toEqual([["retire"], [], [], [], []]);
    await clock.play(600);
    expect(children.started.map(received)).toEqual([["retire"], [], ["retire"], [], []]);
    // Both drain at the same time, and both are watched.
    expect(children.living("worker")).toHaveLength(4);
    expect(rolls.map(({ state, replaced }) => [state, replaced.length])).toEqual([
      ["running", 0],
      ["running", 1],
      ["running", 2],
      ["done", 2],
    ]);
    expect(rolls.at(-1)?.replaced).toEqual([
      { pid: 1, byPid: 4 },
      { pid: 3, byPid: 5 },
    ]);
    await clock.play(60_000);
    expect(children.living("worker").map(({ pid }) => pid)).toEqual([4, 5]);
    expect(logged("process died")).toEqual([]);
    expect(children.started).toHaveLength(5);
  });

  test("a second one is queued while one is in progress, and a third joins the second", async () => {
    const { clock, children, supervisor, rolls, up } = scriptedSupervisor(1);
    await up();
    for (let signals = 0; signals < 3; signals += 1) supervisor.roll();
    await clock.play(10_000);
    expect(rolls.filter(({ state }) => state === "done").map(({ number }) => number)).toEqual([1, 2]);
    expect(children.started.filter(({ kind }) => kind === "worker")).toHaveLength(3);
  });

  test("a replacement that does not become ready aborts the roll, and the old worker continues", async () => {
    const { clock, children, supervisor, logged, rolls, up } = scriptedSupervisor(2, {
      readyMs: ({ pid }) => (pid === 4 ? undefined : 500),
    });
    await up();
    supervisor.roll();
    await clock.play(PROCESS_START_MS_MAX + 1_000);
    expect(rolls.at(-1)).toMatchObject({ state: "failed", replaced: [] });
    expect(logged("worker roll aborted")).toHaveLength(1);
    expect(children.living("worker").map(({ pid }) => pid)).toEqual([1, 3]);
    supervisor.roll();
    await clock.play(2_000);
    expect(rolls.at(-1)).toMatchObject({ number: 2, state: "done" });
  });

  test("a worker that dies during its replacement is replaced once", async () => {
    const { clock, children, supervisor, rolls, up } = scriptedSupervisor(1, { readyMs: () => 2_000 });
    await up();
    supervisor.roll();
    await clock.play(100);
    children.started[0]?.exit(null, "SIGKILL");
    await clock.play(10_000);
    expect(rolls.at(-1)?.state).toBe("done");
    expect(children.started.map(({ kind }) => kind)).toEqual(["worker", "control", "worker"]);
    expect(children.living("worker")).toHaveLength(1);
  });

  test("a worker that dies while its replacement does not become ready is restarted", async () => {
    const { clock, children, supervisor, rolls, up } = scriptedSupervisor(1, {
      readyMs: ({ pid }) => (pid === 3 ? undefined : 500),
    });
    await up();
    supervisor.roll();
    await clock.play(1_000);
    children.started[0]?.exit(null, "SIGKILL");
    await clock.play(PROCESS_START_MS_MAX + 1_000);
    expect(rolls.at(-1)).toMatchObject({ state: "failed", replaced: [] });
    expect(children.living("worker").map(({ pid }) => pid)).toEqual([4]);
  });

  test("a replacement that dies as soon as it is ready replaces no worker", async () => {
    const { clock, children, supervisor, rolls, up } = scriptedSupervisor(1);
    await up();
    const { onStart } = children;
    children.onStart = (child) => {
      onStart(child);
      if (child.pid !== 3) return;
      clock.after(100, () => {
        child.emit({ kind: "ready", port: PORTS.worker });
        child.exit(1);
      });
    };
    supervisor.roll();
    await clock.play(3_000);
    expect(rolls.at(-1)?.state).toBe("failed");
    expect(children.living("worker").map((child) => [child.pid, received(child)])).toEqual([[1, []]]);
  });

  test("it waits for a control process that is being restarted", async () => {
    const { clock, children, supervisor, rolls, up } = scriptedSupervisor(1);
    await up();
    children.living("control")[0]?.exit(1);
    await clock.play(10);
    supervisor.roll();
    await clock.play(300);
    expect(children.started.filter(({ kind }) => kind === "worker")).toHaveLength(1);
    await clock.play(3_000);
    expect(rolls.at(-1)?.state).toBe("done");
  });

  test("an old worker whose calls do not end is killed after DRAIN_MS; one without heartbeats, at once", async () => {
    let silent = 0;
    const { clock, children, supervisor, logged, up } = scriptedSupervisor(2, {
      leavesMs: () => undefined,
      isSilent: ({ pid }) => pid === silent,
    });
    await up();
    supervisor.roll();
    await clock.play(2_000);
    silent = 1;
    await clock.play(3_000);
    expect(children.living("worker").map(({ pid }) => pid)).toEqual([3, 4, 5]);
    await clock.play(DRAIN_MS);
    expect(children.living("worker").map(({ pid }) => pid)).toEqual([3, 4, 5]);
    await clock.play(15_000);
    expect(children.living("worker").map(({ pid }) => pid)).toEqual([4, 5]);
    expect(logged("process died").map(({ pid, reason }) => [pid, reason])).toEqual([
      [1, "worker_stalled"],
      [3, "exit_timeout"],
    ]);
  });

  test("K8: a drain ends a roll: the new worker, the old one and those that retire all drain", async () => {
    const { clock, children, supervisor, rolls, up } = scriptedSupervisor(2, {
      leavesMs: () => 3_000,
      readyMs: () => 500,
    });
    await up();
    supervisor.roll();
    await clock.play(900);
    const stopped = supervisor.stop();
    await clock.drive(stopped);
    await clock.play(1_000);
    expect(children.started.map(received)).toEqual([
      ["retire", "drain"],
      ["drain", "stop"],
      ["drain"],
      ["drain"],
      ["drain"],
    ]);
    expect(children.started.some(({ lives }) => lives)).toBe(false);
    expect(rolls.at(-1)?.state).toBe("failed");
    supervisor.roll();
    expect(rolls.at(-1)?.number).toBe(1);
  });
});
