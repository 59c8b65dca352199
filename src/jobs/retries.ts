import { systemErrorCodeOf } from "../core/errors.ts";
import { loggableError } from "../core/log/logger.ts";
import type { ClaimedJob, JobOutcome } from "../store/job-store.ts";
import { JobFailure, type JobHandler } from "./handler.ts";

/** A delay varies by this share in both directions, so that jobs that failed together do not return together. */
const JITTER_SHARE = 0.2;

type Plan = Pick<JobHandler, "retryDelaysMs" | "schedule">;

/** The delay after this attempt, varied; undefined after the last one. `random` is in [0, 1). */
export function plannedDelayMs(
  { attempt }: Pick<ClaimedJob, "attempt">,
  { retryDelaysMs, schedule }: Plan,
  random: number,
): number | undefined {
  const plannedMs = retryDelaysMs[attempt - 1] ?? (schedule === undefined ? undefined : retryDelaysMs.at(-1));
  return plannedMs === undefined ? undefined : plannedMs * (1 + JITTER_SHARE * (2 * random - 1));
}

/** What becomes of a job whose attempt failed. */
export function outcomeOf(
  error: unknown,
  job: Pick<ClaimedJob, "attempt" | "remainingMs">,
  plan: Plan,
  random: number,
): JobOutcome {
  const text = textOf(error);
  const retry = error instanceof JobFailure ? error.retry : undefined;
  const isFinal = retry === "never" && plan.schedule === undefined;
  const plannedMs = isFinal ? undefined : plannedDelayMs(job, plan, random);
  if (plannedMs === undefined) return { kind: "dead", error: text };
  const delayMs = typeof retry === "object" ? retry.afterMs : plannedMs;
  const { remainingMs = Number.POSITIVE_INFINITY } = job;
  return delayMs > remainingMs ? { kind: "dead", error: text } : { kind: "retry", delayMs, error: text };
}

/** A code of the system or of the database, such as ENOSPC or 53100. */
const CODE = /^[A-Z\d_]{1,32}$/;

/** What a job's row may say of an error: the text of another program's error may quote a secret or a word of a call. */
function textOf(error: unknown): string {
  if (error instanceof JobFailure) return error.message;
  const { detail } = loggableError(error);
  const code = systemErrorCodeOf(error) ?? "";
  return CODE.test(code) ? `${detail} (${code})` : detail;
}
