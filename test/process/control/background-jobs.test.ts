import { expect, onTestFinished, test } from "vitest";
import { CONNECTION_TYPES } from "../../../src/carriers/list.ts";
import { EVENTS_KEPT_MS } from "../../../src/core/limits/control-api/events.ts";
import { JOB_POLL_MS, JOB_PROGRESS_MS } from "../../../src/core/limits/service/jobs.ts";
import { ControlMetrics } from "../../../src/core/metrics/control-metrics.ts";
import { type BackgroundJobsOptions, backgroundJobs } from "../../../src/process/control/background-jobs.ts";
import type { RetentionRun } from "../../../src/record/retention/job.ts";
import { type JobKind, RESEAL_JOB, RETENTION_JOB } from "../../../src/store/job-kinds.ts";
import type { Resealed } from "../../../src/store/sealing/reseal.ts";
import { openSqliteStores } from "../../../src/store/sqlite/open-stores.ts";
import type { WebhookStore } from "../../../src/store/webhooks/webhook-store.ts";
import { createCall } from "../../support/calls/stored-calls.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { memoryLog } from "../../support/memory-log.ts";
import { SEALING_KEYS } from "../../support/stores/keys.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { ageClockOf } from "../../support/tokens.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** After a job is due: the poll that finds it, and its first progress. */
const SOON_MS = 2 * JOB_POLL_MS + JOB_PROGRESS_MS;

/** The jobs of a service whose retention and sealing do what a test says. */
async function scene({
  reseal,
  run,
}: {
  reseal?: WebhookStore["reseal"];
  run?: (run: RetentionRun) => Promise<never>;
}) {
  const clock = new ManualClock();
  const stores = await openSqliteStores(temporaryDirectory(), clock, { ageClock: ageClockOf(clock) });
  onTestFinished(() => stores.close());
  const { log, lines } = memoryLog();
  const unused = () => Promise.reject(new Error("not used"));
  const options: BackgroundJobsOptions = {
    stores,
    toolListings: { run: unused, attemptMsMax: 1_000, retryDelaysMs: [] },
    webhooks: new Proxy(stores.openWebhooks(SEALING_KEYS), {
      get: (target, name: keyof WebhookStore) => (name === "reseal" ? (reseal ?? unused) : target[name].bind(target)),
    }),
    mediaKeys: stores.openMediaKeys(SEALING_KEYS),
    accountSecrets: stores.openAccountSecrets(SEALING_KEYS),
    carriers: stores.openCarriers(SEALING_KEYS),
    inboundWebhooks: stores.openInboundWebhooks(SEALING_KEYS),
    documents: undefined as never,
    http: undefined as never,
    journals: { render: unused },
    finalizer: { withFiles: unused },
    dataDir: "/nowhere",
    retention: { run: (given) => (run ?? unused)(given ?? {}) },
    clock,
    log,
    metrics: new ControlMetrics(CONNECTION_TYPES),
    phoneCalls: undefined,
    shared: undefined,
    transcriptionRetention: { run: async () => [] },
    transcriptions: { run: unused, attemptMsMax: 1_000, retryDelaysMs: [] },
    documentProcessing: { run: unused, attemptMsMax: 1_000, retryDelaysMs: [] },
    corpusCleaning: { run: unused, attemptMsMax: 1_000, retryDelaysMs: [] },
    analysisLlmOf: unused,
    schemas: { check: unused },
    isOverLimit: () => false,
    prices: undefined,
    statistics: { latest: { counts: { pending: 0, running: 0, dead: 0 }, byKind: [], oldestDueMs: 0 } },
  };
  await backgroundJobs(options).start();
  const jobOf = async (kind: JobKind) => (await stores.jobs.list({ kind, limit: 1 })).jobs[0];
  return { clock, stores, jobOf, lines };
}

test("sealing again says how many secrets it has sealed and which it cannot open, and the log says it", async () => {
  let finish = (_: Resealed): void => {};
  const lastIds: (string | undefined)[] = [];
  const { clock, jobOf, lines } = await scene({
    reseal: ({ afterId }) => {
      lastIds.push(afterId);
      const lastId = `webhook_${lastIds.length}`;
      if (lastIds.length < 3) return Promise.resolve({ resealed: 99, unsealable: [lastId], lastId });
      return new Promise((resolve) => {
        finish = resolve;
      });
    },
  });
  await clock.play(5 * MINUTE_MS + SOON_MS);
  expect(await jobOf(RESEAL_JOB)).toMatchObject({ status: "running", progress: { secrets: 198 } });
  finish({ resealed: 0, unsealable: [] });
  await clock.play(JOB_POLL_MS);
  expect(await jobOf(RESEAL_JOB)).toMatchObject({ status: "pending" });
  expect(lines.join("")).toContain('"secrets":198,"msg":"secrets sealed with the current key"');
  expect(lastIds).toEqual([undefined, "webhook_1", "webhook_2"]);
  expect(lines.filter((line) => line.includes("cannot be opened"))).toEqual([
    expect.stringContaining('"secrets":2,"first":"webhooks webhook_1"'),
  ]);
});

test("events that are older than a day are deleted", async () => {
  const { clock, stores } = await scene({});
  const accountId = await stores.accounts.ensure("first");
  await stores.eventStreams.open(accountId);
  await createCall(stores, accountId);
  clock.stall(EVENTS_KEPT_MS - HOUR_MS);
  await stores.eventStreams.open(accountId);
  await createCall(stores, accountId);
  clock.stall(HOUR_MS + 1);
  await clock.play(SOON_MS);
  const events = await stores.eventStreams.read(accountId, 0, 10);
  expect(events.map(({ sequence }) => sequence)).toEqual([2]);
});

test("retention says how many calls it has deleted something of", async () => {
  const progress = { records: 2, recordings: 40, transcripts: 0, failed: 1 };
  const { clock, jobOf } = await scene({
    run: ({ onProgress }) => {
      onProgress?.(progress);
      return new Promise(() => {});
    },
  });
  await clock.play(7 * MINUTE_MS + SOON_MS);
  expect(await jobOf(RETENTION_JOB)).toMatchObject({ status: "running", progress });
});
