import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { type ApiDeps, buildApi } from "../../../src/api/app.ts";
import type { ErrorBody } from "../../../src/api/http/errors.ts";
import type { CallAcceptance } from "../../../src/api/http/health.ts";
import { downloadBounds, LargeResponses } from "../../../src/api/http/large-responses.ts";
import { catalogueOf, type VoiceCatalogue } from "../../../src/api/voices/catalogue.ts";
import { CONNECTION_TYPES } from "../../../src/carriers/list.ts";
import type { SpendUnit } from "../../../src/core/billing/spend.ts";
import { unavailable } from "../../../src/core/errors.ts";
import type { AccountId } from "../../../src/core/ids.ts";
import { API_CONNECTIONS_MAX } from "../../../src/core/limits/api.ts";
import { ControlMetrics } from "../../../src/core/metrics/control-metrics.ts";
import { EventPager } from "../../../src/record/events/event-pages.ts";
import type { Voice } from "../../../src/speech/contracts.ts";
import { CallAdmission } from "../../../src/store/admission/call-admission.ts";
import type { AdmissionRefusal } from "../../../src/store/admission/capacity.ts";
import type { NewCall } from "../../../src/store/call-store.ts";
import { openSqliteStores } from "../../../src/store/sqlite/open-stores.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { ManualClock } from "../manual-clock.ts";
import { memoryLog } from "../memory-log.ts";
import { SEALING_KEYS } from "../stores/keys.ts";
import { INLINE_SCHEMAS } from "../stubs/inline-schemas.ts";
import { ageClockOf, mintToken } from "../tokens.ts";
import { ANY_STT } from "./any-stt.ts";

export const VOICES: readonly Voice[] = [
  { id: "fake/en-us", name: "Alice", language: "en-US", provider: "fake" },
  { id: "fake/en-gb", name: "Basil", language: "en-GB", provider: "fake" },
  { id: "fake/de-1", name: "Clara", language: "de", provider: "fake" },
  { id: "fake/de-2", name: "Clara", language: "de", provider: "fake" },
];

/** The least that makes a call. */
export const MINIMAL_CALL = { systemPrompt: "You book tables.", voice: "Alice", language: "en-US" };

export interface ApiUnderTest {
  app: FastifyInstance;
  stores: Stores;
  clock: ManualClock;
  directory: string;
  accountId: AccountId;
  key: string;
  /** What the API logged, one line of JSON each. */
  logged: string[];
  metrics: ControlMetrics;
  largeResponses: LargeResponses;
  downloads: LargeResponses;
  /**
   * What `newCalls` says, what speaks against one call more, whether the worker receives messages, and whether the keys can
   * be read; a test may change it.
   */
  state: {
    newCalls: CallAcceptance;
    admit: (call: Pick<NewCall, "tokenHash" | "apiKeyId">) => AdmissionRefusal | undefined;
    workerIsAway: boolean;
    storeIsAway: boolean;
    accountOver: SpendUnit | undefined;
  };
  /** The calls that workers were asked to end. */
  endRequests: { workerId: string; callId: string }[];
  recordingPath(callId: string): string;
  /** `path` is by default that of `POST /calls`. */
  post(body: unknown, headers?: Record<string, string>, path?: string): Promise<Answer>;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
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
      | "publicApiUrls"
      | "corsOrigins"
      | "metricsAddress"
      | "providerNotes"
      | "removeFiles"
      | "toolsAllowLoopback"
      | "missingPrices"
      | "schemas"
      | "toolSecrets"
    >
  > = {},
): Promise<ApiUnderTest> {
  // Its own for as long as it is open: some files ask one API in all of their tests.
  const [directory, clock] = [mkdtempSync(join(tmpdir(), "trunkline-api-")), new ManualClock()];
  const stores = await openSqliteStores(directory, clock, { ageClock: ageClockOf(clock) });
  const accountId = await stores.accounts.ensure("first");
  const { key } = await stores.apiKeys.create({ accountId, name: "test" });
  const { log, lines: logged } = memoryLog();
  const state: ApiUnderTest["state"] = {
    newCalls: { accepted: true },
    accountOver: undefined,
    admit: () => undefined,
    workerIsAway: false,
    storeIsAway: false,
  };
  const endRequests: ApiUnderTest["endRequests"] = [];
  const recordingPath = (callId: string) => join(directory, `${callId}.wav`);
  const events = new EventPager(directory);
  const metrics = new ControlMetrics(CONNECTION_TYPES);
  const largeResponses = new LargeResponses(clock, metrics.largeResponses("list"));
  const downloads = new LargeResponses(clock, metrics.largeResponses("download"), downloadBounds(API_CONNECTIONS_MAX));
  const app = buildApi({
    ...stores,
    callAdmission: new CallAdmission(stores.calls, {
      reserve: (tokenHash, apiKeyId) => state.admit({ tokenHash, apiKeyId }),
      release: () => {},
    }),
    clock,
    largeResponses,
    downloads,
    apiKeys: {
      authenticate: async (text) => {
        if (state.storeIsAway) throw unavailable("the database is busy");
        return await stores.apiKeys.authenticate(text);
      },
    },
    voices,
    toolSecrets: new Map([
      ["SHOP_TOKEN", { value: "x", hosts: ["api.example.com", "x.example"], accountIds: [accountId] }],
    ]),
    schemas: INLINE_SCHEMAS,
    toolsAllowLoopback: false,
    webhooks: stores.openWebhooks(SEALING_KEYS),
    webhooksAllowLoopback: false,
    callAcceptance: () => state.newCalls,
    accountLimitReached: () => state.accountOver,
    missingPrices: () => [],
    corsOrigins: [],
    metricsAddress: () => undefined,
    providerNotes: [],
    publicApiUrls: [],
    publicMediaUrl: "wss://media.test",
    tokenTtlMs: 60_000,
    mintToken,
    recordingPath,
    endCall: (workerId, { id: callId }) => {
      if (!state.workerIsAway) endRequests.push({ workerId, callId });
      return !state.workerIsAway;
    },
    removeFiles: async (callId) => rmSync(recordingPath(callId), { force: true }),
    callEvents: (callId, from, limit) => events.page(callId, from, limit),
    metrics,
    log,
    ...options,
  });
  const send = async (
    method: "DELETE" | "GET" | "POST",
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
      app,
      stores,
      clock,
      largeResponses,
      downloads,
      directory,
      accountId,
      key,
      logged,
      metrics,
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
    delete: (path, headers = {}) => send("DELETE", path, headers),
    close: async () => {
      await app.close();
      await stores.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
