import { describe, expect, test } from "vitest";
import {
  PROCESS_START_MS_MAX,
  RESTART_MS_MAX,
  SPARE_START_DELAY_MS,
} from "../../../src/core/limits/service/processes.ts";
import type { ScriptedChild, ScriptedChildren } from "../../support/services/scripted-child.ts";
import { PORTS, scriptedSupervisor } from "../../support/services/scripted-supervisor.ts";

describe("spare processes", () => {
  const waiting = (children: ScriptedChildren): ScriptedChild[] => [...children.spares].filter(({ lives }) => lives);

  test("one of each kind is loaded after the start and replaces a process that dies; then another one is loaded", async () => {
    const { clock, children, logged, up } = scriptedSupervisor(2);
    await up();
    expect(waiting(children)).toEqual([]);
    await clock.play(SPARE_START_DELAY_MS);
    expect(waiting(children).map(({ kind }) => kind)).toEqual(["worker", "control"]);
    const [spare] = waiting(children);
    children.living("worker")[1]?.exit(null, "SIGKILL");
    await clock.play(100);
    expect(children.started[3]).toBe(spare);
    expect(spare?.options).toMatchObject({ port: PORTS.worker, restarts: { worker: 1 } });
    await clock.play(500 + SPARE_START_DELAY_MS);
    expect(waiting(children).map(({ kind }) => kind)).toEqual(["control", "worker"]);
    expect(logged("process died")).toHaveLength(1);
  });

  test("one may wait forever; when it dies, it is replaced 5 s later, and this is logged", async () => {
    const { clock, children, logged, up } = scriptedSupervisor(1);
    await up();
    await clock.play(10 * PROCESS_START_MS_MAX);
    const [first] = waiting(children);
    first?.exit(null, "SIGKILL");
    await clock.play(RESTART_MS_MAX - 1);
    expect(waiting(children)).toHaveLength(1);
    await clock.play(1);
    expect(waiting(children)).toHaveLength(2);
    expect(logged("spare process exited or could not be started")).toMatchObject([
      { kind: "worker", signal: "SIGKILL" },
    ]);
    expect(logged("process died")).toEqual([]);
  });

  test("starting one is retried for as long as the system refuses it", async () => {
    let isRefused = false;
    const { clock, children, logged, up } = scriptedSupervisor(1, { isRefused: () => isRefused });
    await up();
    isRefused = true;
    await clock.play(3 * RESTART_MS_MAX);
    expect(logged("spare process exited or could not be started").length).toBeGreaterThan(2);
    isRefused = false;
    await clock.play(RESTART_MS_MAX);
    expect(waiting(children)).toHaveLength(2);
  });

  test("a roll uses none of them, because they loaded the old code, and starts new ones afterwards", async () => {
    const { clock, children, supervisor, up } = scriptedSupervisor(2);
    await up();
    await clock.play(SPARE_START_DELAY_MS);
    const before = waiting(children);
    supervisor.roll();
    await clock.play(100);
    expect(before.map(({ killed }) => killed)).toEqual([true, true]);
    await clock.play(1_200 + SPARE_START_DELAY_MS);
    expect(children.started.some((child) => before.includes(child))).toBe(false);
    expect(waiting(children)).toHaveLength(2);
  });

  test("a drain ends them at once", async () => {
    const { clock, children, supervisor, logged, up } = scriptedSupervisor(1, { leavesMs: () => 5_000 });
    await up();
    await clock.play(SPARE_START_DELAY_MS);
    const stopped = supervisor.stop();
    expect(waiting(children)).toEqual([]);
    await clock.drive(stopped);
    await clock.play(60_000);
    expect(waiting(children)).toEqual([]);
    expect(logged("spare process exited or could not be started")).toEqual([]);
  });
});
