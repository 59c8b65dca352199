import type { Server } from "node:http";
import { join } from "node:path";
import { buildApi } from "./api/app.ts";
import { type HealthDeps, healthAnswer, type NewCalls, readinessAnswer } from "./api/health.ts";
import { downloadsOf, LargeAnswers } from "./api/large-answers.ts";
import { catalogueOf } from "./api/voices.ts";
import { readConfig, readLoaderEnvironment } from "./config.ts";
import { systemAgeClock } from "./core/age-clock.ts";
import { systemClock } from "./core/clock.ts";
import { ControlMetrics } from "./core/control-metrics.ts";
import { apiConnectionsMaxWith, descriptorsMax } from "./core/descriptors.ts";
import { DATA_DIR_WAIT_MS_MAX } from "./core/disk-limits.ts";
import { codeOf } from "./core/errors.ts";
import { DRAIN_RECORDS_MS, METRICS_ANSWER_MS_MAX } from "./core/limits.ts";
import { createLogger, withoutForeignText } from "./core/log.ts";
import { MetricsSum } from "./core/metrics-sum.ts";
import { missingPrices } from "./core/prices.ts";
import { watchProcess } from "./core/process-metrics.ts";
import { RECORDS_WAITING_MAX } from "./core/renderer-limits.ts";
import { SchemaProcess } from "./core/schema-checks.ts";
import { HttpConnections } from "./http-connections.ts";
import { serveMetrics } from "./metrics-server.ts";
import { failInOneLine, onSupervisor, placeGiven, tellReady, toldSupervisor } from "./processes.ts";
import { JournalEvents } from "./record/journal-events.ts";
import { journalDirectory } from "./record/journal-reader.ts";
import { LostCalls, WORKERS_RETURN_MS } from "./record/lost-calls.ts";
import { RecordKeeper } from "./record/record-keeper.ts";
import { recordingPath } from "./record/recording.ts";
import { Retention } from "./record/retention.ts";
import { forkRenderer, journalBytesIn, RendererProcess } from "./renderer-process.ts";
import { modelsIn } from "./speech/brains.ts";
import { createEngines } from "./speech/engines.ts";
import { providerNotes } from "./speech/provider-notes.ts";
import { voiceProvidersIn } from "./speech/voices.ts";
import { AccountTotals } from "./store/account-totals.ts";
import { AskedEnds } from "./store/asked-ends.ts";
import { countedCalls } from "./store/counted-calls.ts";
import { watchDatabase } from "./store/database-watch.ts";
import { DiskSpace } from "./store/disk-space.ts";
import { hasNoKey, writeFirstKey } from "./store/first-key.ts";
import { type HandoffHandlers, HandoffProxy } from "./store/handoff-proxy.ts";
import { placedCalls } from "./store/placed-calls.ts";
import { Places } from "./store/places.ts";
import { lockDataDirWithin } from "./store/sqlite/data-lock.ts";
import { openStores } from "./store/sqlite/stores.ts";
import { TokenSigner } from "./store/token-keys.ts";

/** How often calls that nobody redeemed are looked for. */
const EXPIRE_MS = 5_000;
/** Requests that are under way when everything else is over have this long. */
const LAST_ANSWERS_MS = DRAIN_RECORDS_MS / 2;

/** Composition root of the control process: the API, the stores, and the records of ended calls. */
failInOneLine(createLogger("control", "info"));
const clock = systemClock;
const ageClock = systemAgeClock();
// It loads its code while this process does, also in a spare.
const workers = new HandoffProxy({
  clock,
  onFailed(error) {
    createLogger("control", "info").fatal({ err: error, code: codeOf(error) }, "the handoff thread failed");
    process.exit(1);
  },
});
const { socketPath, port, mediaUrl, restarts } = await placeGiven();
const config = readConfig(undefined, { checksFiles: false });
const log = createLogger("control", config.logLevel);
const { dataDir } = config;

let firstWorkerCame = (): void => {};
const firstWorker = new Promise<void>((resolve) => {
  firstWorkerCame = resolve;
  clock.after(WORKERS_RETURN_MS, resolve);
});

const metrics = new ControlMetrics();
const workersMetrics = new MetricsSum();
watchProcess(metrics.registry);
metrics.restarted(restarts);
await lockDataDirWithin(DATA_DIR_WAIT_MS_MAX, dataDir, clock);
const opened = await openStores(dataDir, clock, {
  ageClock,
  unwritten: workers.unwritten,
  onMigration(isOver) {
    log.info(isOver ? "the database is up to date" : "the database is brought up to date");
    return toldSupervisor({ kind: "migrating", isOver });
  },
});
/** The number of this start: what was redeemed under a lower one was redeemed before. */
const epoch = await opened.epochs.next();
const signer = new TokenSigner({ dataDir, clock, log, onKeys: (keys) => workers.setTokenKeys(keys) });
if (await hasNoKey(opened)) await offerFirstKey();
const disk = new DiskSpace({
  folders: [dataDir, journalDirectory(dataDir), join(dataDir, "recordings")],
  minFreeBytes: config.diskFreeMinBytes,
  clock,
  log,
});
await disk.watch();
watchDatabase(opened, dataDir, clock, log);
metrics.watchDisk(() => disk);
const places = new Places({ clock, callsPerKey: config.callsPerKey });
const accountTotals = new AccountTotals({ limits: config.spend.account, clock });
metrics.watchPlaces(() => places.taken);
places.restore(await opened.calls.listWaiting(), await opened.calls.listActive());
const stores = { ...opened, calls: placedCalls(countedCalls(opened.calls, metrics), places) };
// Only asked which voices there are: one program is enough.
const engines = createEngines({ ...config, espeakProcesses: 1 }, clock, log);
// Who asks for them first waits for no provider.
engines.tts.voices().catch((error: unknown) => {
  log.warn({ code: codeOf(error), ...withoutForeignText(error) }, "the voices could not be listed");
});
const renderer = new RendererProcess({
  start: forkRenderer(dataDir, readLoaderEnvironment()),
  journalBytes: journalBytesIn(dataDir),
  clock,
  log,
  onRestart: () => metrics.rendererRestarted(),
});
const keeper = new RecordKeeper({
  calls: stores.calls,
  dataDir,
  journals: renderer,
  prices: config.prices,
  clock,
  log,
  onKept(callId, tookMs) {
    metrics.recordMade(tookMs);
    askedEnds.over(callId);
    workers.acknowledge(callId);
  },
  onRecordingFailed: () => metrics.recordingFailed(),
});
metrics.watchRecords(() => keeper.count);
const retention = new Retention({
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
const askedEnds = new AskedEnds({
  calls: stores.calls,
  endCall: (workerId, callId) => workers.end(workerId, callId),
  clock,
  log,
});
const lostCalls = new LostCalls({
  calls: stores.calls,
  keeper,
  workers,
  epoch,
  onWorkerLost: (workerId) => workersMetrics.workerGone(workerId),
  clock,
  log,
});

const onWorkers: HandoffHandlers = {
  onRedeemed: (callId, workerId) => places.carry(callId, workerId),
  onReturned({ callId, remainingMs }) {
    places.returned(callId, remainingMs);
    void askedEnds.returned(callId);
  },
  onWorker(workerId, connection, callIds, load) {
    places.workerCame(workerId, callIds, load);
    lostCalls.workerCame(workerId, connection, callIds);
    if (load.takesCalls) firstWorkerCame();
  },
  onForeignWorker: (workerId) => lostCalls.leave(workerId),
  onLoad(workerId, load) {
    places.workerTold(workerId, load);
    if (load.takesCalls) firstWorkerCame();
  },
  onSpends(workerId, spends, all) {
    accountTotals.reported(workerId, spends, all);
    workers.accountsOver(accountTotals.allOver());
  },
  onWorkerGone(workerId, connection) {
    places.workerGone(workerId);
    accountTotals.workerGone(workerId);
    lostCalls.workerGone(workerId, connection);
  },
  onStreamStarted(callId, carrierCallId) {
    // The record learns of it from the journal, too.
    stores.calls.setCarrierCallId(callId, carrierCallId).catch((error: unknown) => {
      log.warn({ callId, code: codeOf(error) }, "a carrier's id of a call could not be stored yet");
    });
  },
  onEnded(callId, end) {
    places.release(callId);
    keeper.keep(callId, end);
  },
};

/** A newcomer's first request needs an API key. In production keys are only made on request. */
async function offerFirstKey(): Promise<void> {
  if (config.isProduction) {
    const command = "npm run keys -- create --name <name>, or in the image node dist/cli/keys.js create --name <name>";
    log.warn(`there is no API key yet: make one with ${command}`);
    return;
  }
  try {
    log.info({ path: await writeFirstKey(dataDir, opened) }, "a first API key was written");
  } catch (error) {
    log.error({ err: error, code: codeOf(error) }, "the first API key could not be written");
  }
}

function expireRepeatedly(): void {
  clock.after(EXPIRE_MS, () => {
    stores.calls.expire().then(
      (callIds) => {
        if (callIds.length > 0) log.info({ calls: callIds.length }, "calls expired");
      },
      (error: unknown) => log.error({ err: error }, "calls could not be expired"),
    );
    expireRepeatedly();
  });
}

let draining = false;
function newCalls(): NewCalls {
  if (draining) return { taken: false, reason: "draining" };
  if (opened.isLost()) return { taken: false, reason: "database_lost" };
  if (disk.isLow) return { taken: false, reason: "insufficient_storage" };
  if (workers.workerCount === 0 || renderer.isFailing) return { taken: false, reason: "unavailable" };
  if (keeper.count.waiting >= RECORDS_WAITING_MAX) return { taken: false, reason: "overloaded" };
  return places.room > 0 ? { taken: true } : { taken: false, reason: "overloaded" };
}

const health: HealthDeps = { newCalls, providerNotes: providerNotes(config) };
let metricsAddress: { host: string; port: number } | undefined;
const events = new JournalEvents(dataDir);
// The store and the records need their descriptors.
const apiConnectionsMax = apiConnectionsMaxWith(descriptorsMax());
const api = buildApi({
  ...stores,
  clock,
  largeAnswers: new LargeAnswers(clock, metrics.largeAnswers("list")),
  downloads: new LargeAnswers(clock, metrics.largeAnswers("download"), downloadsOf(apiConnectionsMax)),
  voices: catalogueOf(engines.tts),
  toolSecrets: config.toolSecrets,
  schemas: new SchemaProcess({ clock, log, count: (outcome) => metrics.budgetedTask("schemas", outcome) }),
  toolsAllowLoopback: config.toolsAllowLoopback,
  ...health,
  accountOver: (accountId) => accountTotals.over(accountId),
  missingPrices: (model) => missingPrices(config.prices, modelsIn(config.models[model]), voiceProvidersIn(config.tts)),
  publicApiUrls: config.publicApiUrls,
  corsOrigins: config.corsOrigins,
  metricsAddress: () => metricsAddress,
  publicMediaUrl: config.publicMediaUrl ?? mediaUrl,
  tokenTtlMs: config.tokenTtlS * 1_000,
  mintToken: () => signer.mint(),
  recordingPath: (callId) => recordingPath(dataDir, callId),
  endCall: (workerId, call) => askedEnds.ask(workerId, call),
  removeFiles: (callId) => keeper.remove(callId),
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
  const cancel = clock.after(LAST_ANSWERS_MS, () => api.server.closeAllConnections());
  await lostCalls.recoverAll();
  await closed;
  cancel();
  await keeper.idle();
  renderer.close();
  await workers.close();
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
  log.warn("the supervisor is gone: the control process ends, workers go on with their calls");
  process.exit(0);
}

onSupervisor({
  drain: () => {
    draining = true;
  },
  stop: () => void stop(),
  orphaned: exitOrphaned,
  restarts: (counts) => metrics.restarted(counts),
});
if (config.metricsPort !== undefined) {
  const exposition = async (): Promise<string> => {
    const told = await workers.metrics(METRICS_ANSWER_MS_MAX);
    return await metrics.exposition(await workersMetrics.of(told), newCalls().taken);
  };
  const { server, connections } = await serveMetrics({
    host: config.metricsHost,
    port: config.metricsPort,
    exposition,
    health: healthAnswer,
    readiness: () => readinessAnswer(health),
    clock,
    onClosed: (why) => metrics.connectionClosed("metrics", why),
    log,
  });
  metrics.watchConnections(() => ({ api: apiConnections.count, metrics: connections.count }));
  metricsAddress = { host: config.metricsHost, port: portOf(server) };
  log.info(metricsAddress, "metrics served");
}
const { bootId } = ageClock;
const tokenKeys = signer.accepted;
await workers.serve({ dataDir, socketPath, epoch, bootId, tokenKeys, logLevel: config.logLevel }, onWorkers);
lostCalls.start();
expireRepeatedly();
retention.start();
await listen();
// Whoever is told that the service is ready may create a call at once.
await firstWorker;
tellReady(portOf(api.server), clock);
