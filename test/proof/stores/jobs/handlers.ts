import { setTimeout as delay } from "node:timers/promises";
import { epochMs } from "../../../../src/core/clocks.ts";
import type { CallId } from "../../../../src/core/ids.ts";
import type { JobContext, JobHandler } from "../../../../src/jobs/handler.ts";
import type { ClaimedJob } from "../../../../src/store/job-store.ts";
import type { Stores } from "../../../../src/store/stores.ts";
import { Random } from "../../../support/random.ts";
import type { EffectsFile } from "./effects.ts";
import { KINDS, type Payload } from "./kinds.ts";

const ATTEMPT_MS_MAX = 30_000;
const SLOW_MS = [300, 1_500] as const;
const HURRIED_MS = 200;
/** A job that fails half of its attempts has so many that none dies. */
const FLAKY_RETRIES_MS = Array.from({ length: 60 }, () => 50);
const RETRIES_MS = [50, 100];
const EVERY_TWO_SECONDS = "*/2 * * * * *";

type Work = (job: ClaimedJob, context: JobContext) => Promise<void>;

/** The handlers of every kind. Each effect is done at the end of an attempt, so that a kill comes before it, or after it. */
export function proofHandlers(stores: Stores, effects: EffectsFile): Record<string, JobHandler> {
  const handler = (work: Work, more: Partial<JobHandler> = {}): JobHandler => ({
    attemptMsMax: ATTEMPT_MS_MAX,
    retryDelaysMs: RETRIES_MS,
    run: async (job, context) => {
      const attempt = effects.begin(job);
      try {
        await work(job, context);
        effects.apply(job, factOf(job));
      } finally {
        effects.end(attempt);
      }
    },
    ...more,
  });
  return {
    [KINDS.quick]: handler(async () => {}),
    [KINDS.patient]: handler(async () => {}),
    [KINDS.slow]: handler((job, { signal }) => delay(randomOf(job).between(...SLOW_MS), undefined, { signal })),
    [KINDS.hurried]: handler((_, { signal }) => delay(HURRIED_MS, undefined, { signal })),
    [KINDS.flaky]: handler(failHalf, { retryDelaysMs: FLAKY_RETRIES_MS }),
    [KINDS.doomed]: handler(() => Promise.reject(new Error("it always fails"))),
    [KINDS.endCall]: handler((job) => endCall(stores, job)),
    [KINDS.render]: handler(async () => {}),
    [KINDS.scheduled]: handler(async () => {}, { schedule: EVERY_TWO_SECONDS }),
  };
}

async function failHalf(job: ClaimedJob): Promise<void> {
  await delay(randomOf(job).between(0, 20));
  if (randomOf(job).chance(0.5)) throw new Error("this attempt fails");
}

/** The fact whose transaction has another job in it. */
async function endCall({ calls }: Stores, job: ClaimedJob): Promise<void> {
  await calls.finish(factOf(job) as CallId, {
    status: "ended",
    endReason: "caller_hangup",
    endedAtMs: epochMs(Date.now()),
    durationMs: 1_000,
    turns: [],
    hasJournal: true,
  });
}

/** The same in every process for the same attempt. */
const randomOf = ({ payload, attempt }: ClaimedJob): Random => new Random((payload as Payload).seed + attempt);

function factOf({ payload }: ClaimedJob): string {
  const { fact, callId } = payload as Partial<Payload & { callId: string }>;
  return fact ?? callId ?? "";
}
