import { getPriority, setPriority } from "node:os";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { API_BASE_PATH, buildApi } from "../api/app.ts";
import type { CallEventPage } from "../api/calls/events.ts";
import { itemOf, turnItemsOf } from "../api/calls/item.ts";
import { documentItemOf } from "../api/corpora/items.ts";
import { readDashboardFiles } from "../api/dashboard/files.ts";
import { RequestRates } from "../api/http/access/request-rates.ts";
import { type HealthDeps, healthResponse, readinessResponse } from "../api/http/health.ts";
import {
  CORPUS_QUERY_BOUNDS,
  downloadBounds,
  LargeResponses,
  UPLOAD_BOUNDS,
} from "../api/http/responses/large-responses.ts";
import { Passwords } from "../api/session/passwords.ts";
import { TOOL_NAMES } from "../api/tools/schemas.ts";
import { transcriptionEventItemOf } from "../api/transcriptions/item.ts";
import { catalogueOf } from "../api/voices/catalogue.ts";
import { StartRates } from "../api/web-calls/start-rates.ts";
import { builtFolder, readWebFiles } from "../api/web-files/files.ts";
import { describeTools } from "../call/tools/plan.ts";
import { CONNECTION_TYPES, carrierOf } from "../carriers/list.ts";
import { configurationOverview } from "../config/checks/overview.ts";
import { readConfig } from "../config/config.ts";
import { readLoaderEnvironment, readSearchPath } from "../config/environment.ts";
import { localUrlOf, serviceUrlOf } from "../config/network/addresses.ts";
import { systemAgeClock } from "../core/age-clock.ts";
import { missingPrices } from "../core/billing/prices.ts";
import { BUILT_IN_TOOLS, type CarrierType } from "../core/calls/spec.ts";
import { threadModule } from "../core/child-processes/child-module.ts";
import { systemClock } from "../core/clock.ts";
import type { MediaKey } from "../core/encryption/chunks.ts";
import { codeOf } from "../core/errors.ts";
import type { CallId } from "../core/ids.ts";
import { CONTROL_NICE, METRICS_ANSWER_MS_MAX } from "../core/limits/service/processes.ts";
import { DATA_DIR_WAIT_MS_MAX } from "../core/limits/storage/storage.ts";
import { createLogger } from "../core/log/logger.ts";
import { MetricsAggregator } from "../core/metrics/aggregation.ts";
import { withConstantLabel } from "../core/metrics/constant-label.ts";
import { ControlMetrics } from "../core/metrics/control-metrics.ts";
import { collectProcessMetrics } from "../core/metrics/process-metrics.ts";
import { GuardedHttp } from "../core/network/guarded-http.ts";
import { SchemaProcess } from "../core/schemas/checker.ts";
import { HttpTools } from "../core/tools/http/client.ts";
import { McpProcess } from "../core/tools/mcp/client.ts";
import { McpLister } from "../core/tools/mcp/lister.ts";
import { forkMcpProcess } from "../core/tools/mcp/process.ts";
import { McpTools } from "../core/tools/mcp/tools.ts";
import { EventDocuments } from "../delivery/documents.ts";
import { JobStatisticsReader } from "../jobs/statistics.ts";
import { EventPager } from "../record/events/event-pages.ts";
import { toolRunsOf } from "../record/events/tool-runs.ts";
import { CallFinalizer } from "../record/finalization/finalizer.ts";
import type { JournalProcessor } from "../record/finalization/journal-processor.ts";
import { LostCallRecovery, WORKER_REGISTRATION_MS } from "../record/finalization/lost-call-recovery.ts";
import { LostCommits } from "../record/finalization/lost-commits.ts";
import { journalDirectory, journalFileOf, journalHeaderOf } from "../record/journal/reader.ts";
import { recordingPath } from "../record/recording/render.ts";
import { WaveformReader } from "../record/recording/waveform-reader.ts";
import { FilesElsewhere } from "../record/retention/elsewhere.ts";
import { RetentionJob } from "../record/retention/job.ts";
import { TranscriptionRetention } from "../record/retention/transcriptions.ts";
import { CallTraces } from "../record/traces/call-traces.ts";
import { loadSpanExport } from "../record/traces/exporter.ts";
import { accountLlms } from "../speech/llm/accounts.ts";
import { speechMetrics } from "../speech/local/host/metrics.ts";
import { providerNotes } from "../speech/provider-notes.ts";
import { createVoiceLists } from "../speech/registry.ts";
import { credentialProviders, llmProvidersOf, pricedProviders } from "../speech/settings.ts";
import { sttServing } from "../speech/stt/registry.ts";
import { AccountSpendTotals } from "../store/admission/account-spend.ts";
import { CallAdmission, followCalls } from "../store/admission/call-admission.ts";
import { Capacity } from "../store/admission/capacity.ts";
import { CreationRates } from "../store/admission/creation-rates.ts";
import { countCalls } from "../store/calls/call-metrics.ts";
import type { NodeHolder } from "../store/cluster/node-store.ts";
import { monitorDatabase } from "../store/data-dir/database-monitor.ts";
import { DiskSpace } from "../store/data-dir/disk-space.ts";
import { DocumentFiles, documentFolder } from "../store/data-dir/document-files.ts";
import { TokenSigner } from "../store/data-dir/token-signer.ts";
import { TranscriptionAudio, transcriptionFolder } from "../store/data-dir/transcription-audio.ts";
import { EndRequests } from "../store/handoff/end-requests.ts";
import { connectorTo } from "../store/handoff/socket-path.ts";
import { HandoffThreadClient } from "../store/handoff/thread-client.ts";
import { openStores, type StorePlace } from "../store/open-stores.ts";
import { openSecretsKeys } from "../store/sealing/secrets-key.ts";
import { SharedTokenSigner } from "../store/sealing/shared-token-keys.ts";
import { lockDataDirWithin } from "../store/sqlite/database/data-dir-lock.ts";
import { CarrierAccounts } from "../telephony/carrier-accounts.ts";
import { isOnThisMachine } from "../telephony/emulated.ts";
import { HttpCarrierClient } from "../telephony/http-client.ts";
import { InboundWebhookClient } from "../telephony/inbound-webhook-client.ts";
import { findFfmpeg } from "../transcription/audio/find-ffmpeg.ts";
import {
  exitOnUncaughtException,
  handleSupervisorMessages,
  notifySupervisor,
  reportReady,
  sendToSupervisor,
  waitForAssignment,
} from "./channel/child-side.ts";
import { Admission } from "./control/admission.ts";
import { backgroundJobs } from "./control/background-jobs.ts";
import { ANALYSIS_DEADLINES, analysisLlms } from "./control/calls/analyses.ts";
import { CallExpiry } from "./control/calls/call-expiry.ts";
import { callsOfNodes } from "./control/calls/calls-of-nodes.ts";
import { handoffEvents } from "./control/calls/handoff-events.ts";
import { LiveActivity } from "./control/calls/live-activity.ts";
import { LiveHolds } from "./control/calls/live-holds.ts";
import { telephony } from "./control/calls/telephony.ts";
import { assertAlone, ClusterMember, nodeLoad } from "./control/cluster.ts";
import { corpusIndex } from "./control/corpora/corpus-index.ts";
import { DocumentEnds } from "./control/corpora/document-ends.ts";
import { documentProcessing } from "./control/corpora/document-processing.ts";
import { ensureFirstApiKey } from "./control/first-start/first-api-key.ts";
import { offerOwnerLink } from "./control/first-start/owner-link.ts";
import { giveWay } from "./control/giving-way.ts";
import { listenForApi, portOf } from "./control/http/api-port.ts";
import { HttpConnections } from "./control/http/http-connections.ts";
import { serveMetrics } from "./control/http/metrics-server.ts";
import { shutDownControl } from "./control/shutdown.ts";
import { logLanguages } from "./control/status/languages-log.ts";
import { StatusReader } from "./control/status/status.ts";
import { openSharedMedia, storedRecordings } from "./control/storage/shared-media.ts";
import { openStoresWhenAvailable } from "./control/storage/store-opening.ts";
import { toolListings } from "./control/tool-listings.ts";
import { fileTranscriptions, providersOf } from "./control/transcriptions/file-transcriptions.ts";
import { formatInTurns } from "./control/transcriptions/format-in-turns.ts";
import { TranscriptionActivity } from "./control/transcriptions/transcription-activity.ts";
import { TranscriptionEnds } from "./control/transcriptions/transcription-ends.ts";
import { apiConnectionsMaxWith, descriptorsMax } from "./descriptors.ts";
import { RendererClient } from "./renderer/client.ts";
import { forkRenderer, journalBytesIn } from "./renderer/fork.ts";
import { usableTraces } from "./traces-support.ts";
import { webrtcMissing } from "./webrtc-support.ts";

/** Composition root of the control process: the API, the stores, and the records of ended calls. */
exitOnUncaughtException(createLogger("control", "info"));
const clock = systemClock;
const ageClock = systemAgeClock();
// The thread loads its code while this process does, also in a spare process.
const handoff = new HandoffThreadClient({
  thread: threadModule(import.meta.url, "./handoff-thread"),
  clock,
  onFailed(error) {
    createLogger("control", "info").fatal({ err: error, code: codeOf(error) }, "handoff thread failed");
    process.exit(1);
  },
});
const assignment = await waitForAssignment();
const { socketPath, speech, retrieval, port, mediaUrls, restarts, earlierWorkersAreGone } = assignment;
const config = readConfig(undefined, { checksFiles: false });
const log = createLogger("control", config.logLevel);
const { dataDir } = config;
const place: StorePlace = { dataDir, databaseUrl: config.databaseUrl };

let onWorkerAccepting = (): void => {};
/** Resolves when a worker accepts calls, or when all workers of a previous start have had time to connect. */
const firstWorker = new Promise<void>((resolve) => {
  onWorkerAccepting = resolve;
  clock.after(WORKER_REGISTRATION_MS, resolve);
});

const metrics = new ControlMetrics(CONNECTION_TYPES);
const workersMetrics = new MetricsAggregator();
collectProcessMetrics(metrics.registry);
metrics.setRestarts(restarts);
await lockDataDirWithin(DATA_DIR_WAIT_MS_MAX, dataDir, clock);
let holder: NodeHolder | undefined;
const holderOf = config.cluster && (() => holder);
const stores = await openStoresWhenAvailable({
  open: (options) =>
    openStores(place, clock, {
      ...options,
      ageClock,
      unpersisted: handoff.unpersisted,
      isService: true,
      holderOf,
      sharesFiles: config.bucket !== undefined,
    }),
  extendStart: (readyWithinMs) => sendToSupervisor({ kind: "starting", readyWithinMs }),
  clock,
  log,
});
/** The number of this start. Calls with a lower one were redeemed before it. */
const epoch = await stores.epochs.next();
const keys = openSecretsKeys({
  dataDir,
  fromEnvironment: config.secretsKey,
  usedKeyIds: await stores.sealingKeyIds(),
});
/** This node; undefined in a service that is alone on its database. */
const cluster =
  config.cluster &&
  (await ClusterMember.join({
    settings: config.cluster,
    incarnation: epoch,
    nodes: stores.nodes,
    calls: stores.calls,
    dataDir,
    webrtcUrl: mediaUrls.webrtc,
    onFenced: () => process.exit(1),
    clock,
    log,
  }));
holder = cluster?.holder;
if (cluster === undefined) await assertAlone(stores.nodes);
const signer =
  cluster === undefined
    ? new TokenSigner({ dataDir, clock, log, onKeys: (tokenKeys) => handoff.setTokenKeys(tokenKeys) })
    : new SharedTokenSigner(keys);
const isNew = await ensureFirstApiKey({ isProduction: config.isProduction, dataDir, stores, log });
const disk = new DiskSpace({
  folders: [
    dataDir,
    journalDirectory(dataDir),
    join(dataDir, "recordings"),
    transcriptionFolder(dataDir),
    documentFolder(dataDir),
  ],
  minFreeBytes: config.diskFreeMinBytes,
  clock,
  log,
});
await disk.monitor();
monitorDatabase({ stores, dataDir, isFile: place.databaseUrl === undefined }, clock, log);
metrics.observeDatabase(() => stores.isDatabaseLost());
metrics.observeDisk(() => disk);
const capacity = new Capacity({ clock, callsPerApiKey: config.callsPerApiKey });
const accountTotals = new AccountSpendTotals({ limits: config.spend.account, clock });
metrics.observeSlots(() => capacity.usage);
capacity.restore(
  await stores.calls.listWaiting(),
  await stores.calls.listActive(),
  await stores.phoneCalls.listPending(),
);
stores.calls.subscribe(followCalls(capacity, holder?.name));
stores.calls.subscribe(countCalls(metrics));
const voiceLists = await createVoiceLists(config, clock, log);
const voices = catalogueOf(voiceLists, sttServing(config.stt, config.providers.stt));
// It also fills the cache, so that the first `GET /voices` does not wait for a provider.
void logLanguages(voices, config.stt, log);
const webhooks = stores.openWebhooks(keys);
const mediaKeys = stores.openMediaKeys(keys);
const accountSecrets = stores.openAccountSecrets(keys);
const carriers = stores.openCarriers(keys);
const inboundWebhooks = stores.openInboundWebhooks(keys);
const guardedHttp = new GuardedHttp({ allowLoopback: config.webhooksAllowLoopback });
const findMediaKey = (callId: CallId): Promise<MediaKey | undefined> => mediaKeys.find(callId);
if (config.encryptMedia && config.secretsKey === undefined)
  log.warn("encrypted media and the key that opens them are both in DATA_DIR: set SECRETS_KEY");
const renderer = new RendererClient({
  start: forkRenderer(dataDir, readLoaderEnvironment()),
  journalBytes: journalBytesIn(dataDir),
  findKey: findMediaKey,
  clock,
  log,
  onRestart: () => metrics.rendererRestarted(),
});
/** Undefined where journals and recordings are on this disk alone. */
const shared =
  config.bucket &&
  (await openSharedMedia({
    config: config.bucket,
    dataDir,
    stores,
    liveCalls: () => new Set(capacity.carriedCalls.keys()),
    ownershipOf: (callId) => cluster?.ownershipOf(callId) ?? "certain",
    findKey: findMediaKey,
    encryptsMedia: config.encryptMedia,
    isDiskLow: () => disk.isLow,
    withFiles: (callId, work) => finalizer.withFiles(callId, work),
    metrics,
    clock,
    log,
  }));
metrics.observeShipping(() => shared?.waiting() ?? { bytesWaiting: 0, oldestMs: 0 });
const journals: JournalProcessor = shared?.media.processing(renderer) ?? renderer;
const traceSettings = usableTraces(config);
const traces =
  traceSettings &&
  new CallTraces({
    exporter: await loadSpanExport(traceSettings, (outcome, spans) => metrics.spansCounted(outcome, spans), log),
    hasWords: traceSettings.hasWords,
    calls: stores.calls,
    journals: renderer,
    clock,
    log,
  });
const finalizer = new CallFinalizer({
  calls: stores.calls,
  dataDir,
  journals,
  prices: config.prices,
  traces,
  clock,
  log,
  onFinalized(callId, tookMs) {
    metrics.recordMade(tookMs);
    endRequests.callEnded(callId);
    lostCommits.recorded(callId);
    handoff.acknowledge(callId);
  },
});
metrics.observeRecords(() => finalizer.count);
const elsewhere = cluster && new FilesElsewhere({ own: cluster.holder.name, calls: stores.calls, jobs: stores.jobs });
const retention = new RetentionJob({
  elsewhere,
  rules: config.retention,
  accounts: stores.accounts,
  calls: stores.calls,
  store: stores.retention,
  dataDir,
  removeShared: shared?.removeShared,
  clock,
  log,
  onDeleted: (part, bytes) => metrics.retentionDeleted(part, bytes),
  onFailed: (part) => metrics.retentionFailed(part),
  onRun: () => metrics.retentionRan(clock.epochMs()),
});
const transcriptionAudio = new TranscriptionAudio(dataDir, shared?.files);
const transcriptionRetention = new TranscriptionRetention({
  rules: config.retention,
  accounts: stores.accounts,
  transcriptions: stores.transcriptions,
  audio: transcriptionAudio,
  store: stores.retention,
  clock,
  log,
  onDeleted: (part, bytes) => metrics.retentionDeleted(part, bytes),
  onFailed: (part) => metrics.retentionFailed(part),
});
const carrierUrls: Readonly<Partial<Record<CarrierType, string>>> = config.carrierApiUrls;
const carrierClient = new HttpCarrierClient({
  apiUrls: carrierUrls,
  clock,
  log,
  onAnswer: (carrier, operation, outcome) => metrics.carrierAsked(carrier, operation, outcome),
});
const carrierAccounts = new CarrierAccounts({
  client: carrierClient,
  telephonyOf: (carrier) => carrierOf(carrier)?.telephony,
  numbers: stores.phoneNumbers,
  publicUrl: serviceUrlOf(config.publicApiUrls),
  isEmulated(carrier) {
    const url = carrierUrls[carrier];
    return !config.isProduction && url !== undefined && isOnThisMachine(url);
  },
});
const publicUrl = serviceUrlOf(config.publicApiUrls);
const pager = new EventPager(dataDir, findMediaKey);
const events: Pick<EventPager, "page"> = {
  async page(callId, from, limit) {
    await shared?.media.fetchComplete(callId);
    return await pager.page(callId, from, limit);
  },
};
const activity = new LiveActivity(handoff);
const transcriptionActivity = new TranscriptionActivity(clock);
const calls = callsOfNodes({
  cluster:
    cluster && config.databaseUrl !== undefined ? { ...cluster.holder, databaseUrl: config.databaseUrl } : undefined,
  liveCalls: {
    endCall: (workerId, call) => endRequests.request(workerId, call),
    requestLive: (workerId, callId, request) => handoff.requestLive(workerId, callId, request),
    listenAddress: (workerId, callId) => handoff.listenAddress(workerId, callId),
    phoneUpdate: (workerId, callId, update) => handoff.phoneUpdate(workerId, callId, update),
    resumeAddress: (workerId, callId, connect) => handoff.resumeAddress(workerId, callId, connect),
    requestPhone: async (callId, request, hangUpReason) => phone?.phoneCalls.request(callId, request, hangUpReason),
    callEvents: (callId, from, limit) => events.page(callId, from, limit),
  },
  holds: new LiveHolds(),
  activity,
  transcriptionActivity,
  hasWorker: (workerId) => handoff.has(workerId),
  spends: accountTotals,
  onSpendChanged: () => handoff.sendAccountsOverLimit(accountTotals.allOverLimit()),
  keys,
  metrics,
  clock,
  log,
});
/** Undefined where carriers know no address of the service. */
const phone =
  publicUrl === undefined
    ? undefined
    : telephony({
        stores,
        carriers,
        keys,
        capacity,
        workers: calls.liveCalls,
        client: carrierClient,
        mediaUrls,
        mintToken: () => signer.mint(),
        isShared: cluster !== undefined,
        publicUrl,
        clock,
        log,
      });
const endRequests = new EndRequests({
  calls: stores.calls,
  endCall: (workerId, callId) => handoff.endCall(workerId, callId, "api_hangup"),
  clock,
  log,
});
const lostCalls = new LostCallRecovery({
  calls: stores.calls,
  finalizer,
  workers: handoff,
  epoch,
  earlierWorkersAreGone,
  endCall: (workerId, callId) => handoff.endCall(workerId, callId, "worker_lost"),
  onWorkerLost: (workerId) => workersMetrics.workerLost(workerId),
  clock,
  log,
});

const lostCommits = new LostCommits({
  calls: stores.calls,
  mediaKeys,
  finalizer,
  workers: handoff,
  headerOf: async (callId, key) => await journalHeaderOf(journalFileOf(dataDir, callId, key)),
  endCall: (workerId, callId) => handoff.endCall(workerId, callId, "worker_lost"),
  isDatabaseLost: () => stores.isDatabaseLost(),
  epoch,
  clock,
  log,
});
stores.onServerChanged((answeredMs) => void lostCommits.compare(answeredMs));

const ownHandlers = handoffEvents({
  phoneCalls: phone?.phoneCalls,
  activity,
  holds: calls.holds,
  capacity,
  lostCommits,
  lostCalls,
  accountTotals,
  handoff,
  endRequests,
  finalizer,
  calls: stores.calls,
  onWorkerAccepting,
  log,
});
const handoffHandlers = cluster?.following(ownHandlers) ?? ownHandlers;
const admission = new Admission({
  isDatabaseLost: () => stores.isDatabaseLost(),
  isDiskLow: () => disk.isLow,
  workerCount: () => handoff.workerCount,
  isRendererFailing: () => renderer.isFailing,
  recordsWaiting: () => finalizer.count.waiting,
  // Another node takes what this one cannot.
  freeSlots: () => Math.max(capacity.available, cluster?.view.freeSlots("media") ?? 0),
});
const health: HealthDeps = { callAcceptance: () => admission.newCalls, providerNotes: providerNotes(config) };
let metricsAddress: { host: string; port: number } | undefined;
const waveforms = new WaveformReader({
  dataDir,
  findKey: findMediaKey,
  async makeWaveform(callId) {
    if (!(await shared?.recordings.fetchWaveform(callId))) await renderer.makeWaveform(callId);
  },
  withFiles: (callId, work) => finalizer.withFiles(callId, work),
});
// The store and the records need descriptors of their own.
const apiConnectionsMax = apiConnectionsMaxWith(descriptorsMax());
const documents = new EventDocuments({
  calls: stores.calls,
  callDocument: itemOf,
  turnDocuments: turnItemsOf,
  toolRuns: (callId) => toolRunsOf(events, callId),
  transcriptions: stores.transcriptions,
  transcriptionDocument: (transcription, result) => transcriptionEventItemOf(transcription, result, config.prices),
  documents: stores.documents,
  documentDocument: documentItemOf,
  apiUrl: config.publicApiUrls[0] ?? API_BASE_PATH,
});
const transcriptionEnds = new TranscriptionEnds({
  transcriptions: stores.transcriptions,
  audio: transcriptionAudio,
  encryptsMedia: config.encryptMedia,
  metrics,
  clock,
  log,
});
await transcriptionEnds.start();
const openStoredRecording = storedRecordings(dataDir, findMediaKey, shared?.recordings);
const transcriptions = await fileTranscriptions({
  config,
  stores,
  accountSecrets,
  openStoredRecording,
  http: guardedHttp,
  audio: transcriptionAudio,
  isDiskLow: () => disk.isLow,
  speechSocketPath: speech?.socketPath,
  clock,
  log,
  onTranscriberDied: () => metrics.transcriberDied(),
  onProgress: (progress) => transcriptionActivity.report(progress),
});
metrics.observeTranscriptions(() => transcriptions.inProgress);
const documentFiles = new DocumentFiles(dataDir, shared?.files);
const documentEnds = new DocumentEnds({
  documents: stores.documents,
  files: documentFiles,
  encryptsMedia: config.encryptMedia,
  metrics,
  clock,
  log,
});
await documentEnds.start();
const knowledge = documentProcessing({
  stores,
  files: documentFiles,
  bytesMax: config.documentBytesMax,
  http: guardedHttp,
  isDiskLow: () => disk.isLow,
  metrics,
  clock,
  log,
});
const schemas = new SchemaProcess({ clock, log, count: (outcome) => metrics.budgetedTask("schemas", outcome) });
const index = corpusIndex({
  socketPath: retrieval.socketPath,
  folder: retrieval.folder,
  source: stores.corpora,
  onNeeded: () => notifySupervisor({ kind: "retrieval-needed" }),
  clock,
  log,
});
const jobStatistics = new JobStatisticsReader(stores.jobs, clock);
jobStatistics.start();
const toolOptions = { secrets: config.toolSecrets, allowLoopback: config.toolsAllowLoopback };
const mcpClients = new McpProcess({ start: forkMcpProcess(config.toolsAllowLoopback), clock, log });
const mcpTools = new McpTools({ ...toolOptions, clients: mcpClients });
const mcpLister = new McpLister({ mcpTools, schemas, reservedNames: TOOL_NAMES, clock });
const jobs = backgroundJobs({
  toolListings: toolListings({ tools: stores.tools, accountSecrets, mcpLister, clock, log }),
  phoneCalls: phone?.jobs,
  transcriptions: transcriptions.job,
  documentProcessing: knowledge.job,
  corpusCleaning: knowledge.cleaning,
  analysisLlmOf: analysisLlms({
    llms: accountLlms({ config, clock, log, deadlines: ANALYSIS_DEADLINES }),
    providersOf: (accountId) => providersOf({ stores, accountSecrets }, accountId),
  }),
  schemas,
  isOverLimit: (accountId) => accountTotals.overLimit(accountId) !== undefined,
  prices: config.prices,
  stores,
  webhooks,
  mediaKeys,
  accountSecrets,
  carriers,
  inboundWebhooks,
  documents,
  http: guardedHttp,
  journals,
  finalizer,
  dataDir,
  retention,
  transcriptionRetention,
  shared,
  clock,
  log,
  metrics,
  statistics: jobStatistics,
});
const status = new StatusReader({
  newCalls: () => admission.newCalls,
  capacity,
  workerMetrics: (timeoutMs) => handoff.metrics(timeoutMs),
  jobs: () => jobStatistics.latest,
  disk,
  diskFreeMinBytes: config.diskFreeMinBytes,
  database: {
    kind: place.databaseUrl === undefined ? "sqlite" : "postgres",
    isLost: () => stores.isDatabaseLost(),
  },
  nodes: () => cluster?.view.nodes ?? [],
  configuration: [...configurationOverview(config)],
  clock,
});
const serviceUrl = (): string =>
  serviceUrlOf(config.publicApiUrls) ?? localUrlOf(config.apiHost, String(portOf(api.server)));
const api: FastifyInstance = buildApi({
  ...stores,
  requestRates: new RequestRates(config.requestLimits, clock),
  webhooks,
  inboundWebhooks,
  inboundWebhookClient: new InboundWebhookClient({ webhooks: inboundWebhooks, http: guardedHttp, clock }),
  webhooksAllowLoopback: config.webhooksAllowLoopback,
  eventBody: (event) => documents.bodyOf(event),
  callAdmission: new CallAdmission(
    stores.calls,
    capacity,
    new CreationRates(clock),
    cluster?.placementWith(config.callsPerApiKey),
  ),
  clock,
  largeResponses: new LargeResponses(clock, metrics.largeResponses("list")),
  downloads: new LargeResponses(clock, metrics.largeResponses("download"), downloadBounds(apiConnectionsMax)),
  voices,
  toolSecrets: config.toolSecrets,
  schemas,
  httpTools: new HttpTools(toolOptions),
  mcpTools,
  mcpLister,
  builtInTools: describeTools(BUILT_IN_TOOLS.map((name) => ({ kind: "built_in", name, fixedArguments: {} }))),
  toolsAllowLoopback: config.toolsAllowLoopback,
  corpusLookup: stores.corpora,
  ...health,
  accountLimitReached: (accountId) => accountTotals.overLimit(accountId),
  llmProviders: (model) => llmProvidersOf(config, model),
  missingPrices: (model, allowed) => missingPrices(config.prices, pricedProviders(config, model, allowed)),
  retentionRules: config.retention,
  accountSecrets,
  carriers,
  carrierAccounts,
  phoneCalls: phone?.phoneCalls,
  phoneWebhooks: phone?.webhooks,
  credentialProviders: credentialProviders(config),
  publicApiUrls: config.publicApiUrls,
  serviceUrl,
  passwords: new Passwords(),
  trustedProxies: config.trustedProxies,
  corsOrigins: config.corsOrigins,
  startRates: new StartRates({ clock }),
  webFiles: readWebFiles(builtFolder("pages")),
  dashboardFiles: readDashboardFiles(builtFolder("dashboard")),
  metricsAddress: () => metricsAddress,
  readStatus: () => status.read(),
  mediaUrls,
  mediaUrlsOf: (node) => cluster?.mediaUrlsOf(node) ?? mediaUrls,
  webrtcMissing: webrtcMissing(config),
  tokenTtlMs: config.tokenTtlS * 1_000,
  mintToken: () => signer.mint(),
  recordingPath: (callId) => recordingPath(dataDir, callId),
  openStoredRecording,
  endCall: (workerId, call) => calls.liveCalls.endCall(workerId, call),
  heldSince: (callId) => calls.holds.sinceMs(callId),
  activity: calls.activity,
  transcriptionActivity: calls.transcriptionActivity,
  listenAddress: (workerId, callId) => calls.liveCalls.listenAddress(workerId, callId),
  requestLive: (workerId, callId, request) => calls.liveCalls.requestLive(workerId, callId, request),
  requestPhone: (callId, request, hangUpReason) => calls.liveCalls.requestPhone(callId, request, hangUpReason),
  findMediaKey,
  async removeFiles(callId) {
    await stores.retention.deleteMediaKey(callId);
    await elsewhere?.delete(callId, "record");
    await finalizer.deleteFiles(callId);
    await shared?.removeShared(callId, "record");
  },
  readWaveform: (callId, buckets) => waveforms.read(callId, buckets),
  async checkReplay(callId) {
    await shared?.media.fetchComplete(callId);
    return await renderer.checkReplay(callId);
  },
  async callEvents(callId, from, limit) {
    // Where the bucket has the whole journal no other node is needed.
    if (await shared?.media.fetchComplete(callId).catch(() => false)) return await events.page(callId, from, limit);
    return (await calls.liveCalls.callEvents(callId, from, limit)) as CallEventPage;
  },
  transcriptionAudio,
  transcriptionBytesMax: config.transcriptionBytesMax,
  documentFiles,
  documentBytesMax: config.documentBytesMax,
  hasFfmpeg: findFfmpeg({ program: config.ffmpeg, searchPath: readSearchPath() }) !== undefined,
  uploads: new LargeResponses(clock, metrics.largeResponses("upload"), UPLOAD_BOUNDS),
  isDiskLow: () => disk.isLow,
  batchCapabilities: transcriptions.capabilitiesOf,
  formatResult: formatInTurns,
  prices: config.prices,
  metrics,
  retriever: index.retriever,
  corpusQueries: new LargeResponses(clock, metrics.largeResponses("corpus_query"), CORPUS_QUERY_BOUNDS),
  log,
});

const apiConnections = new HttpConnections(api.server, {
  max: apiConnectionsMax,
  clock,
  onClosed: (reason) => metrics.connectionClosed("api", reason),
});

/** The next service waits for the data directory and makes the missing records: every journal and every row is on disk. */
function exitOrphaned(): void {
  log.warn("supervisor is gone: the control process exits, workers continue their calls");
  process.exit(0);
}

handleSupervisorMessages({
  drain: () => {
    admission.drain();
    void cluster?.placedCallsBegun().then(() => notifySupervisor({ kind: "no-call-waits" }));
  },
  stop: () => {
    documentEnds.close();
    shared?.close();
    index.close();
    void shutDownControl({
      admission,
      jobs,
      api,
      lostCalls,
      finalizer,
      phoneCalls: phone?.phoneCalls,
      callsOfNodes: calls,
      lease: cluster?.lease,
      traces,
      renderer,
      transcriber: transcriptions,
      ingester: knowledge,
      handoff,
      providers: voiceLists,
      stores,
      clock,
      exit: (code) => process.exit(code),
    });
  },
  orphaned: exitOrphaned,
  restarts: (counts) => metrics.setRestarts(counts),
});
if (config.metricsPort !== undefined) {
  const exposition = async (): Promise<string> => {
    const answers = await handoff.metrics(METRICS_ANSWER_MS_MAX);
    const others = await Promise.all([
      speech && speechMetrics(connectorTo(speech.socketPath), METRICS_ANSWER_MS_MAX, clock),
      index.metrics(METRICS_ANSWER_MS_MAX),
    ]);
    const workers = await workersMetrics.aggregate(answers);
    const text = await metrics.exposition(workers, admission.newCalls.accepted, others);
    return cluster === undefined ? text : withConstantLabel(text, "node", cluster.holder.name);
  };
  const { server, connections } = await serveMetrics({
    host: config.metricsHost,
    port: config.metricsPort,
    exposition,
    health: healthResponse,
    readiness: () => readinessResponse(health),
    drain:
      config.operatorToken === undefined
        ? undefined
        : {
            token: config.operatorToken,
            request: () => {
              log.info("drain requested by the operator");
              notifySupervisor({ kind: "drain-requested" });
            },
          },
    clock,
    onClosed: (reason) => metrics.connectionClosed("metrics", reason),
    log,
  });
  metrics.observeConnections(() => ({ api: apiConnections.count, metrics: connections.count }));
  metricsAddress = { host: config.metricsHost, port: portOf(server) };
  log.info(metricsAddress, "metrics port ready");
}
const { bootId } = ageClock;
const tokenKeys = signer.accepted;
// The API and the jobs of this process must not take CPU time from the media workers. Its other threads keep their priority: the
// workers wait for the handoff thread.
setPriority(Math.max(getPriority(), CONTROL_NICE));
await handoff.serve(
  {
    place,
    socketPath,
    epoch,
    holder,
    bootId,
    tokenKeys,
    secretsKeys: keys.keys,
    encryptMedia: config.encryptMedia,
    logLevel: config.logLevel,
  },
  handoffHandlers,
);
lostCalls.start();
calls.start();
cluster?.start({
  load: () => nodeLoad(admission.newCalls, capacity),
  lostCalls,
  capacity,
  phoneCalls: stores.phoneCalls,
  endCall: (workerId, callId, reason) => handoff.endCall(workerId, callId, reason),
  giveWay: () =>
    giveWay({
      carriedCalls: () => capacity.carriedCalls,
      endCall: (workerId, callId, reason) => handoff.endCall(workerId, callId, reason),
      stopRecords: () => finalizer.stop(),
      shipNow: shared && (() => shared.shipNow()),
      clock,
      log,
    }),
  sendRelayNodes: (nodes) => handoff.sendRelayNodes(nodes),
});
shared?.start();
traces?.start();
phone?.phoneCalls.start();
new CallExpiry({ calls: stores.calls, clock, log }).start();
jobs.start();
index.start();
stores.documents.onEnded(() => index.wake());
await listenForApi(api, config.apiHost, port);
if (isNew) {
  await offerOwnerLink({
    stores,
    dataDir,
    serviceUrl: serviceUrl(),
    showOnTerminal:
      process.stdout.isTTY && !config.isProduction ? (url) => sendToSupervisor({ kind: "owner-link", url }) : undefined,
    log,
  });
}
// A client may create a call as soon as the service is ready.
await firstWorker;
reportReady(portOf(api.server), clock);
