import type { Server } from "node:http";
import { join } from "node:path";
import { buildApi } from "../api/app.ts";
import { type CallAcceptance, type HealthDeps, healthResponse, readinessResponse } from "../api/http/health.ts";
import { downloadBounds, LargeResponses } from "../api/http/large-responses.ts";
import { catalogueOf } from "../api/voices/routes.ts";
import { readConfig, readLoaderEnvironment } from "../config/config.ts";
import { systemAgeClock } from "../core/age-clock.ts";
import { missingPrices } from "../core/billing/prices.ts";
import { systemClock } from "../core/clock.ts";
import { codeOf } from "../core/errors.ts";
import { DRAIN_RECORDS_MS, METRICS_ANSWER_MS_MAX } from "../core/limits/processes.ts";
import { DATA_DIR_WAIT_MS_MAX, RECORDS_WAITING_MAX } from "../core/limits/storage.ts";
import { createLogger, loggableError } from "../core/log/logger.ts";
import { MetricsAggregator } from "../core/metrics/aggregation.ts";
import { ControlMetrics } from "../core/metrics/control-metrics.ts";
import { collectProcessMetrics } from "../core/metrics/process-metrics.ts";
import { SchemaProcess } from "../core/schemas/checker.ts";
import { EventPager } from "../record/events/event-pages.ts";
import { CallFinalizer } from "../record/finalization/finalizer.ts";
import { LostCallRecovery, WORKER_REGISTRATION_MS } from "../record/finalization/lost-call-recovery.ts";
import { journalDirectory } from "../record/journal/reader.ts";
import { recordingPath } from "../record/recording/render.ts";
import { RetentionJob } from "../record/retention/job.ts";
import { modelsIn } from "../speech/llm/settings.ts";
import { providerNotes } from "../speech/provider-notes.ts";
import { createSpeechProviders } from "../speech/registry.ts";
import { ttsProvidersIn } from "../speech/tts/registry.ts";
import { AccountSpendTotals } from "../store/admission/account-spend.ts";
import { admittingCallStore } from "../store/admission/admitting-call-store.ts";
import { Capacity } from "../store/admission/capacity.ts";
import { monitorDatabaseFiles } from "../store/data-dir/database-monitor.ts";
import { DiskSpace } from "../store/data-dir/disk-space.ts";
import { hasNoApiKey, writeFirstApiKey } from "../store/data-dir/first-api-key.ts";
import { TokenSigner } from "../store/data-dir/token-keys.ts";
import { EndRequests } from "../store/handoff/end-requests.ts";
import { type HandoffHandlers, HandoffThreadClient } from "../store/handoff/thread-client.ts";
import { meteredCallStore } from "../store/metered-call-store.ts";
import { lockDataDirWithin } from "../store/sqlite/database/data-dir-lock.ts";
import { openStores } from "../store/sqlite/open-stores.ts";
import { HttpConnections } from "./control/http-connections.ts";
import { serveMetrics } from "./control/metrics-server.ts";
import { apiConnectionsMaxWith, descriptorsMax } from "./descriptors.ts";
import { forkRenderer, journalBytesIn, RendererClient } from "./renderer/client.ts";
import {
  exitOnUncaughtException,
  handleSupervisorMessages,
  reportReady,
  sendToSupervisor,
  waitForAssignment,
} from "./supervisor-protocol.ts";

/** How often calls that nobody redeemed are looked for. */
const EXPIRY_INTERVAL_MS = 5_000;
/** Requests that are under way when everything else is over have this long. */
const LAST_RESPONSES_MS = DRAIN_RECORDS_MS / 2;

/** Composition root of the control process: the API, the stores, and the records of ended calls. */
exitOnUncaughtException(createLogger("control", "info"));
const clock = systemClock;
const ageClock = systemAgeClock();
// It loads its code while this process does, also in a spare.
const handoff = new HandoffThreadClient({
  clock,
  onFailed(error) {
    createLogger("control", "info").fatal({ err: error, code: codeOf(error) }, "handoff thread failed");
    process.exit(1);
  },
});
const { socketPath, port, mediaUrl, restarts } = await waitForAssignment();
const config = readConfig(undefined, { checksFiles: false });
const log = createLogger("control", config.logLevel);
const { dataDir } = config;

let resolveFirstWorker = (): void => {};
const firstWorker = new Promise<void>((resolve) => {
  resolveFirstWorker = resolve;
  clock.after(WORKER_REGISTRATION_MS, resolve);
});

const metrics = new ControlMetrics();
const workersMetrics = new MetricsAggregator();
collectProcessMetrics(metrics.registry);
metrics.setRestarts(restarts);
await lockDataDirWithin(DATA_DIR_WAIT_MS_MAX, dataDir, clock);
const opened = await openStores(dataDir, clock, {
  ageClock,
  unpersisted: handoff.unpersisted,
  onMigration(isOver) {
    log.info(isOver ? "database migration finished" : "database migration started");
    return sendToSupervisor({ kind: "migrating", isOver });
  },
});
/** The number of this start: what was redeemed under a lower one was redeemed before. */
const epoch = await opened.epochs.next();
const signer = new TokenSigner({ dataDir, clock, log, onKeys: (keys) => handoff.setTokenKeys(keys) });
if (await hasNoApiKey(opened)) await ensureFirstApiKey();
const disk = new DiskSpace({
  folders: [dataDir, journalDirectory(dataDir), join(dataDir, "recordings")],
  minFreeBytes: config.diskFreeMinBytes,
  clock,
  log,
});
await disk.monitor();
monitorDatabaseFiles(opened, dataDir, clock, log);
metrics.observeDisk(() => disk);
const places = new Capacity({ clock, callsPerApiKey: config.callsPerApiKey });
const accountTotals = new AccountSpendTotals({ limits: config.spend.account, clock });
metrics.observeSlots(() => places.usage);
places.restore(await opened.calls.listWaiting(), await opened.calls.listActive());
const stores = { ...opened, calls: admittingCallStore(meteredCallStore(opened.calls, metrics), places) };
// Only asked which voices there are: one program is enough.
const engines = createSpeechProviders({ ...config, espeakProcesses: 1 }, clock, log);
// Who asks for them first waits for no provider.
engines.tts.voices().catch((error: unknown) => {
  log.warn({ code: codeOf(error), ...loggableError(error) }, "voices could not be listed");
});
const renderer = new RendererClient({
  start: forkRenderer(dataDir, readLoaderEnvironment()),
  journalBytes: journalBytesIn(dataDir),
  clock,
  log,
  onRestart: () => metrics.rendererRestarted(),
});
const keeper = new CallFinalizer({
  calls: stores.calls,
  dataDir,
  journals: renderer,
  prices: config.prices,
  clock,
  log,
  onFinalized(callId, tookMs) {
    metrics.recordMade(tookMs);
    askedEnds.callEnded(callId);
    handoff.acknowledge(callId);
  },
  onRecordingFailed: () => metrics.recordingFailed(),
});
metrics.observeRecords(() => keeper.count);
const retention = new RetentionJob({
  rules: config.retention,
  accounts: stores.accounts,
  calls: stores.calls,
  store: stores.retention,
  dataDir,
  clock,
  log,
  onDeleted: (what, bytes) => metrics.retentionDeleted(what, bytes),
  onFailed: (what) => metrics.retentionFailed(what),
  onRun: () => metrics.retentionRan(clock.epochMs()),
});
const askedEnds = new EndRequests({
  calls: stores.calls,
  endCall: (workerId, callId) => handoff.endCall(workerId, callId),
  clock,
  log,
});
const lostCalls = new LostCallRecovery({
  calls: stores.calls,
  finalizer: keeper,
  workers: handoff,
  epoch,
  onWorkerLost: (workerId) => workersMetrics.workerGone(workerId),
  clock,
  log,
});

const handoffHandlers: HandoffHandlers = {
  onRedeemed: (callId, workerId) => places.assign(callId, workerId),
  onReturned({ callId, remainingMs }) {
    places.returned(callId, remainingMs);
    void askedEnds.redemptionReturned(callId);
  },
  onWorkerConnected(workerId, connection, callIds, load) {
    places.workerConnected(workerId, callIds, load);
    lostCalls.workerConnected(workerId, connection, callIds);
    if (load.acceptsCalls) resolveFirstWorker();
  },
  onIncompatibleWorker: (workerId) => lostCalls.ignoreWorker(workerId),
  onLoadReported(workerId, load) {
    places.loadReported(workerId, load);
    if (load.acceptsCalls) resolveFirstWorker();
  },
  onSpendReported(workerId, spends, all) {
    accountTotals.reported(workerId, spends, all);
    handoff.sendAccountsOverLimit(accountTotals.allOverLimit());
  },
  onWorkerDisconnected(workerId, connection) {
    places.workerDisconnected(workerId);
    accountTotals.workerDisconnected(workerId);
    lostCalls.workerDisconnected(workerId, connection);
  },
  onStreamStarted(callId, carrierCallId) {
    // The record learns of it from the journal, too.
    stores.calls.setCarrierCallId(callId, carrierCallId).catch((error: unknown) => {
      log.warn({ callId, code: codeOf(error) }, "carrier call id could not be stored yet");
    });
  },
  onEnded(callId, end) {
    places.release(callId);
    keeper.finalize(callId, end);
  },
};

/** A newcomer's first request needs an API key. In production keys are only made on request. */
async function ensureFirstApiKey(): Promise<void> {
  if (config.isProduction) {
    const command =
      "npm run api-keys -- create --name <name>, or in the image node dist/cli/api-keys.js create --name <name>";
    log.warn(`no API key exists: create one with ${command}`);
    return;
  }
  try {
    log.info({ path: await writeFirstApiKey(dataDir, opened) }, "first API key written");
  } catch (error) {
    log.error({ err: error, code: codeOf(error) }, "first API key could not be written");
  }
}

function scheduleExpiry(): void {
  clock.after(EXPIRY_INTERVAL_MS, () => {
    stores.calls.expire().then(
      (callIds) => {
        if (callIds.length > 0) log.info({ calls: callIds.length }, "calls expired");
      },
      (error: unknown) => log.error({ err: error }, "expiring calls failed"),
    );
    scheduleExpiry();
  });
}

let draining = false;
function newCalls(): CallAcceptance {
  if (draining) return { accepted: false, reason: "draining" };
  if (opened.isDatabaseLost()) return { accepted: false, reason: "database_lost" };
  if (disk.isLow) return { accepted: false, reason: "insufficient_storage" };
  if (handoff.workerCount === 0 || renderer.isFailing) return { accepted: false, reason: "unavailable" };
  if (keeper.count.waiting >= RECORDS_WAITING_MAX) return { accepted: false, reason: "overloaded" };
  return places.available > 0 ? { accepted: true } : { accepted: false, reason: "overloaded" };
}

const health: HealthDeps = { callAcceptance: newCalls, providerNotes: providerNotes(config) };
let metricsAddress: { host: string; port: number } | undefined;
const events = new EventPager(dataDir);
// The store and the records need their descriptors.
const apiConnectionsMax = apiConnectionsMaxWith(descriptorsMax());
const api = buildApi({
  ...stores,
  clock,
  largeResponses: new LargeResponses(clock, metrics.largeAnswers("list")),
  downloads: new LargeResponses(clock, metrics.largeAnswers("download"), downloadBounds(apiConnectionsMax)),
  voices: catalogueOf(engines.tts),
  toolSecrets: config.toolSecrets,
  schemas: new SchemaProcess({ clock, log, count: (outcome) => metrics.budgetedTask("schemas", outcome) }),
  toolsAllowLoopback: config.toolsAllowLoopback,
  ...health,
  accountLimitReached: (accountId) => accountTotals.overLimit(accountId),
  missingPrices: (model) => missingPrices(config.prices, modelsIn(config.models[model]), ttsProvidersIn(config.tts)),
  publicApiUrls: config.publicApiUrls,
  corsOrigins: config.corsOrigins,
  metricsAddress: () => metricsAddress,
  publicMediaUrl: config.publicMediaUrl ?? mediaUrl,
  tokenTtlMs: config.tokenTtlS * 1_000,
  mintToken: () => signer.mint(),
  recordingPath: (callId) => recordingPath(dataDir, callId),
  endCall: (workerId, call) => askedEnds.request(workerId, call),
  removeFiles: (callId) => keeper.deleteFiles(callId),
  callEvents: (callId, from, limit) => events.page(callId, from, limit),
  metrics,
  log,
});

const apiConnections = new HttpConnections(api.server, {
  max: apiConnectionsMax,
  clock,
  onClosed: (why) => metrics.connectionClosed("api", why),
});

/** Said when no worker is left. The last records wait for nobody who is slow to ask, or to read what was asked for. */
async function stop(): Promise<void> {
  draining = true;
  retention.stop();
  const closed = api.close();
  const cancel = clock.after(LAST_RESPONSES_MS, () => api.server.closeAllConnections());
  await lostCalls.recoverAll();
  await closed;
  cancel();
  await keeper.idle();
  renderer.close();
  await handoff.close();
  engines.close();
  await stores.close();
  process.exit(0);
}

/** As the other two ports do, the API's tells by its variable that it cannot be had. */
async function listen(): Promise<void> {
  try {
    await api.listen({ host: config.apiHost, port });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`API_PORT ${port} on ${config.apiHost} cannot be used: ${reason}`);
  }
}

/** Of a server that listens on a port. */
function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("it listens on no port");
  return address.port;
}

/** The next service waits for the data directory. What is unfinished here is made there: every journal and every row is on disk. */
function exitOrphaned(): void {
  log.warn("supervisor is gone: the control process exits, workers continue their calls");
  process.exit(0);
}

handleSupervisorMessages({
  drain: () => {
    draining = true;
  },
  stop: () => void stop(),
  orphaned: exitOrphaned,
  restarts: (counts) => metrics.setRestarts(counts),
});
if (config.metricsPort !== undefined) {
  const exposition = async (): Promise<string> => {
    const told = await handoff.metrics(METRICS_ANSWER_MS_MAX);
    return await metrics.exposition(await workersMetrics.aggregate(told), newCalls().accepted);
  };
  const { server, connections } = await serveMetrics({
    host: config.metricsHost,
    port: config.metricsPort,
    exposition,
    health: healthResponse,
    readiness: () => readinessResponse(health),
    clock,
    onClosed: (why) => metrics.connectionClosed("metrics", why),
    log,
  });
  metrics.observeConnections(() => ({ api: apiConnections.count, metrics: connections.count }));
  metricsAddress = { host: config.metricsHost, port: portOf(server) };
  log.info(metricsAddress, "metrics port ready");
}
const { bootId } = ageClock;
const tokenKeys = signer.accepted;
await handoff.serve({ dataDir, socketPath, epoch, bootId, tokenKeys, logLevel: config.logLevel }, handoffHandlers);
lostCalls.start();
scheduleExpiry();
retention.start();
await listen();
// Whoever is told that the service is ready may create a call at once.
await firstWorker;
reportReady(portOf(api.server), clock);
