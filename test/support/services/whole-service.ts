import { buildApi } from "../../../src/api/app.ts";
import { RequestRates } from "../../../src/api/http/access/request-rates.ts";
import {
  CORPUS_QUERY_BOUNDS,
  downloadBounds,
  LargeResponses,
  UPLOAD_BOUNDS,
} from "../../../src/api/http/responses/large-responses.ts";
import { Passwords } from "../../../src/api/session/passwords.ts";
import { catalogueOf } from "../../../src/api/voices/catalogue.ts";
import { StartRates } from "../../../src/api/web-calls/start-rates.ts";
import { CONNECTION_TYPES, carrierOf } from "../../../src/carriers/list.ts";
import { SCOPES } from "../../../src/core/accounts/scopes.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { API_CONNECTIONS_MAX } from "../../../src/core/limits/control-api/api.ts";
import { MetricsAggregator } from "../../../src/core/metrics/aggregation.ts";
import { ControlMetrics } from "../../../src/core/metrics/control-metrics.ts";
import { KEEP_ALL } from "../../../src/core/retention.ts";
import { formatInTurns } from "../../../src/process/control/transcriptions/format-in-turns.ts";
import { EventPager } from "../../../src/record/events/event-pages.ts";
import { journalFileOf } from "../../../src/record/journal/reader.ts";
import { readWaveform, waveformPath } from "../../../src/record/recording/waveform.ts";
import { checkReplay } from "../../../src/record/replay/check.ts";
import { countCalls } from "../../../src/store/calls/call-metrics.ts";
import { DocumentFiles } from "../../../src/store/data-dir/document-files.ts";
import { TranscriptionAudio } from "../../../src/store/data-dir/transcription-audio.ts";
import { CarrierAccounts } from "../../../src/telephony/carrier-accounts.ts";
import { ANY_BATCH_PROVIDER } from "../api/any-batch-provider.ts";
import { ANY_STT } from "../api/any-stt.ts";
import { statusReader } from "../api/status.ts";
import { TOOL_DEPS } from "../api/tool-deps.ts";
import { SEALING_KEYS } from "../stores/keys.ts";
import { INLINE_SCHEMAS } from "../stubs/inline-schemas.ts";
import { ScriptedCarrierClient } from "../telephony/scripted-client.ts";
import { mintToken } from "../tokens.ts";
import { type MediaServiceOptions, mediaService } from "./media-service.ts";

const VOICE = { id: "scripted/one", name: "One", language: "en-US", provider: "scripted" };

/** The least that makes a call here. */
export const MINIMAL_CALL = {
  systemPrompt: "You answer the telephone of a bakery.",
  voice: VOICE.id,
  language: "en-US",
};

/** Both planes and the API in one process, put together as `control.ts` and `worker.ts` do; one account, with a key. */
export async function wholeService(options: MediaServiceOptions = {}) {
  const media = await mediaService(options);
  const { stores, directory, accountId, ipc, finalizer, log, recordingPath, url } = media;
  const { key } = await stores.apiKeys.create({ accountId, name: "test", scopes: SCOPES });
  const metrics = new ControlMetrics(CONNECTION_TYPES);
  stores.calls.subscribe(countCalls(metrics));
  const events = new EventPager(directory);
  const status = statusReader(systemClock, {
    newCalls: () => ({ accepted: true }),
    database: { kind: "sqlite", isLost: () => false },
  });
  const api = buildApi({
    ...stores,
    requestRates: new RequestRates({ perApiKey: 60_000, perAccount: 120_000 }, systemClock),
    clock: systemClock,
    largeResponses: new LargeResponses(systemClock, metrics.largeResponses("list")),
    downloads: new LargeResponses(systemClock, metrics.largeResponses("download"), downloadBounds(API_CONNECTIONS_MAX)),
    callAdmission: {
      create: async (call) => {
        const creation = await stores.calls.create(call);
        if (creation.kind === "limit-reached") throw new Error("only nodes of a cluster have the store count calls");
        return creation;
      },
      createQueued: async (_accountId, _bounds, { create }) => (await create(undefined)) as never,
    },
    voices: catalogueOf({ voices: async () => [VOICE] }, ANY_STT),
    toolSecrets: new Map(),
    corpusLookup: stores.corpora,
    retriever: { query: async () => ({ passages: [], tookMs: 0 }) },
    schemas: INLINE_SCHEMAS,
    ...TOOL_DEPS,
    toolsAllowLoopback: true,
    webhooks: stores.openWebhooks(SEALING_KEYS),
    accountSecrets: stores.openAccountSecrets(SEALING_KEYS),
    carriers: stores.openCarriers(SEALING_KEYS),
    inboundWebhooks: stores.openInboundWebhooks(SEALING_KEYS),
    inboundWebhookClient: { ask: async () => ({ kind: "failed", reason: "there is none" }) },
    carrierAccounts: new CarrierAccounts({
      client: new ScriptedCarrierClient(),
      telephonyOf: (carrier) => carrierOf(carrier)?.telephony,
      numbers: stores.phoneNumbers,
      publicUrl: undefined,
      isEmulated: () => false,
    }),
    phoneCalls: undefined,
    phoneWebhooks: undefined,
    credentialProviders: [],
    webhooksAllowLoopback: true,
    eventBody: async () => undefined,
    callAcceptance: () => ({ accepted: true }),
    accountLimitReached: () => undefined,
    llmProviders: () => ["reference"],
    missingPrices: () => [],
    retentionRules: { days: KEEP_ALL, accounts: new Map() },
    corsOrigins: [],
    trustedProxies: [],
    serviceUrl: () => "http://127.0.0.1:8080",
    passwords: new Passwords({ logN: 4 }),
    startRates: new StartRates({ clock: systemClock }),
    webFiles: undefined,
    dashboardFiles: undefined,
    readStatus: () => status.read(),
    metricsAddress: () => undefined,
    providerNotes: [],
    publicApiUrls: [],
    mediaUrls: { media: url },
    webrtcMissing: "set WEBRTC_UDP_PORTS",
    tokenTtlMs: 60_000,
    mintToken,
    recordingPath,
    endCall: (workerId, { id }) => ipc.endCall(workerId, id, "api_hangup"),
    heldSince: (callId) => media.holds.sinceMs(callId),
    activity: { watch: (isOn) => ipc.watchActivity(isOn), subscribe: () => {} },
    transcriptionActivity: { subscribe: () => {} },
    requestPhone: async () => undefined,
    listenAddress: (workerId, callId) => ipc.listenAddress(workerId, callId),
    requestLive: (workerId, callId, request) => ipc.requestLive(workerId, callId, request),
    removeFiles: (callId) => finalizer.deleteFiles(callId),
    readWaveform: (callId, buckets) =>
      readWaveform({ path: waveformPath(recordingPath(callId)), key: undefined }, buckets),
    checkReplay: (callId) => checkReplay(journalFileOf(directory, callId, undefined), AbortSignal.timeout(30_000)),
    callEvents: (callId, from, limit) => events.page(callId, from, limit),
    transcriptionAudio: new TranscriptionAudio(directory),
    transcriptionBytesMax: 1_000_000,
    documentFiles: new DocumentFiles(directory),
    documentBytesMax: 1_000_000,
    hasFfmpeg: true,
    uploads: new LargeResponses(systemClock, metrics.largeResponses("upload"), UPLOAD_BOUNDS),
    corpusQueries: new LargeResponses(systemClock, metrics.largeResponses("corpus_query"), CORPUS_QUERY_BOUNDS),
    isDiskLow: () => false,
    batchCapabilities: async () => ANY_BATCH_PROVIDER,
    formatResult: formatInTurns,
    prices: undefined,
    metrics,
    log,
  });
  const workers = new MetricsAggregator();
  return {
    ...media,
    key,
    api,
    /** What a scrape is answered. */
    exposition: async () =>
      await metrics.exposition(await workers.aggregate(await ipc.metrics(AbortSignal.timeout(1_000))), true),
    async close(): Promise<void> {
      await api.close();
      await media.close();
    },
  };
}

export type WholeService = Awaited<ReturnType<typeof wholeService>>;
