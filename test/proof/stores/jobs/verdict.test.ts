import { describe, expect, test } from "vitest";
import { asJobId } from "../../../../src/core/ids.ts";
import type { Attempt } from "./effects.ts";
import { KINDS, type Kind } from "./kinds.ts";
import { type Evidence, problemsOf, type Verdict, verdictOf } from "./verdict.ts";

const attempt = (jobId: string, kind: Kind, changes: Partial<Attempt> = {}): Attempt => ({
  jobId,
  kind,
  attempt: 1,
  losses: 0,
  begunMs: 10,
  endedMs: 20,
  ...changes,
});
const SCHEDULE = { id: asJobId("schedule"), kind: KINDS.scheduled, status: "pending" } as const;

/** A job that was interrupted once and then done, one that is dead as meant, a call with its recording, and a schedule. */
const RIGHT: Evidence = {
  accepted: [
    { id: "one", kind: KINDS.quick, fact: "fact 1" },
    { id: "two", kind: KINDS.doomed, fact: "fact 2" },
    { id: "three", kind: KINDS.endCall, fact: "call_1" },
  ],
  effects: [
    { jobId: "one", kind: KINDS.quick, fact: "fact 1" },
    { jobId: "three", kind: KINDS.endCall, fact: "call_1" },
    { jobId: "four", kind: KINDS.render, fact: "call_1" },
    { jobId: "schedule", kind: KINDS.scheduled, fact: "" },
  ],
  attempts: [
    attempt("one", KINDS.quick, { endedMs: null }),
    attempt("one", KINDS.quick, { losses: 1 }),
    attempt("two", KINDS.doomed),
    attempt("two", KINDS.doomed, { attempt: 2, begunMs: 20 }),
    attempt("three", KINDS.endCall),
    attempt("four", KINDS.render),
    attempt("schedule", KINDS.scheduled),
    attempt("schedule", KINDS.scheduled, { begunMs: 200 }),
  ],
  left: [SCHEDULE, { id: asJobId("two"), kind: KINDS.doomed, status: "dead" }],
  lastKillMs: 100,
};

describe("the verdict on jobs whose runner is killed", () => {
  test("finds nothing wrong where every job is done, or dead as meant", () => {
    expect(verdictOf(RIGHT)).toMatchObject({ done: 4, dead: 1, interrupted: 1 });
    expect(problemsOf(verdictOf(RIGHT))).toBe("");
  });

  const without = (jobId: string): Partial<Evidence> => ({
    effects: RIGHT.effects.filter((effect) => effect.jobId !== jobId),
  });
  test.each<[what: string, changes: Partial<Evidence>, count: keyof Verdict]>([
    ["a job without its effect", without("one"), "missing"],
    ["a call that has ended without its recording's job", without("four"), "missing"],
    ["a job that was meant to die and is gone", { left: [SCHEDULE] }, "missing"],
    [
      "one fact under two ids",
      { effects: [...RIGHT.effects, { jobId: "five", kind: KINDS.render, fact: "call_1" }] },
      "doubled",
    ],
    [
      "an attempt that begins while another runner has the job",
      { attempts: [...RIGHT.attempts, attempt("four", KINDS.render, { attempt: 2, begunMs: 15 })] },
      "claimedTwice",
    ],
    [
      "a job that is still running",
      { left: [...RIGHT.left, { id: asJobId("one"), kind: KINDS.quick, status: "running" }] },
      "stuck",
    ],
    [
      "a dead job that was to be done",
      { left: [...RIGHT.left, { id: asJobId("one"), kind: KINDS.quick, status: "dead" }] },
      "wronglyDead",
    ],
    ["a schedule that is gone", { left: RIGHT.left.slice(1) }, "brokenSchedules"],
    ["a schedule with two jobs", { left: [...RIGHT.left, SCHEDULE] }, "brokenSchedules"],
    ["a schedule that has not run again", { lastKillMs: 300 }, "brokenSchedules"],
  ])("notices %s", (_, changes, count) => {
    expect(problemsOf(verdictOf({ ...RIGHT, ...changes }))).toBe(`${count} 1`);
  });

  test("does not count kills that interrupted nothing", () => {
    const attempts = RIGHT.attempts.filter(({ endedMs }) => endedMs !== null);
    expect(problemsOf(verdictOf({ ...RIGHT, attempts }))).toBe("no kill interrupted an attempt");
  });
});
