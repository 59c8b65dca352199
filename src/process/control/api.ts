import type { FastifyInstance } from "fastify";
import { type ApiDeps, buildApi } from "../../api/app.ts";
import type { CallEventPage } from "../../api/calls/events.ts";
import { readDashboardFiles } from "../../api/dashboard/files.ts";
import { RequestRates } from "../../api/http/access/request-rates.ts";
import type { HealthDeps } from "../../api/http/health.ts";
import {
  CORPUS_QUERY_BOUNDS,
  downloadBounds,
  LargeResponses,
  UPLOAD_BOUNDS,
} from "../../api/http/responses/large-responses.ts";
import { Passwords } from "../../api/session/passwords.ts";
import type { VoiceCatalogue } from "../../api/voices/catalogue.ts";
import { StartRates } from "../../api/web-calls/start-rates.ts";
import { builtFolder, readWebFiles } from "../../api/web-files/files.ts";
import { describeTools } from "../../call/tools/plan.ts";
import { configurationOverview } from "../../config/checks/overview.ts";
import { readSearchPath } from "../../config/environment.ts";
import { missingPrices } from "../../core/billing/prices.ts";
import { BUILT_IN_TOOLS } from "../../core/calls/spec.ts";
import { recordingPath } from "../../record/recording/render.ts";
import { credentialProviders, llmProvidersOf, pricedProviders } from "../../speech/settings.ts";
import { CallAdmission } from "../../store/admission/call-admission.ts";
import { CreationRates } from "../../store/admission/creation-rates.ts";
import { InboundWebhookClient } from "../../telephony/inbound-webhook-client.ts";
import { findFfmpeg } from "../../transcription/audio/find-ffmpeg.ts";
import { webrtcMissing } from "../webrtc-support.ts";
import type { Admission } from "./admission.ts";
import type { BackgroundWork } from "./background-work.ts";
import type { Foundation } from "./foundation.ts";
import type { LiveCallsOfService } from "./live-calls.ts";
import type { Records } from "./records.ts";
import { StatusReader } from "./status/status.ts";
import { formatInTurns } from "./transcriptions/format-in-turns.ts";

/** What the API answers from. */
export interface ApiParts {
  base: Foundation;
  records: Records;
  live: LiveCallsOfService;
  work: BackgroundWork;
  admission: Admission;
  health: HealthDeps;
  voices: VoiceCatalogue;
  connectionsMax: number;
  /** The address of the service. */
  serviceUrl: () => string;
  /** Of the metrics port, once it is open. */
  metricsAddress: ApiDeps["metricsAddress"];
}

/** The control API over the parts of this process. It does not listen yet. */
export function apiOf(parts: ApiParts): FastifyInstance {
  const { base, records, work, health, connectionsMax, serviceUrl, metricsAddress } = parts;
  const { config, stores, guardedHttp, metrics, clock, log } = base;
  return buildApi({
    ...stores,
    ...accountDepsOf(base),
    ...callDepsOf(parts),
    ...recordDepsOf(parts),
    ...fileDepsOf(parts),
    ...toolDepsOf(parts),
    ...health,
    requestRates: new RequestRates(config.requestLimits, clock),
    webhooks: base.webhooks,
    inboundWebhooks: base.inboundWebhooks,
    inboundWebhookClient: new InboundWebhookClient({ webhooks: base.inboundWebhooks, http: guardedHttp, clock }),
    webhooksAllowLoopback: config.webhooksAllowLoopback,
    eventBody: (event) => work.documents.bodyOf(event),
    largeResponses: new LargeResponses(clock, metrics.largeResponses("list")),
    downloads: new LargeResponses(clock, metrics.largeResponses("download"), downloadBounds(connectionsMax)),
    publicApiUrls: config.publicApiUrls,
    serviceUrl,
    trustedProxies: config.trustedProxies,
    corsOrigins: config.corsOrigins,
    webFiles: readWebFiles(builtFolder("pages")),
    dashboardFiles: readDashboardFiles(builtFolder("dashboard")),
    metricsAddress,
    readStatus: statusReaderOf(parts),
    retentionRules: config.retention,
    prices: config.prices,
    findMediaKey: base.findMediaKey,
    openStoredRecording: records.openStoredRecording,
    isDiskLow: () => base.disk.isLow,
    metrics,
    clock,
    log,
  });
}

/** Credentials, and limits of accounts. */
function accountDepsOf({ config, accountTotals, accountSecrets, clock }: Foundation) {
  return {
    accountSecrets,
    passwords: new Passwords(),
    startRates: new StartRates({ clock }),
    accountLimitReached: (accountId) => accountTotals.overLimit(accountId),
    llmProviders: (model) => llmProvidersOf(config, model),
    missingPrices: (model, allowed) => missingPrices(config.prices, pricedProviders(config, model, allowed)),
    credentialProviders: credentialProviders(config),
  } satisfies Partial<ApiDeps>;
}

/** New calls, and those that are in progress. */
function callDepsOf({ base, live, voices }: ApiParts) {
  const { config, stores, capacity, cluster, carriers, signer, assignment, clock } = base;
  const { calls, phone, carrierAccounts } = live;
  const placement = cluster?.placementWith(config.callsPerApiKey);
  return {
    callAdmission: new CallAdmission(stores.calls, capacity, new CreationRates(clock), placement),
    voices,
    carriers,
    carrierAccounts,
    phoneCalls: phone?.phoneCalls,
    phoneWebhooks: phone?.webhooks,
    mediaUrls: assignment.mediaUrls,
    mediaUrlsOf: (node) => cluster?.mediaUrlsOf(node) ?? assignment.mediaUrls,
    webrtcMissing: webrtcMissing(config),
    tokenTtlMs: config.tokenTtlS * 1_000,
    mintToken: () => signer.mint(),
    endCall: (workerId, call) => calls.liveCalls.endCall(workerId, call),
    heldSince: (callId) => calls.holds.sinceMs(callId),
    activity: calls.activity,
    transcriptionActivity: calls.transcriptionActivity,
    listenAddress: (workerId, callId) => calls.liveCalls.listenAddress(workerId, callId),
    requestLive: (workerId, callId, request) => calls.liveCalls.requestLive(workerId, callId, request),
    requestPhone: (callId, request, hangUpReason) => calls.liveCalls.requestPhone(callId, request, hangUpReason),
  } satisfies Partial<ApiDeps>;
}

/** What is recorded of ended calls. */
function recordDepsOf({ base, records, live: { calls } }: ApiParts) {
  const { config, stores } = base;
  const { shared, renderer, finalizer, events, elsewhere, waveforms } = records;
  return {
    recordingPath: (callId) => recordingPath(config.dataDir, callId),
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
  } satisfies Partial<ApiDeps>;
}

/** Files of transcriptions and documents, and questions to corpora. */
function fileDepsOf({ base: { config, metrics, clock }, records, work }: ApiParts) {
  return {
    transcriptionAudio: records.transcriptionAudio,
    transcriptionBytesMax: config.transcriptionBytesMax,
    batchCapabilities: work.transcriptions.capabilitiesOf,
    formatResult: formatInTurns,
    documentFiles: work.documentFiles,
    documentBytesMax: config.documentBytesMax,
    hasFfmpeg: findFfmpeg({ program: config.ffmpeg, searchPath: readSearchPath() }) !== undefined,
    uploads: new LargeResponses(clock, metrics.largeResponses("upload"), UPLOAD_BOUNDS),
    retriever: work.index.retriever,
    corpusQueries: new LargeResponses(clock, metrics.largeResponses("corpus_query"), CORPUS_QUERY_BOUNDS),
  } satisfies Partial<ApiDeps>;
}

function toolDepsOf({ base: { config, stores }, work }: ApiParts) {
  const { schemas, httpTools, mcpTools, mcpLister } = work;
  return {
    ...{ schemas, httpTools, mcpTools, mcpLister },
    toolSecrets: config.toolSecrets,
    toolsAllowLoopback: config.toolsAllowLoopback,
    builtInTools: describeTools(BUILT_IN_TOOLS.map((name) => ({ kind: "built_in", name, fixedArguments: {} }))),
    corpusLookup: stores.corpora,
  } satisfies Partial<ApiDeps>;
}

/** Reads the state of the service for an operator. */
function statusReaderOf({ base, work, admission }: ApiParts): ApiDeps["readStatus"] {
  const { config, stores, place, capacity, handoff, disk, cluster, clock } = base;
  const status = new StatusReader({
    newCalls: () => admission.newCalls,
    capacity,
    workerMetrics: (timeoutMs) => handoff.metrics(timeoutMs),
    jobs: () => work.jobStatistics.latest,
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
  return () => status.read();
}
