import type { Clock } from "../../core/clock.ts";
import { addMs } from "../../core/clocks.ts";
import { DEAD_JOB_DAYS } from "../../core/limits/jobs.ts";
import { DELIVERY_DAYS } from "../../core/limits/webhooks.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { ControlMetrics } from "../../core/metrics/control-metrics.ts";
import type { GuardedHttp } from "../../core/network/guarded-http.ts";
import { DeliveryJob } from "../../delivery/delivery-job.ts";
import type { EventDocuments } from "../../delivery/documents.ts";
import { Sender } from "../../delivery/sender.ts";
import type { JobHandler } from "../../jobs/handler.ts";
import { JobRunner } from "../../jobs/runner.ts";
import { JobStatisticsReader } from "../../jobs/statistics.ts";
import type { CallFinalizer } from "../../record/finalization/finalizer.ts";
import type { JournalProcessor } from "../../record/finalization/journal-processor.ts";
import { RenderJob } from "../../record/recording/render-job.ts";
import type { RetentionJob } from "../../record/retention/job.ts";
import { DELIVERY_JOB, RENDER_JOB } from "../../store/job-kinds.ts";
import type { Stores } from "../../store/stores.ts";
import type { WebhookStore } from "../../store/webhook-store.ts";

export interface BackgroundJobsOptions {
  stores: Stores;
  webhooks: WebhookStore;
  documents: EventDocuments;
  http: GuardedHttp;
  journals: Pick<JournalProcessor, "render">;
  finalizer: Pick<CallFinalizer, "withFiles">;
  retention: RetentionJob;
  clock: Clock;
  log: Logger;
  metrics: ControlMetrics;
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** What runs by a schedule is attempted again after these delays, the last of which repeats. */
const SCHEDULED_RETRIES_MS = [60_000, 300_000, 900_000];
const RESEAL_ROWS = 100;

/** The runner of this service's jobs, with a handler for each kind. */
export function backgroundJobs(options: BackgroundJobsOptions): JobRunner {
  const { stores, webhooks, documents, http, journals, finalizer, retention, clock, log, metrics } = options;
  const handlers: Record<string, JobHandler> = {
    [DELIVERY_JOB]: new DeliveryJob({
      webhooks,
      documents,
      sender: new Sender(http, clock),
      clock,
      log,
      onAttempt: (outcome, tookMs) => metrics.webhookAttempted(outcome, tookMs),
      onDisabled: (reason) => metrics.webhookDisabled(reason),
    }),
    [RENDER_JOB]: new RenderJob({
      calls: stores.calls,
      journals,
      withFiles: (callId, work) => finalizer.withFiles(callId, work),
      log,
      onFailed: () => metrics.recordingFailed(),
    }),
    "retention.run": scheduled("7 * * * *", 6 * HOUR_MS, async (signal) => {
      await retention.run(signal);
    }),
    "jobs.clean": scheduled("37 * * * *", HOUR_MS, async (signal) => {
      const nowMs = clock.epochMs();
      while (!signal.aborted && (await stores.jobs.deleteDead(addMs(nowMs, -DEAD_JOB_DAYS * DAY_MS))) > 0);
      while (!signal.aborted && (await webhooks.deleteOld(addMs(nowMs, -DELIVERY_DAYS * DAY_MS))) > 0);
    }),
    "secrets.reseal": scheduled("*/5 * * * *", HOUR_MS, async (signal) => {
      let resealed = 0;
      for (let rows = 1; rows > 0 && !signal.aborted; resealed += rows) rows = await webhooks.reseal(RESEAL_ROWS);
      if (resealed > 0) log.info({ secrets: resealed }, "secrets sealed with the current key");
    }),
  };
  const statistics = new JobStatisticsReader(stores.jobs, clock);
  statistics.start();
  metrics.observeJobs(() => statistics.latest);
  const onAttempt = metrics.jobAttempted.bind(metrics);
  return new JobRunner({ jobs: stores.jobs, handlers, clock, log, onAttempt });
}

const scheduled = (
  schedule: string,
  attemptMsMax: number,
  work: (signal: AbortSignal) => Promise<void>,
): JobHandler => ({
  schedule,
  attemptMsMax,
  retryDelaysMs: SCHEDULED_RETRIES_MS,
  run: (_, { signal }) => work(signal),
});
