import type { Prices } from "../../core/billing/prices.ts";
import type { Clock } from "../../core/clock.ts";
import { addMs } from "../../core/clocks.ts";
import type { AccountId } from "../../core/ids.ts";
import { TOOL_TEST_RUN_DAYS } from "../../core/limits/agents/tools.ts";
import { EVENTS_KEPT_MS } from "../../core/limits/control-api/events.ts";
import { DELIVERIES_WAITING_MAX, DELIVERY_DAYS } from "../../core/limits/control-api/webhooks.ts";
import { REMOVED_CORPUS_DAYS } from "../../core/limits/knowledge/corpora.ts";
import { DEAD_JOB_DAYS } from "../../core/limits/service/jobs.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { ControlMetrics } from "../../core/metrics/control-metrics.ts";
import type { GuardedHttp } from "../../core/network/guarded-http.ts";
import type { SchemaChecks } from "../../core/schemas/checker.ts";
import { DeliveryJob } from "../../delivery/delivery-job.ts";
import type { EventDocuments } from "../../delivery/documents.ts";
import { Sender } from "../../delivery/sender.ts";
import type { JobContext, JobHandler } from "../../jobs/handler.ts";
import { JobRunner } from "../../jobs/runner.ts";
import type { JobStatisticsReader } from "../../jobs/statistics.ts";
import { AnnounceEndJob } from "../../record/analysis/announce-job.ts";
import { AnalysisJob, type AnalysisJobOptions } from "../../record/analysis/job.ts";
import type { CallFinalizer } from "../../record/finalization/finalizer.ts";
import type { JournalProcessor } from "../../record/finalization/journal-processor.ts";
import { RenderJob } from "../../record/recording/render-job.ts";
import { deleteFiles, filesOf } from "../../record/retention/call-files.ts";
import { CallFilesJob, type CallFilesJobOptions } from "../../record/retention/elsewhere.ts";
import type { RetentionJob } from "../../record/retention/job.ts";
import type { TranscriptionRetention } from "../../record/retention/transcriptions.ts";
import type { AccountSecretStore } from "../../store/accounts/account-secret-store.ts";
import type { MediaKeyStore } from "../../store/calls/media-key-store.ts";
import {
  ANALYSIS_JOB,
  BUCKET_DELETION_JOB,
  CALL_FILES_JOB,
  CLEAN_JOB,
  CORPUS_CLEAN_JOB,
  DELIVERY_JOB,
  DOCUMENT_JOB,
  ENDED_EVENT_JOB,
  FILE_CHECK_JOB,
  type JobKind,
  PHONE_CALL_JOB,
  RENDER_JOB,
  RESEAL_JOB,
  RETENTION_JOB,
  TOOL_LISTING_JOB,
  TRANSCRIPTION_JOB,
  WEBHOOK_LIMIT_JOB,
} from "../../store/job-kinds.ts";
import type { Resealable } from "../../store/sealing/reseal.ts";
import type { Stores } from "../../store/stores.ts";
import type { CarrierStore } from "../../store/telephony/carrier-store.ts";
import type { InboundWebhookStore } from "../../store/telephony/inbound-webhook-store.ts";
import type { WebhookStore } from "../../store/webhooks/webhook-store.ts";

export interface BackgroundJobsOptions {
  stores: Stores;
  webhooks: WebhookStore;
  mediaKeys: Pick<MediaKeyStore, "reseal">;
  accountSecrets: Pick<AccountSecretStore, "reseal">;
  carriers: Pick<CarrierStore, "reseal">;
  inboundWebhooks: Pick<InboundWebhookStore, "reseal">;
  documents: EventDocuments;
  http: GuardedHttp;
  journals: Pick<JournalProcessor, "render">;
  finalizer: Pick<CallFinalizer, "withFiles">;
  dataDir: string;
  retention: Pick<RetentionJob, "run">;
  transcriptionRetention: Pick<TranscriptionRetention, "run">;
  clock: Clock;
  log: Logger;
  metrics: ControlMetrics;
  /** Asks carriers for what telephone calls need; undefined where the service manages none: their jobs wait. */
  phoneCalls: JobHandler | undefined;
  /** What the bucket has of calls; undefined where there is none: its jobs wait. */
  shared:
    | { deletions: JobHandler; fileChecks: JobHandler; removeShared: CallFilesJobOptions["removeShared"] }
    | undefined;
  /** Transcribes files. */
  transcriptions: JobHandler;
  /** Processes documents. */
  documentProcessing: JobHandler;
  /** Deletes what is stored of deleted corpora and documents. */
  corpusCleaning: JobHandler;
  /** Asks MCP servers for their tools. */
  toolListings: JobHandler;
  /** The LLM of an analysis. */
  analysisLlmOf: AnalysisJobOptions["llmOf"];
  schemas: Pick<SchemaChecks, "check">;
  /** The account has reached a limit of its spending. */
  isOverLimit: (accountId: AccountId) => boolean;
  prices: Prices | undefined;
  /** How many jobs there are. */
  statistics: Pick<JobStatisticsReader, "latest">;
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** What runs by a schedule is attempted again after these delays, the last of which repeats. */
const SCHEDULED_RETRIES_MS = [60_000, 300_000, 900_000];
const RESEAL_ROWS = 100;

/** Kinds whose jobs wait where nothing is configured that could do them. */
type WaitingKind = typeof PHONE_CALL_JOB | typeof BUCKET_DELETION_JOB | typeof FILE_CHECK_JOB;

/** The runner of this service's jobs, with a handler for each kind. */
export function backgroundJobs(options: BackgroundJobsOptions): JobRunner {
  const {
    stores,
    webhooks,
    mediaKeys,
    accountSecrets,
    carriers,
    inboundWebhooks,
    documents,
    http,
    retention,
    transcriptionRetention,
    clock,
    log,
    metrics,
    statistics,
    phoneCalls,
    transcriptions,
    documentProcessing,
    corpusCleaning,
    toolListings,
    shared,
  } = options;
  const handlers: Record<Exclude<JobKind, WaitingKind>, JobHandler> & Partial<Record<JobKind, JobHandler>> = {
    ...(phoneCalls !== undefined && { [PHONE_CALL_JOB]: phoneCalls }),
    ...(shared !== undefined && { [BUCKET_DELETION_JOB]: shared.deletions, [FILE_CHECK_JOB]: shared.fileChecks }),
    [TRANSCRIPTION_JOB]: transcriptions,
    [DOCUMENT_JOB]: documentProcessing,
    [CORPUS_CLEAN_JOB]: corpusCleaning,
    [TOOL_LISTING_JOB]: toolListings,
    [DELIVERY_JOB]: new DeliveryJob({
      webhooks,
      documents,
      sender: new Sender(http, clock),
      clock,
      log,
      onAttempt: (outcome, tookMs) => metrics.webhookAttempted(outcome, tookMs),
      onDisabled: (reason) => metrics.webhookDisabled(reason),
    }),
    [RENDER_JOB]: renderJob(options),
    [CALL_FILES_JOB]: callFilesJob(options),
    [ANALYSIS_JOB]: analysisJob(options),
    [ENDED_EVENT_JOB]: new AnnounceEndJob(stores.analyses),
    [RETENTION_JOB]: scheduled("7 * * * *", 6 * HOUR_MS, async ({ signal, reportProgress }) => {
      await transcriptionRetention.run(signal);
      await retention.run({ signal, onProgress: reportProgress });
    }),
    [CLEAN_JOB]: scheduled("37 * * * *", HOUR_MS, async ({ signal }) => {
      const nowMs = clock.epochMs();
      while (!signal.aborted && (await stores.jobs.deleteDead(addMs(nowMs, -DEAD_JOB_DAYS * DAY_MS))) > 0);
      while (!signal.aborted && (await stores.eventStreams.deleteOld(addMs(nowMs, -EVENTS_KEPT_MS))) > 0);
      const removedBeforeMs = addMs(nowMs, -REMOVED_CORPUS_DAYS * DAY_MS);
      while (!signal.aborted && (await stores.corpora.forgetRemoved(removedBeforeMs)) > 0);
      while (!signal.aborted && (await stores.tools.deleteOldRuns(addMs(nowMs, -TOOL_TEST_RUN_DAYS * DAY_MS))) > 0);
      while (!signal.aborted && (await webhooks.deleteRemoved()) > 0);
      while (!signal.aborted && (await webhooks.deleteOld(addMs(nowMs, -DELIVERY_DAYS * DAY_MS))) > 0);
    }),
    [WEBHOOK_LIMIT_JOB]: webhookLimitJob(options),
    [RESEAL_JOB]: scheduled("*/5 * * * *", HOUR_MS, (context) =>
      resealAll(
        { media_keys: mediaKeys, account_secrets: accountSecrets, carriers, phone_numbers: inboundWebhooks, webhooks },
        log,
        context,
      ),
    ),
  };
  metrics.observeJobs(() => statistics.latest);
  for (const kind of Object.keys(handlers)) metrics.registerJobKind(kind);
  return new JobRunner({ jobs: stores.jobs, handlers, clock, log, onAttempt: metrics.jobAttempted.bind(metrics) });
}

const webhookLimitJob = ({ webhooks, log, metrics }: BackgroundJobsOptions) =>
  scheduled("* * * * *", HOUR_MS, async () => {
    for (const webhookId of await webhooks.noteFull(DELIVERIES_WAITING_MAX)) {
      log.warn({ webhookId }, "webhook is full: so many of its deliveries wait that further ones fail at once");
      metrics.webhookFilled();
    }
  });

const renderJob = ({ stores, journals, finalizer, dataDir, shared, log, metrics }: BackgroundJobsOptions) =>
  new RenderJob({
    calls: stores.calls,
    journals,
    withFiles: (callId, work) => finalizer.withFiles(callId, work),
    async remove(callId) {
      await deleteFiles(filesOf("recording", dataDir, callId));
      await shared?.removeShared?.(callId, "recording");
    },
    log,
    onFailed: () => metrics.recordingFailed(),
  });

const callFilesJob = ({ dataDir, finalizer, shared }: BackgroundJobsOptions) =>
  new CallFilesJob({
    dataDir,
    withFiles: (callId, work) => finalizer.withFiles(callId, work),
    removeShared: shared?.removeShared,
  });

const analysisJob = ({ stores, analysisLlmOf, schemas, isOverLimit, prices, log, metrics }: BackgroundJobsOptions) =>
  new AnalysisJob({
    analyses: stores.analyses,
    llmOf: analysisLlmOf,
    schemas,
    isOverLimit,
    prices,
    log,
    onSettled: (outcome) => metrics.analysisSettled(outcome),
  });

const scheduled = (
  schedule: string,
  attemptMsMax: number,
  work: (context: JobContext) => Promise<void>,
): JobHandler => ({
  schedule,
  attemptMsMax,
  retryDelaysMs: SCHEDULED_RETRIES_MS,
  run: (_, context) => work(context),
});

/** Seals again what is in each of the tables. */
async function resealAll(
  tables: Readonly<Record<string, Resealable>>,
  log: Logger,
  { signal, reportProgress }: JobContext,
): Promise<void> {
  let secrets = 0;
  const lost: string[] = [];
  for (const [table, sealed] of Object.entries(tables)) {
    let afterId: string | undefined;
    do {
      const { resealed, unsealable, lastId } = await sealed.reseal({ limit: RESEAL_ROWS, afterId });
      secrets += resealed;
      reportProgress({ secrets });
      lost.push(...unsealable.map((id) => `${table} ${id}`));
      afterId = lastId;
    } while (afterId !== undefined && !signal.aborted);
  }
  if (secrets > 0) log.info({ secrets }, "secrets sealed with the current key");
  if (lost.length > 0) {
    const message = "secrets cannot be opened: see `npm run admin -- forget-secrets`";
    log.error({ secrets: lost.length, first: lost[0] }, message);
  }
}
