import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { type ApiDeps, buildApi } from "../../src/api/app.ts";
import type { ErrorBody } from "../../src/api/errors.ts";
import type { NewCalls } from "../../src/api/health.ts";
import { catalogueOf, type VoiceCatalogue } from "../../src/api/voices.ts";
import type { Voice } from "../../src/speech/speech.ts";
import { openStores } from "../../src/store/sqlite/stores.ts";
import type { Stores } from "../../src/store/stores.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { memoryLog } from "../support/memory-log.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

export const VOICES: readonly Voice[] = [
  { id: "fake/en-us", name: "Alice", language: "en-US", provider: "fake" },
  { id: "fake/en-gb", name: "Basil", language: "en-GB", provider: "fake" },
  { id: "fake/de-1", name: "Clara", language: "de", provider: "fake" },
  { id: "fake/de-2", name: "Clara", language: "de", provider: "fake" },
];

/** The least that makes a call. */
export const LEAST = { systemPrompt: "You book tables.", voice: "Alice", language: "en-US" };

export interface ApiUnderTest {
  app: FastifyInstance;
  stores: Stores;
  clock: ManualClock;
  directory: string;
  accountId: string;
  key: string;
  /** What the API logged, one line of JSON each. */
  logged: string[];
  /** What `newCalls` says; a test may change it. */
  state: { newCalls: NewCalls };
  recordingPath(callId: string): string;
  post(body: unknown, headers?: Record<string, string>): Promise<Answer>;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
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
  voices: VoiceCatalogue = catalogueOf({ voices: async () => VOICES }),
  options: Pick<ApiDeps, "requestMsMax"> = {},
): Promise<ApiUnderTest> {
  const [directory, clock] = [temporaryDirectory(), new ManualClock()];
  const stores = await openStores(directory, clock);
  const accountId = await stores.accounts.ensure("first");
  const { key } = await stores.apiKeys.create({ accountId, name: "test" });
  const { log, lines: logged } = memoryLog();
  const state: { newCalls: NewCalls } = { newCalls: { taken: true } };
  const recordingPath = (callId: string) => join(directory, `${callId}.wav`);
  const app = buildApi({
    ...stores,
    voices,
    newCalls: () => state.newCalls,
    publicMediaUrl: "wss://media.test",
    tokenTtlMs: 60_000,
    recordingPath,
    log,
    ...options,
  });
  const send = async (method: "GET" | "POST", url: string, headers: Record<string, string>, payload?: string) => {
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
    ...{ app, stores, clock, directory, accountId, key, logged, state, recordingPath },
    post: (body, headers = {}) =>
      send(
        "POST",
        "/api/v1/calls",
        { "content-type": "application/json", ...headers },
        typeof body === "string" ? body : JSON.stringify(body),
      ),
    get: (path, headers = {}) => send("GET", path, headers),
    close: async () => {
      await app.close();
      await stores.close();
    },
  };
}
