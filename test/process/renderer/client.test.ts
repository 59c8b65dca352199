import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { constants, getPriority } from "node:os";
import { basename, dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import { callMs } from "../../../src/core/clocks.ts";
import { asCallId, asTurnId, type CallId } from "../../../src/core/ids.ts";
import { HEARTBEAT_MS, RESTART_MS_MAX } from "../../../src/core/limits/service/processes.ts";
import {
  RECORDS_CONCURRENT_MAX,
  RENDERER_ASIDE_WAITING_MAX,
  RENDERER_JOURNAL_BYTES_MAX,
  RENDERER_STALL_MS_MAX,
  RENDERER_TRIES_MAX,
} from "../../../src/core/limits/storage/storage.ts";
import { RendererClient, type RendererEvents } from "../../../src/process/renderer/client.ts";
import { forkRenderer, journalBytesIn } from "../../../src/process/renderer/fork.ts";
import type { RendererMessage, RendererRequest } from "../../../src/process/renderer/messages.ts";
import { journalPath } from "../../../src/record/journal/reader.ts";
import type { Recording } from "../../../src/record/recording/render.ts";
import { recordingPath } from "../../../src/record/recording/render.ts";
import { waveformPath } from "../../../src/record/recording/waveform.ts";
import { START } from "../../support/journals/example-call.ts";
import { JournalFile } from "../../support/journals/journal-file.ts";
import { ManualClock, settled } from "../../support/manual-clock.ts";
import { memoryLog } from "../../support/memory-log.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const RECORDING: Recording = { channels: 2, sampleRateHz: 8_000, durationMs: 1, complete: true };

/** A renderer whose answers and deaths a test decides. */
class ScriptedRenderer {
  readonly events: RendererEvents;
  readonly requests: RendererRequest[] = [];
  #isGone = false;

  constructor(events: RendererEvents) {
    this.events = events;
  }

  say(message: RendererMessage): void {
    this.events.onMessage(message);
  }

  /** Answers everything that it was asked and has not answered. */
  answerAll(): void {
    for (const { id } of this.requests.splice(0)) this.say({ kind: "rendered", id, recording: RECORDING });
  }

  die(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.events.onExit({ exitCode: null, signal: "SIGKILL" });
  }
}

function scripted(journalBytes = (_callId: string): number => 1_000) {
  const clock = new ManualClock();
  const { log, lines } = memoryLog();
  const started: ScriptedRenderer[] = [];
  let restarts = 0;
  const renderer = new RendererClient({
    start: (events) => {
      const one = new ScriptedRenderer(events);
      started.push(one);
      return { pid: started.length, send: (request) => void one.requests.push(request), kill: () => one.die() };
    },
    journalBytes,
    clock,
    log,
    onRestart: () => {
      restarts += 1;
    },
  });
  const latest = (): ScriptedRenderer => started.at(-1) as ScriptedRenderer;
  const ready = (): void => latest().say({ kind: "ready" });
  return { renderer, clock, started, latest, ready, lines, restarts: () => restarts };
}

const ids = (renderer: ScriptedRenderer): string[] => renderer.requests.map(({ callId }) => callId);

describe("the renderer's process", () => {
  test("ADV-M9: is asked for no more journals at once than its bounds of count and bytes allow", async () => {
    const { renderer, latest, ready } = scripted((callId) => (callId === "long" ? 2 * RENDERER_JOURNAL_BYTES_MAX : 1));
    const many = Array.from({ length: RECORDS_CONCURRENT_MAX + 3 }, (_, index) =>
      renderer.render(asCallId(`call ${index}`)),
    );
    expect(latest().requests).toEqual([]);
    ready();
    expect(latest().requests).toHaveLength(RECORDS_CONCURRENT_MAX);
    const long = renderer.render(asCallId("long"));
    latest().answerAll();
    expect(ids(latest())).toEqual(["call 8", "call 9", "call 10"]);
    latest().answerAll();
    expect(ids(latest())).toEqual(["long"]);
    const last = renderer.render(asCallId("last"));
    expect(ids(latest())).toEqual(["long"]);
    latest().answerAll();
    latest().answerAll();
    expect(await Promise.all([...many, long, last])).toEqual(Array(RECORDS_CONCURRENT_MAX + 5).fill(RECORDING));
  });

  test("does what pages ask for after the ends of calls, one at a time, and refuses what too many wait for", async () => {
    const { renderer, latest, ready } = scripted();
    const replays = Array.from({ length: RENDERER_ASIDE_WAITING_MAX }, (_, index) =>
      renderer.checkReplay(asCallId(`old ${index}`)),
    );
    const rendered = renderer.render(asCallId("ended"));
    expect(renderer.checkReplay(asCallId("old 0"))).toBe(replays[0]);
    await expect(renderer.makeWaveform(asCallId("more"))).rejects.toMatchObject({ code: "unavailable" });
    await settled();
    ready();
    expect(ids(latest())).toEqual(["ended", "old 0"]);
    const next = renderer.render(asCallId("ended later"));
    await settled();
    expect(ids(latest())).toEqual(["ended", "old 0", "ended later"]);
    latest().answerAll();
    expect(ids(latest())).toEqual(["old 1"]);
    expect(await Promise.all([rendered, next])).toEqual([RECORDING, RECORDING]);
    renderer.close();
    await Promise.allSettled(replays);
  });

  test("says how far a recording is, to the one that requested it", async () => {
    const { renderer, latest, ready } = scripted();
    ready();
    const heard: unknown[] = [];
    const rendered = [
      renderer.render(asCallId("one"), (progress) => heard.push(["one", progress])),
      renderer.render(asCallId("two"), (progress) => heard.push(["two", progress])),
    ];
    const progress = { renderedMs: 8_000, durationMs: 60_000 };
    latest().say({ kind: "progress", id: latest().requests[1]?.id ?? 0, progress });
    latest().answerAll();
    await Promise.all(rendered);
    latest().say({ kind: "progress", id: 1, progress });
    expect(heard).toEqual([["two", progress]]);
  });

  test("ADV-M9: is restarted when it dies, and repeats the work in progress", async () => {
    const { renderer, clock, started, latest, ready, restarts } = scripted();
    ready();
    const rendered = renderer.render(asCallId("call"));
    latest().die();
    await clock.play(RESTART_MS_MAX);
    expect([started.length, restarts()]).toEqual([2, 1]);
    ready();
    latest().answerAll();
    expect(await rendered).toEqual(RECORDING);
  });

  test("ADV-M9: skips a journal that kills it repeatedly, and processes all others", async () => {
    const { renderer, clock, latest, ready, lines } = scripted();
    const callIds = ["a", "b", "poison", "c"];
    const done = callIds.map((callId) => renderer.render(asCallId(callId)).catch(({ code }) => code as string));
    for (let round = 0; round < 30; round++) {
      ready();
      // Dies of the poison, and answers whatever it is asked without it.
      while (latest().requests.length > 0 && !ids(latest()).includes("poison")) latest().answerAll();
      if (latest().requests.length === 0) break;
      latest().die();
      await clock.play(RESTART_MS_MAX);
    }
    expect(await Promise.all(done)).toEqual([RECORDING, RECORDING, "renderer_died", RECORDING]);
    expect(lines.filter((line) => line.includes("renderer died"))).toHaveLength(RENDERER_TRIES_MAX);
  });

  test("ADV-M9: is killed and replaced when its event loop is blocked, and not otherwise", async () => {
    const { renderer, clock, started, latest, ready } = scripted();
    ready();
    const rendered = renderer.render(asCallId("call"));
    for (let beats = 0; beats < (2 * RENDERER_STALL_MS_MAX) / HEARTBEAT_MS; beats++) {
      await clock.play(HEARTBEAT_MS);
      latest().say({ kind: "heartbeat" });
    }
    expect(started).toHaveLength(1);
    await clock.play(RENDERER_STALL_MS_MAX + RESTART_MS_MAX);
    expect(started).toHaveLength(2);
    ready();
    latest().answerAll();
    expect(await rendered).toEqual(RECORDING);
  });

  test("ADV-M9: that never becomes ready is restarted; waiting work fails after some attempts, and the failure lasts until one is ready", async () => {
    const { renderer, clock, latest, ready, lines } = scripted();
    const first = renderer.project(asCallId("call")).catch(({ code }) => code as string);
    for (let death = 1; death < RENDERER_TRIES_MAX; death += 1) {
      latest().die();
      await clock.play(RESTART_MS_MAX);
    }
    expect(renderer.isFailing).toBe(false);
    latest().die();
    expect([await first, renderer.isFailing]).toEqual(["renderer_died", true]);
    expect(lines.filter((line) => line.includes("renderer cannot be started: new calls are refused"))).toHaveLength(1);
    const second = renderer.render(asCallId("call"));
    await clock.play(RESTART_MS_MAX);
    ready();
    expect(renderer.isFailing).toBe(false);
    latest().answerAll();
    expect(await second).toEqual(RECORDING);
  });

  test("ADV-M9: a start that throws is retried, and the error does not escape", async () => {
    const clock = new ManualClock();
    const { log, lines } = memoryLog();
    let starts = 0;
    const renderer = new RendererClient({
      start: () => {
        starts += 1;
        throw Object.assign(new Error("spawn ENOMEM"), { code: "ENOMEM" });
      },
      journalBytes: () => 1,
      clock,
      log,
      onRestart: () => {},
    });
    await clock.play(RENDERER_TRIES_MAX * RESTART_MS_MAX);
    expect(starts).toBeGreaterThanOrEqual(RENDERER_TRIES_MAX);
    expect(renderer.isFailing).toBe(true);
    expect(lines.join("")).toContain("could not be started");
    renderer.close();
  });

  test("ADV-M9: rejects unfinished work when it is closed, and is not restarted", async () => {
    const { renderer, clock, started, ready } = scripted();
    ready();
    const rendered = renderer.render(asCallId("call"));
    renderer.close();
    await expect(rendered).rejects.toMatchObject({ code: "unavailable" });
    await clock.play(2 * RESTART_MS_MAX);
    expect(started).toHaveLength(1);
  });
});

describe("the renderer", () => {
  const closers: (() => void)[] = [];
  afterEach(() => {
    for (const close of closers.splice(0)) close();
  });

  /** A real one, over an installation with the journal of one call. */
  function real() {
    const directory = temporaryDirectory();
    spawnSync("mkdir", ["-p", `${directory}/recordings`, `${directory}/journals`]);
    const { log, lines } = memoryLog();
    const renderer = new RendererClient({
      start: forkRenderer(directory, { LD_LIBRARY_PATH: "/nowhere" }),
      journalBytes: journalBytesIn(directory),
      clock: systemClock,
      log,
      onRestart: () => {},
    });
    closers.push(() => renderer.close());
    const pid = async (): Promise<number> => {
      for (;;) {
        const started = lines.map((line) => JSON.parse(line)).findLast(({ msg }) => msg === "renderer started");
        if (started !== undefined) return started.pid;
        await settled();
      }
    };
    const journal = (callId: CallId, frames: number): void => {
      const file = new JournalFile({ ...START, callId }, journalPath(directory, callId));
      for (let frame = 1; frame <= frames; frame++) file.frameIn(frame * 20, frame * 20, new Uint8Array(160));
      file.end(frames * 20 + 20);
    };
    return { directory, renderer, lines, pid, journal };
  }

  test("ADV-M9: makes a record and a recording at a low priority, without the service's environment", async () => {
    const { directory, renderer, pid, journal } = real();
    journal(asCallId("call_1"), 50);
    expect(await renderer.project(asCallId("call_1"))).toMatchObject({
      header: { accountId: START.accountId },
      frames: { in: 50 },
    });
    expect(await renderer.render(asCallId("call_1"))).toMatchObject({ channels: 2, complete: true });
    expect(existsSync(recordingPath(directory, asCallId("call_1")))).toBe(true);
    expect(getPriority(await pid())).toBeGreaterThanOrEqual(constants.priority.PRIORITY_BELOW_NORMAL);
    if (process.platform === "linux")
      expect(readFileSync(`/proc/${await pid()}/environ`, "utf8")).toMatch(
        /^LD_LIBRARY_PATH=\/nowhere\0(NODE_CHANNEL\w+=\w+\0)*$/,
      );
    await expect(renderer.project(asCallId("call_2"))).rejects.toMatchObject({
      code: "journal_unreadable",
      cause: { code: "ENOENT" },
    });
  });

  test("reads the spans of a live call as far as its journal is written, and the rest with the record", async () => {
    const { directory, renderer } = real();
    const callId = asCallId("call_1");
    const request = { afterNumber: 0, hasWords: false };
    const journal = new JournalFile({ ...START, callId }, journalPath(directory, callId));
    const reply = (turn: number, atMs: number): void => {
      const turnId = asTurnId(turn);
      journal.add(
        {
          kind: "command",
          timeMs: callMs(atMs),
          command: { kind: "generate-reply", turnId, messages: 1, language: "en" },
        },
        { kind: "event", timeMs: callMs(atMs + 300), event: { kind: "reply-end", turnId } },
      );
    };
    reply(1, 1_000);
    reply(2, 5_000);
    const page = await renderer.trace(callId, request);
    expect(page?.spans.map(({ name }) => name)).toEqual(["turn", "chat"]);
    expect(page?.startedAtMs).toBe(Date.parse(START.startedAt));
    journal.end(9_000);
    const { spans } = await renderer.project(callId, { ...request, afterNumber: 2 });
    expect(spans.map(({ name, number, startMs }) => [name, number, startMs])).toEqual([
      ["turn", 3, 5_000],
      ["chat", 4, 5_000],
    ]);
  });

  test("ADV-M9: that is killed while it writes leaves no file with the recording's name, and the recording is made later", async () => {
    const { directory, renderer, pid, journal, lines } = real();
    journal(asCallId("call_1"), 10_000);
    await renderer.project(asCallId("call_1"));
    const rendered = renderer.render(asCallId("call_1"));
    const path = recordingPath(directory, asCallId("call_1"));
    const first = await pid();
    while (!existsSync(`${path}.${first}.unfinished`)) await settled();
    process.kill(first, "SIGKILL");
    expect(existsSync(path)).toBe(false);
    expect(await rendered).toMatchObject({ durationMs: 200_020, complete: true });
    expect(lines.join("")).toContain("renderer died");
    // What the dead one had written was swept.
    expect(readdirSync(dirname(path)).sort()).toEqual([basename(waveformPath(path)), basename(path)]);
  });

  test("ADV-M9: ends when its parent dies, also while its own event loop is blocked", async () => {
    const module = new URL("../../../src/core/child-processes/parent-watchdog.ts", import.meta.url).href;
    const api = createRequire(import.meta.url).resolve("tsx");
    const child = `import { exitWithParent } from ${JSON.stringify(module)}; exitWithParent(process.ppid); console.log("watched"); for (;;);`;
    const parent = `require("node:child_process").spawn(process.execPath, ["--import", ${JSON.stringify(pathToFileURL(api).href)}, "--input-type=module", "--eval", ${JSON.stringify(child)}], { stdio: "inherit" });`;
    const spawned = spawn(process.execPath, ["--eval", parent], { stdio: ["ignore", "pipe", "inherit"] });
    // Both hold the other end of it.
    const ended = once(spawned.stdout, "end");
    await once(spawned.stdout, "data");
    spawned.kill("SIGKILL");
    spawned.stdout.resume();
    await ended;
  });
});
