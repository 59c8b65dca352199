import type { JobRecord } from "../../../../src/store/job-store.ts";
import type { Attempt, Effect } from "./effects.ts";
import { EXPECTATIONS, type Expectation, KINDS, type Kind } from "./kinds.ts";

/** A job that the store has accepted. */
export interface AcceptedJob {
  id: string;
  kind: Kind;
  fact: string;
}

/** What is known when no more processes are killed and nothing is left to do. */
export interface Evidence {
  accepted: readonly AcceptedJob[];
  effects: readonly Effect[];
  attempts: readonly Attempt[];
  /** The jobs that the store still has. */
  left: readonly Pick<JobRecord, "id" | "kind" | "status">[];
  /** When the last process was killed, by the clock of the attempts. */
  lastKillMs: number;
}

export interface Verdict {
  done: number;
  /** Dead, as meant. */
  dead: number;
  /** Attempts that a kill interrupted. */
  interrupted: number;
  /** Without their effect, and not meant to be dead. */
  missing: number;
  /** Facts whose effect was done under several ids. */
  doubled: number;
  /** Attempts of jobs that another runner still had. */
  claimedTwice: number;
  /** Neither done nor dead. */
  stuck: number;
  /** Dead, and not meant to be. */
  wronglyDead: number;
  /** Schedules that have no job, or several, or have not run again after the last kill. */
  brokenSchedules: number;
}

/** Compares what was accepted with what was done. Of a verdict that is right all counts but the first three are 0. */
export function verdictOf(evidence: Evidence): Verdict {
  const { accepted, effects, attempts, left } = evidence;
  const dead = left.filter(({ status }) => status === "dead");
  const live = left.filter(({ status }) => status !== "dead");
  const deadIds = new Set<string>(dead.map(({ id }) => id));
  const doneIds = new Set(effects.map(({ jobId }) => jobId));
  const rendered = new Set(effects.filter(({ kind }) => kind === KINDS.render).map(({ fact }) => fact));
  const isMissing = ({ id, kind, fact }: AcceptedJob): boolean => {
    if (kind === KINDS.endCall && !rendered.has(fact)) return true;
    return !doneIds.has(id) && !(mayDie(kind) && deadIds.has(id));
  };
  return {
    done: doneIds.size,
    dead: dead.filter(({ kind }) => mayDie(kind)).length,
    interrupted: attempts.filter(({ endedMs }) => endedMs === null).length,
    missing: accepted.filter(isMissing).length,
    doubled: doubledFacts(effects),
    claimedTwice: overlappingAttempts(attempts),
    stuck: live.filter(({ kind }) => expectationOf(kind) !== "scheduled").length,
    wronglyDead: dead.filter(({ kind }) => !mayDie(kind)).length,
    brokenSchedules: brokenSchedules(evidence),
  };
}

/** What is wrong, in words; empty where nothing is. */
export function problemsOf(verdict: Verdict): string {
  const { missing, doubled, claimedTwice, stuck, wronglyDead, brokenSchedules } = verdict;
  const counts = { missing, doubled, claimedTwice, stuck, wronglyDead, brokenSchedules };
  const problems = Object.entries(counts).flatMap(([name, count]) => (count > 0 ? [`${name} ${count}`] : []));
  if (verdict.interrupted === 0) problems.push("no kill interrupted an attempt");
  return problems.join(", ");
}

const expectationOf = (kind: string): Expectation | undefined => EXPECTATIONS[kind as Kind];

function mayDie(kind: string): boolean {
  const expectation = expectationOf(kind);
  return expectation === "dead" || expectation === "done-or-dead";
}

function doubledFacts(effects: readonly Effect[]): number {
  const once = effects.filter(({ kind }) => expectationOf(kind) !== "scheduled");
  return once.length - new Set(once.map(({ kind, fact }) => `${kind} ${fact}`)).size;
}

/**
 * Attempts that began before the one before them was over, although its runner was not taken for lost: every loss is
 * counted, so that a slow machine makes no such attempt.
 */
function overlappingAttempts(attempts: readonly Attempt[]): number {
  const latest = new Map<string, Attempt>();
  let overlapping = 0;
  for (const attempt of [...attempts].sort((one, other) => one.begunMs - other.begunMs)) {
    const claim = `${attempt.jobId} ${attempt.losses}`;
    const before = latest.get(claim);
    latest.set(claim, attempt);
    if (before !== undefined && attempt.begunMs < (before.endedMs ?? Number.POSITIVE_INFINITY)) overlapping += 1;
  }
  return overlapping;
}

function brokenSchedules({ left, attempts, lastKillMs }: Evidence): number {
  const kinds = Object.entries(EXPECTATIONS).filter(([, expectation]) => expectation === "scheduled");
  return kinds.filter(([kind]) => {
    const jobs = left.filter((job) => job.kind === kind);
    const runs = attempts.filter((attempt) => attempt.kind === kind && attempt.begunMs > lastKillMs);
    return jobs.length !== 1 || runs.length === 0;
  }).length;
}
