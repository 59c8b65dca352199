import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { type ApiDeps, buildApi } from "../../../src/api/app.ts";
import { type RequestLimits, RequestRates } from "../../../src/api/http/access/request-rates.ts";
import type { ErrorBody } from "../../../src/api/http/errors.ts";
import type { CallAcceptance } from "../../../src/api/http/health.ts";
import {
  CORPUS_QUERY_BOUNDS,
  downloadBounds,
  LargeResponses,
  UPLOAD_BOUNDS,
} from "../../../src/api/http/responses/large-responses.ts";
import { Passwords } from "../../../src/api/session/passwords.ts";
import { catalogueOf, type VoiceCatalogue } from "../../../src/api/voices/catalogue.ts";
import { StartRates } from "../../../src/api/web-calls/start-rates.ts";
import { CONNECTION_TYPES, carrierOf } from "../../../src/carriers/list.ts";
import { SCOPES } from "../../../src/core/accounts/scopes.ts";
import type { SpendUnit } from "../../../src/core/billing/spend.ts";
import type { CallActivity } from "../../../src/core/calls/activity.ts";
import type { ListenAnswer } from "../../../src/core/calls/listening.ts";
import type { LiveOutcome } from "../../../src/core/calls/live-requests.ts";
import type { ModelName } from "../../../src/core/calls/spec.ts";
import type { EpochMs } from "../../../src/core/clocks.ts";
import { nodeUnreachable, unavailable } from "../../../src/core/errors.ts";
import { type AccountId, type ApiKeyId, asDocumentId } from "../../../src/core/ids.ts";
import { NODE_ANSWER_MS_MAX } from "../../../src/core/limits/cluster/node-messages.ts";
import { API_CONNECTIONS_MAX } from "../../../src/core/limits/control-api/api.ts";
import { ControlMetrics } from "../../../src/core/metrics/control-metrics.ts";
import { GuardedHttp } from "../../../src/core/network/guarded-http.ts";
import { KEEP_ALL } from "../../../src/core/retention.ts";
import type { TranscriptionProgress } from "../../../src/core/transcriptions/progress.ts";
import { telephony } from "../../../src/process/control/calls/telephony.ts";
import { formatInTurns } from "../../../src/process/control/transcriptions/format-in-turns.ts";
import { EventPager } from "../../../src/record/events/event-pages.ts";
import { journalFileOf } from "../../../src/record/journal/reader.ts";
import { readWaveform, waveformPath } from "../../../src/record/recording/waveform.ts";
import { checkReplay } from "../../../src/record/replay/check.ts";
import type { Voice } from "../../../src/speech/contracts.ts";
import type { AccountSecretStore } from "../../../src/store/accounts/account-secret-store.ts";
import { CallAdmission } from "../../../src/store/admission/call-admission.ts";
import { type CallOwner, Capacity } from "../../../src/store/admission/capacity.ts";
import { CreationRates } from "../../../src/store/admission/creation-rates.ts";
import { DocumentFiles } from "../../../src/store/data-dir/document-files.ts";
import { TranscriptionAudio } from "../../../src/store/data-dir/transcription-audio.ts";
import { openSqliteStores } from "../../../src/store/sqlite/open-stores.ts";
import type { Stores } from "../../../src/store/stores.ts";
import type { CarrierStore } from "../../../src/store/telephony/carrier-store.ts";
import type { WebhookStore } from "../../../src/store/webhooks/webhook-store.ts";
import { CarrierAccounts } from "../../../src/telephony/carrier-accounts.ts";
import { InboundWebhookClient } from "../../../src/telephony/inbound-webhook-client.ts";
import { ScriptedCorpora } from "../knowledge/corpora.ts";
import { ManualClock } from "../manual-clock.ts";
import { memoryLog } from "../memory-log.ts";
import { SEALING_KEYS } from "../stores/keys.ts";
import { migratedFile } from "../stores/migrated-file.ts";
import { INLINE_SCHEMAS } from "../stubs/inline-schemas.ts";
import { ScriptedCarrierClient } from "../telephony/scripted-client.ts";
import { ageClockOf, mintToken } from "../tokens.ts";
import { ANY_BATCH_PROVIDER } from "./any-batch-provider.ts";
import { ANY_STT } from "./any-stt.ts";
import { statusReader } from "./status.ts";
import { TOOL_DEPS } from "./tool-deps.ts";

export const VOICES: readonly Voice[] = [
  { id: "fake/en-us", name: "Alice", language: "en-US", provider: "fake" },
  { id: "fake/en-gb", name: "Basil", language: "en-GB", provider: "fake" },
  { id: "fake/de-1", name: "Clara", language: "de", provider: "fake" },
  { id: "fake/de-2", name: "Clara", language: "de", provider: "fake" },
];

/** The LLM providers of each model. */
export const LLM_PROVIDERS: Readonly<Record<ModelName, readonly string[]>> = {
  model_a: ["reference"],
  model_b: ["openai", "reference"],
  model_c: ["anthropic"],
};

/** The least that makes a call. */
export const MINIMAL_CALL = { systemPrompt: "You book tables.", voice: "Alice", language: "en-US" };

export interface ApiUnderTest {
  app: FastifyInstance;
  stores: Stores;
  webhooks: WebhookStore;
  accountSecrets: AccountSecretStore;
  carriers: CarrierStore;
  carrierClient: ScriptedCarrierClient;
  clock: ManualClock;
  directory: string;
  accountId: AccountId;
  key: string;
  apiKeyId: ApiKeyId;
  /** What the API logged, one line of JSON each. */
  logged: string[];
  metrics: ControlMetrics;
  largeResponses: LargeResponses;
  downloads: LargeResponses;
  uploads: LargeResponses;
  corpusQueries: LargeResponses;
  requestRates: RequestRates;
  /**
   * What `newCalls` says, what speaks against one call more, whether the worker receives messages, and whether the keys can
   * be read; a test may change it.
   */
  state: {
    newCalls: CallAcceptance;
    admit: (
      call: CallOwner & { tokenHash: string; callsPerAccount?: number | undefined },
    ) => ReturnType<Capacity["reserve"]>;
    workerIsAway: boolean;
    /** The calls are at another node, which does not answer. */
    nodeIsAway: boolean;
    /** What a worker answers to a request to listen. */
    listenAnswer: ListenAnswer;
    /** What a worker answers to a request for a hold. */
    liveOutcome: LiveOutcome;
    /** Since when the callers of live calls are on hold. */
    heldSinceMs: EpochMs | undefined;
    storeIsAway: boolean;
    diskIsLow: boolean;
    /** The carriers are emulated on this machine. */
    isEmulated: boolean;
    accountOver: SpendUnit | undefined;
  };
  /** The calls that workers were asked to end. */
  endRequests: { workerId: string; callId: string }[];
  /** Whether workers were asked for what their calls do, each time; and their reports. */
  activityWatches: boolean[];
  reportActivity(calls: readonly CallActivity[]): void;
  /** How far transcriptions are, as their jobs report it. */
  reportTranscriptions(all: readonly TranscriptionProgress[]): void;
  recordingPath(callId: string): string;
  /** `path` is by default that of `POST /calls`. */
  post(body: unknown, headers?: Record<string, string>, path?: string): Promise<Answer>;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  patch(body: unknown, headers: Record<string, string>, path: string): Promise<Answer>;
  delete(path: string, headers?: Record<string, string>): Promise<Answer>;
  close(): Promise<void>;
}

export interface Answer {
  status: number;
  headers: Readonly<Record<string, unknown>>;
  text: string;
  /** The parsed JSON; undefined for anything else. */
  body: unknown;
}

/** What an answer says is wrong. */
export const errorOf = (answer: Answer): ErrorBody["error"] => (answer.body as ErrorBody).error;

/** The paths of everything an answer says is wrong, in order. */
export const pathsOf = (answer: Answer): string[] =>
  errorOf(answer)
    .details.map((detail) => detail.path)
    .sort();

/** The API over real stores and invented voices, with one account that has a key. */
export async function apiUnderTest(
  voices: VoiceCatalogue = catalogueOf({ voices: async () => VOICES }, ANY_STT),
  options: Partial<
    Pick<
      ApiDeps,
      | "requestMsMax"
      | "stallMsMax"
      | "recordingPath"
      | "readWaveform"
      | "checkReplay"
      | "publicApiUrls"
      | "corsOrigins"
      | "startRates"
      | "webFiles"
      | "dashboardFiles"
      | "mediaUrls"
      | "trustedProxies"
      | "metricsAddress"
      | "providerNotes"
      | "removeFiles"
      | "requestLive"
      | "toolsAllowLoopback"
      | "httpTools"
      | "mcpTools"
      | "mcpLister"
      | "corpusLookup"
      | "missingPrices"
      | "retentionRules"
      | "schemas"
      | "toolSecrets"
      | "batchCapabilities"
      | "transcriptionBytesMax"
      | "documentBytesMax"
      | "hasFfmpeg"
      | "prices"
    >
  > & {
    requestLimits?: RequestLimits;
    /** The address at which carriers reach the service. */
    publicUrl?: string | undefined;
  } = {},
): Promise<ApiUnderTest> {
  const {
    requestLimits = { perApiKey: 60_000, perAccount: 120_000 },
    publicUrl,
    ...ofApi
  } = {
    publicUrl: "https://voice.example.com",
    ...options,
  };
  // Its own for as long as it is open: some files ask one API in all of their tests.
  const [directory, clock] = [mkdtempSync(join(tmpdir(), "trunkline-api-")), new ManualClock()];
  copyFileSync(await migratedFile(), join(directory, "trunkline.db"));
  const stores = await openSqliteStores(directory, clock, { ageClock: ageClockOf(clock) });
  const webhooks = stores.openWebhooks(SEALING_KEYS);
  const accountSecrets = stores.openAccountSecrets(SEALING_KEYS);
  const carriers = stores.openCarriers(SEALING_KEYS);
  const inboundWebhooks = stores.openInboundWebhooks(SEALING_KEYS);
  const carrierClient = new ScriptedCarrierClient();
  const accountId = await stores.accounts.ensure("first");
  const { key, record } = await stores.apiKeys.create({ accountId, name: "test", scopes: SCOPES });
  const authenticate = stores.apiKeys.authenticate.bind(stores.apiKeys);
  stores.apiKeys.authenticate = async (text) => {
    if (state.storeIsAway) throw unavailable("the database is busy");
    return await authenticate(text);
  };
  const requestRates = new RequestRates(requestLimits, clock);
  const { log, lines: logged } = memoryLog();
  const state: ApiUnderTest["state"] = {
    newCalls: { accepted: true },
    accountOver: undefined,
    admit: () => undefined,
    workerIsAway: false,
    nodeIsAway: false,
    listenAnswer: { kind: "address", url: "wss://media.test/stream/l_secret", validMs: 60_000 },
    liveOutcome: "done",
    heldSinceMs: undefined,
    storeIsAway: false,
    diskIsLow: false,
    isEmulated: true,
  };
  const requireNode = (): void => {
    if (state.nodeIsAway) throw nodeUnreachable("b", NODE_ANSWER_MS_MAX);
  };
  const endRequests: ApiUnderTest["endRequests"] = [];
  const activityWatches: boolean[] = [];
  let reportActivity: (calls: readonly CallActivity[]) => void = () => {};
  let reportTranscriptions: (all: readonly TranscriptionProgress[]) => void = () => {};
  const recordingPath = (callId: string) => join(directory, `${callId}.wav`);
  const events = new EventPager(directory);
  const metrics = new ControlMetrics(CONNECTION_TYPES);
  const largeResponses = new LargeResponses(clock, metrics.largeResponses("list"));
  const downloads = new LargeResponses(clock, metrics.largeResponses("download"), downloadBounds(API_CONNECTIONS_MAX));
  const uploads = new LargeResponses(clock, metrics.largeResponses("upload"), UPLOAD_BOUNDS);
  const corpusQueries = new LargeResponses(clock, metrics.largeResponses("corpus_query"), CORPUS_QUERY_BOUNDS);
  const status = statusReader(clock, {
    newCalls: () => state.newCalls,
    database: { kind: "sqlite", isLost: () => state.storeIsAway },
  });
  const phone =
    publicUrl === undefined
      ? undefined
      : telephony({
          stores,
          carriers,
          keys: SEALING_KEYS,
          capacity: new Capacity({ clock, callsPerApiKey: undefined }),
          workers: { phoneUpdate: async () => true, resumeAddress: async () => undefined },
          client: carrierClient,
          mediaUrls: { media: "wss://media.example.com" },
          mintToken,
          isShared: false,
          publicUrl,
          clock,
          log,
        });
  const app = buildApi({
    ...stores,
    callAdmission: new CallAdmission(
      stores.calls,
      {
        reserve: (tokenHash, owner, callsPerAccount) => state.admit({ tokenHash, ...owner, callsPerAccount }),
        release: () => {},
      },
      new CreationRates(clock),
    ),
    clock,
    largeResponses,
    downloads,
    requestRates,
    voices,
    toolSecrets: new Map([
      ["SHOP_TOKEN", { value: "x", hosts: ["api.example.com", "x.example"], accountIds: [accountId] }],
    ]),
    schemas: INLINE_SCHEMAS,
    ...TOOL_DEPS,
    toolsAllowLoopback: false,
    corpusLookup: new ScriptedCorpora(),
    webhooks,
    accountSecrets,
    carriers,
    inboundWebhooks,
    inboundWebhookClient: new InboundWebhookClient({
      webhooks: inboundWebhooks,
      http: new GuardedHttp({ allowLoopback: true }),
      clock,
    }),
    carrierAccounts: new CarrierAccounts({
      client: carrierClient,
      telephonyOf: (carrier) => carrierOf(carrier)?.telephony,
      numbers: stores.phoneNumbers,
      publicUrl,
      isEmulated: () => state.isEmulated,
    }),
    phoneCalls: phone?.phoneCalls,
    phoneWebhooks: phone?.webhooks,
    credentialProviders: ["deepgram", "openai"],
    webhooksAllowLoopback: false,
    eventBody: async ({ type, data }) => (data === undefined ? undefined : JSON.stringify({ type, data })),
    callAcceptance: () => state.newCalls,
    accountLimitReached: () => state.accountOver,
    llmProviders: (model) => LLM_PROVIDERS[model],
    missingPrices: () => [],
    retentionRules: { days: KEEP_ALL, accounts: new Map() },
    corsOrigins: [],
    trustedProxies: [],
    serviceUrl: () => "http://127.0.0.1:8080",
    passwords: new Passwords({ logN: 4 }),
    startRates: new StartRates({ clock }),
    webFiles: undefined,
    dashboardFiles: undefined,
    metricsAddress: () => undefined,
    readStatus: () => status.read(),
    providerNotes: [],
    publicApiUrls: [],
    mediaUrls: { media: "wss://media.test", webrtc: "wss://webrtc.test" },
    webrtcMissing: "set WEBRTC_UDP_PORTS",
    tokenTtlMs: 60_000,
    mintToken,
    recordingPath,
    endCall: (workerId, { id: callId }) => {
      requireNode();
      if (!state.workerIsAway) endRequests.push({ workerId, callId });
      return !state.workerIsAway;
    },
    heldSince: () => state.heldSinceMs,
    activity: {
      watch: (isOn) => void activityWatches.push(isOn),
      subscribe: (onReported) => {
        reportActivity = onReported;
      },
    },
    transcriptionActivity: {
      subscribe: (onReported) => {
        reportTranscriptions = onReported;
      },
    },
    requestPhone: async (...request) => {
      requireNode();
      return phone?.phoneCalls.request(...request);
    },
    listenAddress: async () => {
      requireNode();
      return state.workerIsAway ? undefined : state.listenAnswer;
    },
    requestLive: async () => {
      requireNode();
      return state.workerIsAway ? undefined : state.liveOutcome;
    },
    removeFiles: async (callId) => rmSync(recordingPath(callId), { force: true }),
    readWaveform: (callId, buckets) =>
      readWaveform({ path: waveformPath(recordingPath(callId)), key: undefined }, buckets),
    checkReplay: (callId) => checkReplay(journalFileOf(directory, callId, undefined), new AbortController().signal),
    callEvents: async (callId, from, limit) => {
      requireNode();
      return await events.page(callId, from, limit);
    },
    transcriptionAudio: new TranscriptionAudio(directory),
    batchCapabilities: async () => ANY_BATCH_PROVIDER,
    transcriptionBytesMax: 1_000_000,
    documentFiles: new DocumentFiles(directory),
    documentBytesMax: 1_000_000,
    hasFfmpeg: true,
    uploads,
    corpusQueries,
    isDiskLow: () => state.diskIsLow,
    formatResult: formatInTurns,
    retriever: {
      query: async ({ corpora: [corpusId], text }) => ({
        passages:
          corpusId === undefined
            ? []
            : [
                {
                  corpusId,
                  documentId: asDocumentId("doc_0197a000-0000-7000-8000-000000000001"),
                  documentName: "catalogue.pdf",
                  ordinal: 0,
                  headings: ["Tyres"],
                  page: undefined,
                  text,
                  score: 1.5,
                },
              ],
        tookMs: 1,
      }),
    },
    prices: { currency: "USD", perUnit: new Map([["deepgram", { audioSeconds: 0.0001 }]]) },
    metrics,
    log,
    ...ofApi,
  });
  const send = async (
    method: "DELETE" | "GET" | "PATCH" | "POST",
    url: string,
    headers: Record<string, string>,
    payload?: string,
  ) => {
    const answer = await app.inject({
      method,
      url,
      headers: { "x-api-key": key, ...headers },
      ...(payload !== undefined && { payload }),
    });
    const isJson = String(answer.headers["content-type"]).startsWith("application/json");
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text: answer.body,
      body: isJson ? answer.json() : undefined,
    };
  };
  return {
    ...{
      endRequests,
      activityWatches,
      reportActivity: (calls: readonly CallActivity[]) => reportActivity(calls),
      reportTranscriptions: (all: readonly TranscriptionProgress[]) => reportTranscriptions(all),
      app,
      stores,
      webhooks,
      accountSecrets,
      carriers,
      carrierClient,
      clock,
      largeResponses,
      downloads,
      uploads,
      corpusQueries,
      directory,
      accountId,
      key,
      apiKeyId: record.id,
      logged,
      metrics,
      requestRates,
      state,
      recordingPath,
    },
    post: (body, headers = {}, path = "/api/v1/calls") =>
      send(
        "POST",
        path,
        { "content-type": "application/json", ...headers },
        typeof body === "string" ? body : JSON.stringify(body),
      ),
    get: (path, headers = {}) => send("GET", path, headers),
    patch: (body, headers, path) =>
      send(
        "PATCH",
        path,
        { "content-type": "application/json", ...headers },
        typeof body === "string" ? body : JSON.stringify(body),
      ),
    delete: (path, headers = {}) => send("DELETE", path, headers),
    close: async () => {
      await app.close();
      await stores.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
