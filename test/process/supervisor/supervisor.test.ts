import { describe, expect, test } from "vitest";
import { elapsedMs } from "../../../src/core/clocks.ts";
import { asNodeName } from "../../../src/core/ids.ts";
import { NODE_CLOSING_MS } from "../../../src/core/limits/cluster/nodes.ts";
import {
  CONTROL_STALL_MS_MAX,
  HEARTBEAT_MS,
  MIGRATION_MS_MAX,
  PROCESS_STABLE_MS,
  PROCESS_START_MS_MAX,
  WORKER_STALL_MS_MAX,
} from "../../../src/core/limits/service/processes.ts";
import type { ChildKind, ToChild } from "../../../src/process/channel/protocol.ts";
import { settled } from "../../support/manual-clock.ts";
import type { ScriptedChild } from "../../support/services/scripted-child.ts";
import {
  DRAIN_MS,
  PORTS,
  received,
  scriptedSupervisor,
  TOKEN_TTL_S,
} from "../../support/services/scripted-supervisor.ts";

describe("starting", () => {
  test("one worker starts first to open the port, then the control process and the other workers with the same port", async () => {
    const { children, up } = scriptedSupervisor(3);
    expect(await up()).toEqual({
      kind: "ready",
      apiUrl: "http://127.0.0.1:8080",
      mediaUrl: "ws://127.0.0.1:8081",
    });
    expect(children.started.map(({ kind, options }) => [kind, options?.port, options?.mediaUrls.media])).toEqual([
      ["worker", 0, "ws://127.0.0.1:0"],
      ["control", 0, "ws://127.0.0.1:8081"],
      ["worker", 8081, "ws://127.0.0.1:8081"],
      ["worker", 8081, "ws://127.0.0.1:8081"],
    ]);
    expect(children.started.map(({ options }) => options?.isFirst)).toEqual([true, false, false, false]);
  });

  test("the owner link of a new service is handed on for the terminal, and is in no log line", async () => {
    const { children, up, ownerLinks, lines } = scriptedSupervisor(1);
    await up();
    children.living("control")[0]?.emit({ kind: "owner-link", url: "http://127.0.0.1:8080/talk#tlo_x" });
    expect(ownerLinks).toEqual(["http://127.0.0.1:8080/talk#tlo_x"]);
    expect(lines.join()).not.toContain("tlo_");
  });

  test("a request to drain is passed on from the control process", async () => {
    const { children, up, drainRequests } = scriptedSupervisor(1);
    await up();
    children.living("control")[0]?.emit({ kind: "drain-requested" });
    expect(drainRequests()).toBe(1);
  });

  test("a control process that dies before the service is up has workers of this service: the next one waits for them", async () => {
    const speech = {
      socketPath: "/run/speech.sock",
      settings: { model: "tiny", threads: 1 },
      logLevel: "info",
    } as never;
    const { clock, children, supervisor } = scriptedSupervisor(1, {
      readyMs: ({ kind }) => (kind === "speech" ? 5_000 : 0),
      speech,
    });
    const started = supervisor.start();
    await clock.play(100);
    children.living("control")[0]?.exit(null, "SIGKILL");
    await clock.drive(started);
    const controls = children.started.filter(({ kind, options }) => kind === "control" && options !== undefined);
    expect(controls.map(({ options }) => options?.earlierWorkersAreGone)).toEqual([true, false]);
  });

  test("a process that never becomes ready is killed, and the start fails", async () => {
    const { clock, supervisor } = scriptedSupervisor(1, {
      readyMs: ({ kind }) => (kind === "control" ? undefined : 0),
    });
    await expect(clock.drive(supervisor.start())).rejects.toMatchObject({
      code: "unavailable",
      message: "the control process could not be started: start_timeout",
    });
    expect(clock.nowMs()).toBeLessThan(PROCESS_START_MS_MAX + 1_000);
  });

  test("ADV-M1: a control process that migrates a large database is not killed, and its start timeout begins after the migration", async () => {
    const { clock, children, supervisor } = scriptedSupervisor(1, {
      readyMs: ({ kind }) => (kind === "control" ? undefined : 0),
    });
    const started = supervisor.start();
    started.catch(() => {});
    await clock.play(PROCESS_START_MS_MAX - 1_000);
    const [control] = children.living("control");
    control?.emit({ kind: "starting", readyWithinMs: MIGRATION_MS_MAX });
    await clock.play(MIGRATION_MS_MAX - 1_000);
    control?.emit({ kind: "starting", readyWithinMs: PROCESS_START_MS_MAX });
    await clock.play(PROCESS_START_MS_MAX - 1_000);
    expect(control?.lives).toBe(true);
    await clock.play(2_000);
    expect(control?.killed).toBe(true);
    await expect(started).rejects.toMatchObject({ message: expect.stringContaining("start_timeout") });
  });

  test("K8: a stop during the start starts nothing more and stops what runs", async () => {
    const { clock, children, supervisor } = scriptedSupervisor(2);
    const started = supervisor.start();
    started.catch(() => {});
    await clock.play(100);
    await clock.drive(supervisor.stop());
    await expect(started).rejects.toMatchObject({ code: "unavailable" });
    await clock.play(5_000);
    expect(children.started).toHaveLength(1);
    expect(children.living("worker")).toEqual([]);
  });
});

describe("dying", () => {
  test.each<ChildKind>(["worker", "control"])("a dead %s is started again after 100 ms, on its port", async (kind) => {
    const { clock, children, logged, up } = scriptedSupervisor(2);
    await up();
    const others = children.started.filter((child) => child.kind !== kind);
    const [victim] = children.living(kind);
    victim?.exit(null, "SIGKILL");
    await clock.play(99);
    expect(children.started).toHaveLength(3);
    await clock.play(601);
    expect(children.started[3]).toMatchObject({
      kind,
      options: { port: PORTS[kind], restarts: { [kind]: 1 }, isFirst: false, earlierWorkersAreGone: false },
    });
    // The first control process is started where no earlier worker is left; later ones have the workers of this service.
    const control = children.started.find((child) => child.kind === "control");
    expect(control).toMatchObject({ options: { earlierWorkersAreGone: true } });
    expect(logged("process died")).toMatchObject([{ kind: kind, pid: victim?.pid, signal: "SIGKILL" }]);
    // Only the control process is notified, for the metric of restarts.
    for (const other of others) expect([other.lives, received(other)]).toEqual([true, []]);
    expect(children.living("control")[0]?.received).toEqual(kind === "worker" ? ["restarts"] : []);
  });

  test("a dead speech process is started again, on its socket; its restart is a metric of the control process", async () => {
    const speech = {
      socketPath: "/run/speech.sock",
      settings: { processes: 2, modelFolder: undefined, turnModelPath: undefined },
    };
    const { clock, children, up } = scriptedSupervisor(1, { speech: { ...speech, logLevel: "info" } });
    await up();
    children.living("speech")[0]?.exit(null, "SIGKILL");
    await clock.play(100 + 600);
    expect(children.living("speech")).toMatchObject([{ options: { speech, restarts: { speech: 1 } } }]);
    expect(children.living("worker")[0]?.options).toMatchObject({ speech });
    expect(children.living("control")[0]?.received).toEqual(["restarts"]);
  });

  test("there is no speech process where no local speech model is configured", async () => {
    const { children, up } = scriptedSupervisor(1);
    await up();
    expect(children.living("speech")).toEqual([]);
  });

  test("the retrieval process is started when the control process needs it, once, and again when it dies", async () => {
    const { clock, children, up, supervisor } = scriptedSupervisor(1);
    await up();
    expect(children.living("retrieval")).toEqual([]);
    const [control] = children.living("control");
    control?.emit({ kind: "retrieval-needed" });
    control?.emit({ kind: "retrieval-needed" });
    await clock.play(600);
    expect(children.living("retrieval")).toMatchObject([
      { options: { retrieval: { socketPath: "/run/retrieval.sock" } } },
    ]);
    children.living("retrieval")[0]?.exit(null, "SIGKILL");
    await clock.play(100 + 600);
    expect(children.living("retrieval")).toMatchObject([{ options: { restarts: { retrieval: 1 } } }]);
    await clock.drive(supervisor.stop());
    expect(children.living("retrieval")).toEqual([]);
  });

  test("a retrieval process that cannot be started is tried again, and the service serves without it", async () => {
    let starts = 0;
    const { clock, children, up, logged } = scriptedSupervisor(1, {
      readyMs: ({ kind }) => (kind === "retrieval" && ++starts === 1 ? undefined : 500),
    });
    await up();
    children.living("control")[0]?.emit({ kind: "retrieval-needed" });
    await clock.play(PROCESS_START_MS_MAX + 2_000);
    expect(logged("process could not be started")).toMatchObject([{ kind: "retrieval", code: "unavailable" }]);
    expect(children.living("retrieval")).toHaveLength(1);
    expect(children.living("worker").length).toBeGreaterThan(0);
  });

  test("one that dies again at once is restarted after twice the delay each time; after a stable run the delay is 100 ms again", async () => {
    const { clock, children, up } = scriptedSupervisor(1, { readyMs: () => 0 });
    await up();
    const delaysMs: number[] = [];
    for (let deaths = 0; deaths < 9; deaths += 1) {
      if (deaths === 8) await clock.play(PROCESS_STABLE_MS + 1);
      children.living("worker")[0]?.exit(1);
      const diedMs = clock.nowMs();
      while (children.living("worker").length === 0) await clock.play(50);
      delaysMs.push(elapsedMs(diedMs, clock.nowMs()));
      await clock.play(1);
    }
    expect(delaysMs).toEqual([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000, 100]);
  });

  test("one that is killed every few seconds is restarted after 100 ms each time, because it had been ready", async () => {
    const { clock, children, up } = scriptedSupervisor(2, { readyMs: () => 0 });
    await up();
    for (let kills = 0; kills < 6; kills += 1) {
      await clock.play(2_500);
      children.living("worker")[0]?.exit(null, "SIGKILL");
      await clock.play(150);
      expect(children.living("worker")).toHaveLength(2);
    }
  });

  test("restarting one is retried for as long as it fails", async () => {
    let broken = false;
    const { clock, children, logged, up } = scriptedSupervisor(1, { readyMs: () => 0 });
    await up();
    broken = true;
    const { onStart } = children;
    children.onStart = (child) => (broken ? child.exit(1) : onStart(child));
    children.living("worker")[0]?.exit(1);
    await clock.play(4_000);
    expect(logged("process could not be restarted").length).toBeGreaterThan(2);
    broken = false;
    await clock.play(5_000);
    expect(children.living("worker")).toHaveLength(1);
  });

  test("restarting one is retried for as long as the system refuses it, without other effects", async () => {
    let isRefused = false;
    const { clock, children, logged, up } = scriptedSupervisor(2, { isRefused: () => isRefused });
    await up();
    isRefused = true;
    children.living("worker")[0]?.exit(null, "SIGKILL");
    await clock.play(2 * PROCESS_START_MS_MAX);
    expect(logged("process could not be restarted").length).toBeGreaterThan(5);
    isRefused = false;
    await clock.play(6_000);
    expect(children.living("worker")).toHaveLength(2);
  });
});

describe("falling silent", () => {
  test("a worker without a heartbeat for 2 s is killed and replaced, and the reason is logged", async () => {
    let silent = 0;
    const { clock, children, logged, up } = scriptedSupervisor(2, { isSilent: ({ pid }) => pid === silent });
    await up();
    await clock.play(20_000);
    expect(logged("process died")).toEqual([]);
    const [victim, other] = children.living("worker");
    silent = victim?.pid ?? 0;
    await clock.play(WORKER_STALL_MS_MAX - 2 * HEARTBEAT_MS);
    expect(victim?.lives).toBe(true);
    await clock.play(4 * HEARTBEAT_MS);
    expect([victim?.killed, other?.killed]).toEqual([true, false]);
    expect(logged("process died")).toMatchObject([{ kind: "worker", pid: silent, reason: "worker_stalled" }]);
    await clock.play(1_000);
    expect(children.living("worker")).toHaveLength(2);
  });

  test("a shorter stall of a worker, or a longer one of the control process, is tolerated", async () => {
    let isSilent = false;
    const { clock, children, up } = scriptedSupervisor(1, { isSilent: () => isSilent });
    await up();
    isSilent = true;
    await clock.play(WORKER_STALL_MS_MAX - 2 * HEARTBEAT_MS);
    isSilent = false;
    await clock.play(1_000);
    expect(children.started.every(({ lives }) => lives)).toBe(true);
    isSilent = true;
    await clock.play(CONTROL_STALL_MS_MAX - 2 * HEARTBEAT_MS);
    expect(children.living("control")[0]?.pid).toBe(2);
    await clock.play(4 * HEARTBEAT_MS);
    expect(children.started[1]?.killed).toBe(true);
  });

  test("a stall of the supervisor itself kills no process", async () => {
    const { clock, children, up } = scriptedSupervisor(2);
    await up();
    clock.stall(60_000);
    await clock.play(1_000);
    expect(children.started.every(({ lives }) => lives)).toBe(true);
  });
});

describe("stopping", () => {
  test("K7: workers drain, and the control process stops when the last of them has exited", async () => {
    const { clock, children, supervisor, up } = scriptedSupervisor(2, { leavesMs: ({ pid }) => pid * 1_000 });
    await up();
    const stopped = supervisor.stop();
    await clock.play(500);
    expect(children.started.map(received)).toEqual([["drain"], ["drain"], ["drain"]]);
    await clock.play(1_500);
    expect(children.living("worker")).toHaveLength(1);
    expect(received(children.started[1])).toEqual(["drain"]);
    await clock.drive(stopped);
    expect(received(children.started[1])).toEqual(["drain", "stop"]);
    expect(children.started.some(({ lives, killed }) => lives || killed)).toBe(false);
  });

  test.each<[what: string, hangs: (child: ScriptedChild) => boolean]>([
    ["a worker hangs", ({ pid }) => pid === 1],
    ["the control process hangs", ({ kind }) => kind === "control"],
    ["everything hangs", () => true],
  ])("K8: it is over 5 s after DRAIN_MS though %s", async (_what, hangs) => {
    const { clock, children, supervisor, up } = scriptedSupervisor(2, {
      leavesMs: (child) => (hangs(child) ? undefined : child.kind === "worker" ? DRAIN_MS + 3_500 : 500),
    });
    await up();
    const beganMs = clock.nowMs();
    await clock.drive(supervisor.stop());
    expect(elapsedMs(beganMs, clock.nowMs())).toBeLessThanOrEqual(DRAIN_MS + 5_010);
    for (const child of children.started) expect([child.lives, child.killed]).toEqual([false, hangs(child)]);
  });

  test("K8: a control process that dies while calls end is restarted for their records, a worker is not", async () => {
    const { clock, children, supervisor, up } = scriptedSupervisor(2, {
      leavesMs: ({ kind }) => (kind === "worker" ? 10_000 : 0),
    });
    await up();
    const stopped = supervisor.stop();
    await clock.play(1_000);
    children.started[0]?.exit(null, "SIGSEGV");
    children.started[1]?.exit(null, "SIGKILL");
    await clock.play(2_000);
    expect(children.started.slice(3).map((child) => [child.kind, received(child)])).toEqual([["control", ["drain"]]]);
    await clock.drive(stopped);
    expect(received(children.started[3])).toEqual(["drain", "stop"]);
  });

  describe("a node of a cluster", () => {
    const CLUSTER = { name: asNodeName("one"), mediaUrl: "ws://one.example", relayUrl: undefined };
    const node = () => scriptedSupervisor(1, { leavesMs: () => 500 }, undefined, CLUSTER);

    test("its workers take calls until none that was placed on it waits, and have what is left of DRAIN_MS", async () => {
      const { clock, children, supervisor, up } = node();
      await up();
      const [worker, control] = children.started;
      const messages: ToChild[] = [];
      if (worker !== undefined) worker.onMessage = (message) => messages.push(message);
      const stopped = supervisor.stop();
      await clock.play(4_000);
      expect([received(worker), received(control)]).toEqual([[], ["drain"]]);
      control?.emit({ kind: "no-call-waits" });
      await settled();
      expect(messages).toEqual([{ kind: "drain", withinMs: DRAIN_MS - 4_000 }]);
      await clock.drive(stopped);
      expect(children.started.some(({ lives }) => lives)).toBe(false);
    });

    test("a worker that dies meanwhile is replaced, and the next control process drains too", async () => {
      const { clock, children, supervisor, up } = node();
      await up();
      const stopped = supervisor.stop();
      await clock.play(500);
      for (const child of children.started) child.exit(null, "SIGKILL");
      await clock.play(3_000);
      expect(children.started.slice(2).map((child) => [child.kind, received(child)])).toEqual(
        expect.arrayContaining([
          ["worker", []],
          ["control", ["drain"]],
        ]),
      );
      await clock.drive(stopped);
    });

    test("K8: it waits no longer than the tokens of those calls last", async () => {
      const { clock, children, supervisor, up } = node();
      await up();
      void supervisor.stop();
      await clock.play(TOKEN_TTL_S * 1_000 + NODE_CLOSING_MS - 10);
      expect(received(children.started[0])).toEqual([]);
      await clock.play(20);
      expect(received(children.started[0])).toEqual(["drain"]);
    });

    test("a second signal does not wait for them", async () => {
      const { clock, children, supervisor, up } = node();
      await up();
      const stopped = supervisor.stop();
      supervisor.kill();
      await clock.play(10);
      await stopped;
      expect(children.started.map(({ killed }) => killed)).toEqual([true, true]);
    });
  });

  test("killing ends all processes at once, and none is restarted", async () => {
    const { clock, children, supervisor, up } = scriptedSupervisor(2);
    await up();
    void supervisor.stop();
    supervisor.kill();
    await clock.play(60_000);
    expect(children.started.map(({ killed }) => killed)).toEqual([true, true, true]);
  });
});
