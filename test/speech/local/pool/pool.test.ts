import { describe, expect, onTestFinished, test } from "vitest";
import { RESTART_MS_MIN } from "../../../../src/core/limits/service/processes.ts";
import {
  LOCAL_SPEECH_BATCH_JOBS_MAX,
  LOCAL_SPEECH_JOB_MS_MAX,
  LOCAL_SPEECH_JOBS_MAX,
  LOCAL_SPEECH_RSS_MB_MAX,
  LOCAL_SPEECH_STARTS_MAX,
  LOCAL_SPEECH_STOPS_MAX,
  LOCAL_STT_FINAL_MS_MAX,
  LOCAL_STT_INTERIM_WAIT_MS_MAX,
} from "../../../../src/core/limits/speech-providers/local-speech.ts";
import type { Deadline, JobOutcome, SpeechTask, Urgency } from "../../../../src/speech/local/jobs.ts";
import { type PoolObserver, SpeechPool } from "../../../../src/speech/local/pool/pool.ts";
import {
  type ChildScript,
  scriptedChildren,
  spoken,
  spokenText,
} from "../../../support/local-speech/scripted-child.ts";
import { ManualClock } from "../../../support/manual-clock.ts";

const FAIL: Deadline = { delayMs: LOCAL_STT_FINAL_MS_MAX, pastDeadline: "fail" };
const WAIT: Deadline = { delayMs: LOCAL_STT_FINAL_MS_MAX, pastDeadline: "wait" };
const DROP: Deadline = { delayMs: LOCAL_STT_INTERIM_WAIT_MS_MAX, pastDeadline: "drop" };

/** A pool of scripted children, and what its observer sees. */
async function poolOf(script: ChildScript = {}, processes = 1) {
  const clock = new ManualClock();
  const { start, started } = scriptedChildren(clock, script);
  const ended: string[] = [];
  const jobs: string[] = [];
  const observer: PoolObserver = {
    childReady: () => {},
    childEnded: (cause, detail) => ended.push(`${cause}: ${detail}`),
    jobEnded: (urgency, outcome) => jobs.push(`${urgency} ${outcome}`),
  };
  const pool = new SpeechPool({ processes, start, clock, observer });
  onTestFinished(() => pool.close());
  const task = (words: number): SpeechTask => ({
    kind: "transcribe",
    samples: spoken(words, 16_000),
    rateHz: 16_000,
    language: "en",
  });
  /** The outcomes of jobs, in the order in which they came. */
  const outcomes: [name: string, outcome: JobOutcome][] = [];
  const submit = (name: string, urgency: Urgency = "final", deadline?: Deadline) => {
    const job = pool.submit(task(1), urgency, deadline);
    void job.outcome.then((outcome) => outcomes.push([name, outcome]));
    return job;
  };
  const names = (outcome: JobOutcome["outcome"]) =>
    outcomes.filter(([, one]) => one.outcome === outcome).map(([name]) => name);
  await clock.play(0);
  return { clock, pool, started, ended, jobs, outcomes, submit, names, task };
}

describe("the pool of processes with a speech model", () => {
  test("transcribes, and reports how long a job waited and took", async () => {
    const { clock, pool, task } = await poolOf();
    const first = pool.submit(task(3), "final", WAIT);
    const second = pool.submit(task(2), "final", WAIT);
    await clock.play(200);
    expect(await first.outcome).toMatchObject({ outcome: "done", waitMs: 0, passMs: 100, lateMs: 0 });
    expect(await second.outcome).toMatchObject({ hypothesis: { text: spokenText(2) }, waitMs: 100, lateMs: 0 });
  });

  test("takes finals before what was asked at a pause, and that before interims", async () => {
    const { clock, submit, names } = await poolOf();
    submit("running");
    submit("interim", "interim", { ...DROP, delayMs: 1_000 });
    submit("pause", "pause");
    submit("final");
    await clock.play(1_000);
    expect(names("done")).toEqual(["running", "final", "pause", "interim"]);
  });

  test("asks the turn model after finals and before everything else, and stops an interim for it", async () => {
    const { clock, pool, submit, names } = await poolOf({ judge: ({ samples }) => samples.length / 1_000 });
    submit("interim", "interim");
    submit("pause", "pause");
    submit("final");
    const judged = pool.submit({ kind: "end-of-turn", samples: new Int16Array(700), rateHz: 16_000 }, "turn", DROP);
    await clock.play(1_000);
    expect(await judged.outcome).toMatchObject({ outcome: "judged", probability: 0.7, waitMs: 105, passMs: 100 });
    expect([names("dropped"), names("done")]).toEqual([["interim"], ["final", "pause"]]);
  });

  test("a turn model that no process could ask in time is not asked any more", async () => {
    const { clock, pool, submit } = await poolOf({ passMs: () => 1_000 });
    submit("running");
    const judged = pool.submit({ kind: "end-of-turn", samples: new Int16Array(700), rateHz: 16_000 }, "turn", DROP);
    await clock.play(2_000);
    expect(await judged.outcome).toEqual({ outcome: "dropped" });
  });

  test("a job that becomes a final is next", async () => {
    const { clock, submit, names } = await poolOf();
    submit("running");
    submit("pause 1", "pause");
    const raised = submit("pause 2", "pause");
    raised.raise(WAIT);
    await clock.play(1_000);
    expect(names("done")).toEqual(["running", "pause 2", "pause 1"]);
  });

  test("a final stops a running interim, which is dropped", async () => {
    const { clock, submit, names, started } = await poolOf({ passMs: () => 400 });
    submit("interim", "interim", DROP);
    await clock.play(100);
    submit("final", "final", WAIT);
    await clock.play(404);
    expect([names("dropped"), names("done")]).toEqual([["interim"], []]);
    await clock.play(1);
    expect(names("done")).toEqual(["final"]);
    expect(started).toHaveLength(1);
  });

  test("stops no more interims than it needs processes", async () => {
    const { clock, submit, names } = await poolOf({ passMs: () => 300 }, 2);
    submit("interim 1", "interim", DROP);
    submit("interim 2", "interim", DROP);
    submit("final", "final", WAIT);
    await clock.play(500);
    expect([names("dropped"), names("done")]).toEqual([["interim 1"], ["interim 2", "final"]]);
  });

  test("drops an interim that no process takes in time, and counts it", async () => {
    const { clock, submit, names, jobs } = await poolOf({ passMs: () => 700 });
    submit("final", "final", WAIT);
    submit("interim", "interim", DROP);
    await clock.play(LOCAL_STT_INTERIM_WAIT_MS_MAX);
    expect(names("dropped")).toEqual(["interim"]);
    expect(jobs).toEqual(["interim dropped"]);
  });

  test("past its deadline a final times out where another provider follows, and frees its process", async () => {
    const { clock, submit, names } = await poolOf({ passMs: () => 2_000 });
    submit("running", "final", FAIL);
    submit("waiting", "final", FAIL);
    await clock.play(LOCAL_STT_FINAL_MS_MAX);
    expect(names("timed_out")).toEqual(["running", "waiting"]);
    submit("next", "final", WAIT);
    await clock.play(10 + 2_000);
    expect(names("done")).toEqual(["next"]);
  });

  test("past its deadline a final without another provider comes late, and says how late", async () => {
    const { clock, submit, outcomes } = await poolOf({ passMs: () => 1_000 });
    submit("first", "final", WAIT);
    submit("second", "final", WAIT);
    await clock.play(2_000);
    expect(outcomes.map(([, outcome]) => outcome)).toMatchObject([{ lateMs: 0 }, { lateMs: 500 }]);
  });

  test("a process that dies is replaced at once, and its job is tried again", async () => {
    const { clock, submit, names, started, ended } = await poolOf();
    submit("final", "final", WAIT);
    submit("next", "final", WAIT);
    await clock.play(50);
    started[0]?.die();
    await clock.play(250);
    expect(names("done")).toEqual(["final", "next"]);
    expect(ended).toEqual(["died: SIGKILL"]);
    expect(started).toHaveLength(2);
  });

  test("a process that dies while it is idle is replaced before the next job", async () => {
    const { clock, submit, names, started, ended } = await poolOf();
    started[0]?.die();
    await clock.play(50);
    submit("final", "final", WAIT);
    await clock.play(150);
    expect([names("done"), ended, started.length]).toEqual([["final"], ["died: SIGKILL"], 2]);
  });

  test("a job of which two processes die fails, and the jobs after it are done", async () => {
    const { clock, submit, outcomes, started } = await poolOf({ passMs: () => 500 });
    submit("deadly", "final", WAIT);
    submit("next", "final", WAIT);
    for (const child of [0, 1]) {
      await clock.play(100);
      started[child]?.die();
    }
    await clock.play(1_000);
    expect(outcomes[0]).toEqual(["deadly", { outcome: "failed", reason: "its processes ended with SIGKILL" }]);
    expect(outcomes[1]).toMatchObject(["next", { outcome: "done" }]);
  });

  test("a process that hangs is killed and replaced, and its job is tried again", async () => {
    let hangs = 0;
    const { clock, submit, names, started, ended } = await poolOf({
      passMs: () => {
        hangs += 1;
        return hangs === 1 ? undefined : 100;
      },
    });
    submit("final", "final", WAIT);
    await clock.play(LOCAL_SPEECH_JOB_MS_MAX + 200);
    expect([names("done"), ended, started.length]).toEqual([["final"], ["hung: SIGKILL"], 2]);
  });

  test("an interim of a process that died is dropped: the next one covers it", async () => {
    const { clock, submit, names, started } = await poolOf();
    submit("interim", "interim", DROP);
    await clock.play(50);
    started[0]?.die();
    await clock.play(200);
    expect([names("dropped"), started[1]?.tasks]).toEqual([["interim"], []]);
  });

  test("a process that has become too large is replaced when its job is done", async () => {
    let megabytes = LOCAL_SPEECH_RSS_MB_MAX / 2;
    const { clock, submit, names, ended } = await poolOf({ residentBytes: () => megabytes * 1_048_576 });
    submit("first");
    await clock.play(150);
    megabytes = LOCAL_SPEECH_RSS_MB_MAX + 1;
    submit("second");
    submit("third");
    await clock.play(400);
    expect(names("done")).toEqual(["first", "second", "third"]);
    expect(ended[0]).toBe("too_large: SIGKILL");
  });

  test("a larger model is replaced only when it grows", async () => {
    const { clock, submit, ended } = await poolOf({ residentBytes: () => 2 * LOCAL_SPEECH_RSS_MB_MAX * 1_048_576 });
    submit("first");
    submit("second");
    await clock.play(500);
    expect(ended).toEqual([]);
  });

  test("jobs fail at once while no process can load the model, with the reason; and then work again", async () => {
    let loading: number | string = "encoder.onnx is truncated";
    const { clock, submit, outcomes, ended } = await poolOf({ loadMs: () => loading });
    await clock.play(10);
    submit("early");
    await clock.play(0);
    const reason = "the model could not be loaded: encoder.onnx is truncated";
    expect(outcomes).toEqual([["early", { outcome: "failed", reason }]]);
    expect(ended).toEqual(["not_started: encoder.onnx is truncated"]);
    loading = 50;
    await clock.play(RESTART_MS_MIN + 100);
    submit("later");
    await clock.play(200);
    expect(outcomes[1]).toMatchObject(["later", { outcome: "done" }]);
  });

  test("a process that is killed while it loads its model fails no job, but five in a row do", async () => {
    const { clock, submit, names, started } = await poolOf({ loadMs: () => 1_000 });
    submit("final", "final", WAIT);
    for (let start = 1; start <= LOCAL_SPEECH_STARTS_MAX; start += 1) {
      expect(names("failed")).toEqual([]);
      started.at(-1)?.die();
      // Less than the model takes to load.
      for (let ms = 0; ms < 2_000 && started.length === start; ms += 10) await clock.play(10);
    }
    expect(names("failed")).toEqual(["final"]);
  });

  test("jobs wait for a process that is loading its model", async () => {
    const { clock, submit, names } = await poolOf({ loadMs: () => 3_000 });
    submit("final", "final", { ...WAIT, delayMs: 1 });
    await clock.play(3_200);
    expect(names("done")).toEqual(["final"]);
  });

  test("a cancelled job leaves the queue or its process, and is not counted", async () => {
    const { clock, submit, names, jobs } = await poolOf({ passMs: () => 1_000 });
    const running = submit("running");
    const waiting = submit("waiting");
    submit("next");
    waiting.cancel();
    running.cancel();
    await clock.play(1_010);
    expect([names("dropped"), names("done"), jobs]).toEqual([["waiting", "running"], ["next"], ["final done"]]);
  });

  test("a full queue drops interims and fails other jobs", async () => {
    const { clock, submit, outcomes } = await poolOf();
    for (let job = 0; job <= LOCAL_SPEECH_JOBS_MAX; job += 1) submit("fits");
    submit("interim", "interim", DROP);
    submit("final", "final", WAIT);
    await clock.play(0);
    expect(outcomes).toEqual([
      ["interim", { outcome: "dropped" }],
      ["final", { outcome: "failed", reason: "too many jobs wait" }],
    ]);
  });

  test("reports what its processes use, also those that have ended", async () => {
    const { clock, pool, submit, started } = await poolOf({}, 2);
    submit("one");
    submit("two");
    submit("waiting");
    submit("interim", "interim", DROP);
    expect(pool.readings.waiting).toEqual({ final: 1, turn: 0, pause: 0, interim: 1, batch: 0 });
    await clock.play(500);
    started[0]?.die();
    await clock.play(0);
    expect(pool.readings).toMatchObject({ cpuMs: 400, residentBytes: 400_000_000, ready: 2 });
  });

  test("fails everything when it is closed", async () => {
    const { clock, pool, submit, names, started } = await poolOf();
    submit("running");
    submit("waiting");
    pool.close();
    submit("late");
    await clock.play(10);
    expect(names("failed")).toEqual(["running", "waiting", "late"]);
    expect(started.map(({ isAlive }) => isAlive)).toEqual([false]);
    expect(clock.pending).toBe(0);
  });
});

describe("a job of a recording", () => {
  test.each([
    "final",
    "turn",
    "pause",
    "interim",
  ] as const)("leaves its process to a job of a call (%s), and is done again", async (urgency) => {
    const { clock, pool, submit, names, started, jobs } = await poolOf({ passMs: () => 400 });
    submit("recording", "batch");
    await clock.play(100);
    const audio = { samples: new Int16Array(700), rateHz: 16_000 };
    const ofCall =
      urgency === "turn" ? pool.submit({ kind: "end-of-turn", ...audio }, "turn", WAIT) : submit("call", urgency, WAIT);
    await clock.play(404);
    expect(jobs).toEqual([]);
    await clock.play(1);
    expect(await ofCall.outcome).toMatchObject({ waitMs: 5, passMs: 400 });
    await clock.play(400);
    expect(names("done")).toContain("recording");
    expect(started[0]?.tasks).toHaveLength(3);
  });

  test("is done after all jobs of calls, in its order", async () => {
    const { clock, submit, names } = await poolOf();
    submit("running");
    submit("recording 1", "batch");
    submit("recording 2", "batch");
    submit("interim", "interim");
    submit("pause", "pause");
    await clock.play(1_000);
    expect(names("done")).toEqual(["running", "pause", "interim", "recording 1", "recording 2"]);
  });

  test("is stopped before an interim, and no more of them than there are jobs of calls", async () => {
    const { clock, submit, names } = await poolOf({ passMs: () => 300 }, 3);
    submit("interim", "interim", DROP);
    submit("recording 1", "batch");
    submit("recording 2", "batch");
    submit("final", "final", WAIT);
    await clock.play(299);
    expect(names("dropped")).toEqual([]);
    await clock.play(1);
    expect(names("done")).toEqual(["interim", "recording 2"]);
    await clock.play(1_000);
    expect(names("done")).toEqual(["interim", "recording 2", "final", "recording 1"]);
  });

  test("is stopped by interims a few times only, and by more urgent jobs any number of times", async () => {
    const { clock, submit, names, started } = await poolOf({ passMs: () => 400 });
    submit("recording", "batch");
    for (let stops = 0; stops < LOCAL_SPEECH_STOPS_MAX; stops += 1) {
      await clock.play(100);
      submit("interim", "interim");
      await clock.play(405);
    }
    expect(names("done")).toEqual(["interim", "interim", "interim"]);
    await clock.play(100);
    submit("final", "final", WAIT);
    await clock.play(405);
    expect(names("done").at(-1)).toBe("final");
    await clock.play(100);
    submit("late interim", "interim");
    await clock.play(1_000);
    expect(names("done").slice(-2)).toEqual(["recording", "late interim"]);
    // The recording was begun once more after each stop.
    expect(started[0]?.tasks).toHaveLength(2 * (LOCAL_SPEECH_STOPS_MAX + 1) + 2);
  });

  test("that was stopped can be cancelled, and is not done again", async () => {
    const { clock, submit, names, started } = await poolOf({ passMs: () => 300 });
    const recording = submit("recording", "batch");
    await clock.play(100);
    submit("final", "final", WAIT);
    recording.cancel();
    await clock.play(1_000);
    expect([names("dropped"), names("done")]).toEqual([["recording"], ["final"]]);
    expect(started[0]?.tasks).toHaveLength(2);
  });

  test("takes no room of calls: too many fail, and calls have theirs all the same", async () => {
    const { clock, submit, outcomes } = await poolOf();
    submit("running");
    for (let job = 0; job < LOCAL_SPEECH_BATCH_JOBS_MAX; job += 1) submit("waits", "batch");
    submit("recording", "batch");
    for (let job = 0; job < LOCAL_SPEECH_JOBS_MAX; job += 1) submit("waits");
    submit("final", "final", WAIT);
    await clock.play(0);
    expect(outcomes).toEqual([
      ["recording", { outcome: "failed", reason: "too many jobs wait" }],
      ["final", { outcome: "failed", reason: "too many jobs wait" }],
    ]);
  });

  test("of two processes that died fails, like any other", async () => {
    const { clock, submit, outcomes, started } = await poolOf({ passMs: () => 300 });
    submit("recording", "batch");
    await clock.play(100);
    started[0]?.die();
    await clock.play(100);
    started[1]?.die();
    await clock.play(100);
    expect(outcomes).toMatchObject([["recording", { outcome: "failed" }]]);
  });
});
