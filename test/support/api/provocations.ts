import type { LargeResponses } from "../../../src/api/http/responses/large-responses.ts";
import { SCOPES } from "../../../src/core/accounts/scopes.ts";
import { epochMs } from "../../../src/core/clocks.ts";
import {
  asAccountId,
  asApiKeyId,
  asCallId,
  asPhoneNumberId,
  asPublishableKeyId,
  asWebhookId,
} from "../../../src/core/ids.ts";
import { ACCOUNT_SECRETS_MAX } from "../../../src/core/limits/accounts/accounts.ts";
import { API_KEY_CACHE_MS, API_KEYS_MAX } from "../../../src/core/limits/accounts/api-keys.ts";
import { PUBLISHABLE_KEYS_MAX } from "../../../src/core/limits/accounts/web-calls.ts";
import { AGENTS_PER_ACCOUNT_MAX } from "../../../src/core/limits/agents/agents.ts";
import { TOOLS_PER_ACCOUNT_MAX } from "../../../src/core/limits/agents/tools.ts";
import {
  BODY_BYTES_MAX,
  DOWNLOADS_PER_ACCOUNT_MAX,
  HEADERS_MAX,
  LARGE_RESPONSES_PER_ACCOUNT_MAX,
  LARGE_RESPONSES_WAITING_MAX,
  LARGE_RESPONSES_WAITING_PER_ACCOUNT_MAX,
  RATE_WINDOW_MS,
} from "../../../src/core/limits/control-api/api.ts";
import { WEBHOOKS_MAX } from "../../../src/core/limits/control-api/webhooks.ts";
import { CORPUS_QUERIES_PER_ACCOUNT_MAX } from "../../../src/core/limits/knowledge/retrieval.ts";
import { CARRIERS_MAX } from "../../../src/core/limits/phone/carriers.ts";
import { UPLOADS_PER_ACCOUNT_MAX } from "../../../src/core/limits/transcriptions/transcriptions.ts";
import { codesOf, type Operation } from "../openapi/document.ts";
import { formOf } from "./forms.ts";
import { existingId, isAbout, pathOf, type RequestChanges, sendRequest, unknownId } from "./requests.ts";
import { type Scene, WAV } from "./scene.ts";

/** Makes requests that an operation answers with one status, and whatever is needed between them. */
export type Provocation = (scene: Scene, operation: Operation) => AsyncGenerator<RequestChanges, void>;

const TOO_MANY_HEADERS = Object.fromEntries(Array.from({ length: HEADERS_MAX + 1 }, (_, i) => [`x-header-${i}`, "1"]));

/** The example of a body with some fields replaced. */
const exampleWith = (operation: Operation, fields: object): object => ({
  ...(operation.bodyExamples[0] as object | undefined),
  ...fields,
});

/** What provokes a status on any operation that documents it. */
const BY_STATUS: Readonly<Record<number, Provocation>> = {
  async *200(scene, operation) {
    if (!isAbout(operation, "calls")) return yield await existingId(scene, operation);
    for (const id of await scene.callOfEveryKind()) yield { id };
  },
  async *201(scene, operation) {
    const given = await existingId(scene, operation);
    for (const body of operation.bodyExamples) yield { ...given, body };
    if (operation.requestBody?.required === false) yield given;
    if (!operation.parameters.some(({ name }) => name === "Idempotency-Key")) return;
    for (let count = 0; count < 2; count++) yield { ...given, headers: REPEATABLE, body: exampleWith(operation, {}) };
  },
  async *400(scene, operation) {
    const given = await existingId(scene, operation);
    yield { ...given, headers: TOO_MANY_HEADERS };
    if (!operation.needsKey) return;
    yield { ...given, query: "nonsense=1" };
    if (given.id !== undefined) yield { id: "%zz" };
    if (operation.requestBody === undefined) return;
    yield { ...given, body: exampleWith(operation, { nonsense: 1 }) };
    for (const kind of ["voice", "language"] as const) {
      if (!codesOf(operation, 400).includes(`unknown_${kind}`)) continue;
      yield { ...given, body: exampleWith(operation, withUnknown(kind, operation)) };
    }
  },
  async *202(scene, operation) {
    yield await existingId(scene, operation);
  },
  async *204(scene, operation) {
    yield await existingId(scene, operation);
  },
  async *401(scene, operation) {
    yield { ...(await existingId(scene, operation)), key: null };
  },
  async *403(scene, operation) {
    const others = SCOPES.filter((scope) => scope !== operation.scope);
    yield { ...(await existingId(scene, operation)), key: await scene.keyWith(others) };
  },
  async *404(_scene, operation) {
    yield unknownId(operation);
  },
  async *413(scene, operation) {
    yield { ...(await existingId(scene, operation)), body: "x".repeat(BODY_BYTES_MAX + 1) };
  },
  async *415(scene, operation) {
    yield { ...(await existingId(scene, operation)), body: "x", headers: { "content-type": "text/plain" } };
  },
  async *429(scene, operation) {
    const given = await existingId(scene, operation);
    useUpRequests(scene);
    yield given;
    scene.api.clock.advance(RATE_WINDOW_MS);
    if (!codesOf(operation, 429).includes("spend_limit") && !isBounded(operation)) return;
    scene.api.state.admit = () => "api_key_calls";
    takeAllLargeAnswers(scene, [scene.api.accountId]);
    yield given;
    if (isBounded(operation)) return;
    scene.api.state.accountOver = "llm_requests";
    yield given;
  },
  async *503(scene, operation) {
    const given = await existingId(scene, operation);
    const codes = codesOf(operation, 503);
    // So many may take all that there is, and wait for all that there may.
    const length = LARGE_RESPONSES_WAITING_MAX / LARGE_RESPONSES_WAITING_PER_ACCOUNT_MAX;
    const others = Array.from({ length }, (_, index) => `account ${index}`);
    if (isBounded(operation)) takeAllLargeAnswers(scene, others);
    for (const reason of ["overloaded", "draining", "insufficient_storage", "database_lost", "unavailable"] as const) {
      scene.api.state.newCalls = { accepted: false, reason };
      scene.api.state.admit = () => "overloaded";
      scene.api.state.storeIsAway = reason === "unavailable";
      // The API key of the requests before counts for a while without the store.
      if (reason === "unavailable") scene.api.clock.advance(API_KEY_CACHE_MS + 1);
      if (codes.includes(reason)) yield given;
    }
  },
  async *504(scene, { operationId }) {
    scene.api.state.nodeIsAway = true;
    if (["transferCall", "sendDtmf"].includes(operationId)) yield { id: await scene.livePhoneCall() };
    else if (operationId.endsWith("Transcription")) yield { id: await scene.liveTranscription() };
    else yield { id: await scene.active() };
  },
};

/** The field of the operation that names a voice or a language, with one that there is not. */
function withUnknown(kind: "voice" | "language", { operationId }: Operation): object {
  if (/^create(Live)?Transcription$/.test(operationId)) return { [kind]: "unheard of" };
  if (operationId === "createAgentCall") return { overrides: { [kind]: "unheard of" } };
  return { [operationId === "createCall" ? kind : `${kind}Id`]: "unheard of" };
}

/** Until nothing more of these accounts may be under way, or wait. */
function takeAllLargeAnswers({ api }: Scene, accountIds: readonly string[]): void {
  for (const accountId of accountIds) {
    for (const [answers, perAccountMax] of [
      [api.largeResponses, LARGE_RESPONSES_PER_ACCOUNT_MAX],
      [api.downloads, DOWNLOADS_PER_ACCOUNT_MAX],
    ] as const) {
      for (let count = 0; count < perAccountMax + LARGE_RESPONSES_WAITING_PER_ACCOUNT_MAX; count++) {
        answers.begin(asAccountId(accountId), () => {}).catch(() => {});
      }
    }
  }
}

/** The limit of requests of the account's API key is reached. */
function useUpRequests({ api }: Scene): void {
  const principal = { accountId: api.accountId, apiKeyId: api.apiKeyId };
  while (api.requestRates.take(principal).refused === undefined);
}

/** Whether it has a large response, of which only so many are under way at once. */
const isBounded = (operation: Operation): boolean =>
  operation.needsKey && operation.method === "GET" && codesOf(operation, 503).includes("overloaded");

const REPEATABLE = { "idempotency-key": "the same request" };

/** What provokes a status on one operation. */
async function* workerAway(scene: Scene): ReturnType<Provocation> {
  scene.api.state.workerIsAway = true;
  yield { id: await scene.active() };
}

async function* liveWorkerAway(scene: Scene): ReturnType<Provocation> {
  scene.api.state.workerIsAway = true;
  yield { id: await scene.liveTranscription() };
}

/** Everything that refuses documents for the moment. */
async function* documentsRefused(scene: Scene, given: RequestChanges): ReturnType<Provocation> {
  for (const reason of ["draining", "insufficient_storage", "database_lost"] as const) {
    scene.api.state.newCalls = { accepted: false, reason };
    yield given;
  }
  scene.api.state.newCalls = { accepted: true };
  takeAll(scene.api.uploads, UPLOADS_PER_ACCOUNT_MAX);
  yield { ...given, ...DOCUMENT_UPLOAD };
  scene.api.state.storeIsAway = true;
  scene.api.clock.advance(API_KEY_CACHE_MS + 1);
  yield given;
}

/** Until no more of these may be under way, or wait. */
function takeAll(responses: LargeResponses, perAccountMax: number): void {
  const waiting = perAccountMax + LARGE_RESPONSES_WAITING_PER_ACCOUNT_MAX;
  for (let account = 0; account < LARGE_RESPONSES_WAITING_MAX / LARGE_RESPONSES_WAITING_PER_ACCOUNT_MAX; account++) {
    for (let count = 0; count < waiting; count++) {
      responses.begin(asAccountId(`account ${account}`), () => {}).catch(() => {});
    }
  }
}

const LIVE_END = {
  ...({ status: "ended", endReason: "caller_hangup" } as const),
  endedAtMs: epochMs(0),
  durationMs: 0,
  turns: [],
};

const BY_OPERATION: Readonly<Record<string, Provocation>> = {
  async *"createCall 409"(scene, operation) {
    yield await mismatched(scene, operation);
  },
  async *"createCall 501"(_scene, operation) {
    yield { body: exampleWith(operation, { connectionType: "webrtc" }) };
  },
  async *"createAgent 409"(scene, operation) {
    scene.api.stores.agents.count = async () => AGENTS_PER_ACCOUNT_MAX;
    yield { body: exampleWith(operation, {}) };
  },
  async *"updateAgent 409"(scene, operation) {
    const given = await existingId(scene, operation);
    scene.api.stores.agents.addVersion = async () => ({ kind: "full" });
    yield { ...given, body: exampleWith(operation, {}) };
  },
  async *"updateAgent 412"(scene, operation) {
    yield { ...(await existingId(scene, operation)), headers: { "if-match": '"7"' } };
  },
  async *"restoreAgentVersion 409"(scene, operation) {
    const given = await existingId(scene, operation);
    scene.withdrawVoices();
    yield given;
  },
  async *"publishAgent 200"(scene, operation) {
    const given = await existingId(scene, operation);
    yield given;
    for (const body of operation.bodyExamples) yield { ...given, body };
  },
  async *"publishAgent 409"(scene, operation) {
    const given = await existingId(scene, operation);
    await sendRequest(scene, operation, given);
    yield given;
  },
  async *"createAgentCall 409"(scene, operation) {
    const given = await existingId(scene, operation);
    yield await mismatched(scene, operation, given);
    scene.withdrawVoices();
    yield given;
  },
  async *"createAgentCall 501"(scene, operation) {
    yield { ...(await existingId(scene, operation)), body: { connectionType: "webrtc" } };
  },
  async *"createPhoneCall 201"(scene, operation) {
    const { body } = await existingId(scene, operation);
    yield { body };
    for (let count = 0; count < 2; count++) yield { body, headers: REPEATABLE };
  },
  async *"createPhoneCall 400"(scene, operation) {
    const { body } = await existingId(scene, operation);
    yield { body, headers: TOO_MANY_HEADERS };
    yield { body, query: "nonsense=1" };
    for (const wrong of [{ nonsense: 1 }, { voice: "unheard of" }, { language: "unheard of" }]) {
      yield { body: { ...(body as object), ...wrong } };
    }
  },
  async *"createPhoneCall 404"(scene, operation) {
    const { to, from } = (await existingId(scene, operation)).body as { to: string; from: string };
    yield { body: { to, from, agentId: "agent_01990000-0000-7000-8000-000000000000" } };
  },
  async *"createPhoneCall 409"(scene, operation) {
    const { body } = await existingId(scene, operation);
    await scene.api.post(body as object, REPEATABLE, pathOf(operation, {}));
    yield { headers: REPEATABLE, body: { ...(body as object), metadata: { another: true } } };
    const { to, from } = body as { to: string; from: string };
    const agentId = await scene.agent();
    scene.withdrawVoices();
    yield { body: { to, from, agentId } };
  },
  async *"createPhoneCall 429"(scene, operation) {
    const given = await existingId(scene, operation);
    useUpRequests(scene);
    yield given;
    scene.api.clock.advance(RATE_WINDOW_MS);
    scene.api.state.accountOver = "llm_requests";
    yield given;
  },
  async *"createTranscription 202"(scene, operation) {
    yield {};
    yield { body: { callId: await scene.ended(), channels: "separate" } };
    yield UPLOAD;
    for (let count = 0; count < 2; count++) yield { headers: REPEATABLE, body: exampleWith(operation, {}) };
  },
  async *"createTranscription 400"(_scene, operation) {
    yield { headers: TOO_MANY_HEADERS };
    yield { query: "nonsense=1" };
    for (const wrong of [{ nonsense: 1 }, { language: "unheard of" }, { redact: ["pii"] }]) {
      yield { body: exampleWith(operation, wrong) };
    }
  },
  async *"createTranscription 409"(scene, operation) {
    yield await mismatched(scene, operation);
  },
  async *"createTranscription 503"(scene) {
    for (const reason of ["draining", "insufficient_storage", "database_lost"] as const) {
      scene.api.state.newCalls = { accepted: false, reason };
      yield {};
    }
    scene.api.state.newCalls = { accepted: true };
    takeAll(scene.api.uploads, UPLOADS_PER_ACCOUNT_MAX);
    yield UPLOAD;
    scene.api.state.storeIsAway = true;
    scene.api.clock.advance(API_KEY_CACHE_MS + 1);
    yield {};
  },
  async *"createLiveTranscription 400"(_scene, operation) {
    yield { headers: TOO_MANY_HEADERS };
    yield { query: "nonsense=1" };
    for (const wrong of [{ nonsense: 1 }, { language: "unheard of" }, { redact: ["pii"] }, { vocabulary: ["Lario"] }]) {
      yield { body: exampleWith(operation, wrong) };
    }
  },
  async *"createLiveTranscription 409"(scene, operation) {
    yield await mismatched(scene, operation);
  },
  async *"getTranscription 200"(scene, operation) {
    const { id = "" } = await existingId(scene, operation);
    yield { id };
    yield { id: await scene.transcription("queued") };
    for (const format of ["json", "text", "srt", "vtt"]) yield { id, query: `format=${format}` };
  },
  async *"getTranscription 406"(scene, operation) {
    yield { ...(await existingId(scene, operation)), headers: { accept: "image/png" } };
  },
  async *"getTranscription 409"(scene) {
    yield { id: await scene.transcription("queued"), query: "format=srt" };
  },
  async *"getTranscriptionAudio 200"(scene) {
    yield { id: await scene.transcription() };
  },
  async *"getTranscriptionAudio 206"(scene) {
    yield { id: await scene.transcription(), headers: { range: "bytes=-10" } };
  },
  async *"getTranscriptionAudio 304"(scene) {
    yield { id: await scene.transcription(), headers: { "if-none-match": "*" } };
  },
  async *"getTranscriptionAudio 416"(scene) {
    yield { id: await scene.transcription(), headers: { range: `bytes=${WAV.length}-` } };
  },
  async *"cancelTranscription 200"(scene) {
    yield { id: await scene.transcription("queued") };
    yield { id: await scene.transcription(), body: {} };
  },
  async *"cancelTranscription 202"(scene) {
    yield { id: await scene.liveTranscription() };
  },
  "cancelTranscription 503": liveWorkerAway,
  async *"deleteTranscription 409"(scene) {
    const id = await scene.liveTranscription();
    await scene.api.stores.calls.finish(asCallId(id), LIVE_END);
    scene.api.stores.calls.remove = async () => false;
    yield { id };
  },
  "deleteTranscription 503": liveWorkerAway,
  async *"queryCorpus 503"(scene, operation) {
    const given = await existingId(scene, operation);
    takeAll(scene.api.corpusQueries, CORPUS_QUERIES_PER_ACCOUNT_MAX);
    yield given;
    scene.api.state.storeIsAway = true;
    scene.api.clock.advance(API_KEY_CACHE_MS + 1);
    yield given;
  },
  async *"createCorpus 409"(scene, operation) {
    scene.api.stores.corpora.create = async () => undefined;
    yield { body: exampleWith(operation, {}) };
  },
  async *"addDocument 202"(scene, operation) {
    const { id = "" } = await existingId(scene, operation);
    for (const body of operation.bodyExamples) yield { id, body };
    yield { id, ...DOCUMENT_UPLOAD };
    for (let count = 0; count < 2; count++) yield { id, headers: REPEATABLE, body: exampleWith(operation, {}) };
  },
  async *"addDocument 400"(scene, operation) {
    const { id = "" } = await existingId(scene, operation);
    yield { id, headers: TOO_MANY_HEADERS };
    yield { id, query: "nonsense=1" };
    for (const wrong of [{ nonsense: 1 }, { text: " " }, { url: "ftp://x.example/" }])
      yield { id, body: exampleWith(operation, wrong) };
  },
  async *"addDocument 409"(scene, operation) {
    yield await mismatched(scene, operation, await existingId(scene, operation));
    const given = await existingId(scene, operation);
    scene.api.stores.documents.create = async () => ({ kind: "full" });
    yield given;
  },
  async *"addDocument 503"(scene, operation) {
    yield* documentsRefused(scene, await existingId(scene, operation));
  },
  async *"replaceDocument 202"(scene, operation) {
    for (const body of operation.bodyExamples) yield { ...(await existingId(scene, operation)), body };
    yield { ...(await existingId(scene, operation)), ...DOCUMENT_UPLOAD };
  },
  async *"replaceDocument 409"(scene, operation) {
    const given = await existingId(scene, operation);
    scene.api.stores.documents.process = async () => undefined;
    yield given;
  },
  async *"replaceDocument 503"(scene, operation) {
    yield* documentsRefused(scene, await existingId(scene, operation));
  },
  async *"reprocessDocument 409"(scene) {
    const { id, documentId } = await scene.corpus("processing");
    yield { id, others: { documentId } };
    const ready = await scene.corpus();
    await scene.api.stores.documents.fileDeleted(ready.documentId, 1);
    yield { id: ready.id, others: { documentId: ready.documentId } };
  },
  async *"transferCall 202"(scene) {
    yield { id: await scene.livePhoneCall() };
  },
  async *"transferCall 409"(scene) {
    yield { id: await scene.ended() };
  },
  async *"sendDtmf 202"(scene) {
    yield { id: await scene.livePhoneCall() };
  },
  async *"sendDtmf 409"(scene) {
    yield { id: await scene.ended() };
  },
  async *"createWebhook 409"(scene, operation) {
    for (let count = 0; count < WEBHOOKS_MAX; count++) await scene.webhook();
    yield { body: exampleWith(operation, {}) };
  },
  async *"replayWebhook 409"(scene, operation) {
    const { id = "" } = await existingId(scene, operation);
    await scene.api.webhooks.update(scene.api.accountId, asWebhookId(id), { enabled: false });
    yield { id };
  },
  async *"updateAccount 200"(_scene, operation) {
    for (const body of operation.bodyExamples) yield { body };
  },
  async *"updateAccount 412"(_scene, operation) {
    yield { headers: { "if-match": '"7"' }, body: exampleWith(operation, {}) };
  },
  async *"createApiKey 409"(scene, operation) {
    await Promise.all(Array.from({ length: API_KEYS_MAX }, () => scene.apiKey()));
    yield { body: exampleWith(operation, {}) };
  },
  async *"inviteUser 409"(scene, operation) {
    await sendRequest(scene, operation);
    yield {};
  },
  async *"updateUser 409"(scene) {
    yield { id: await scene.user("owner"), body: { role: "viewer" } };
  },
  async *"removeUser 409"(scene) {
    yield { id: await scene.user("owner") };
  },
  async *"createPublishableKey 201"(scene, operation) {
    const agentIds = [await scene.agent()];
    for (const body of operation.bodyExamples) yield { body: { ...(body as object), agentIds } };
  },
  async *"createToolSecret 409"(scene, operation) {
    const { accountId, accountSecrets } = scene.api;
    const secret = { kind: "tool_secret", text: "0123456789abcdef", hosts: ["x.example"] } as const;
    for (let count = 0; count < ACCOUNT_SECRETS_MAX; count += 1) {
      await accountSecrets.put(accountId, { ...secret, name: `SECRET_${count}` });
    }
    yield await existingId(scene, operation);
  },
  async *"createTool 409"(scene, operation) {
    scene.api.stores.tools.count = async () => TOOLS_PER_ACCOUNT_MAX;
    yield { body: exampleWith(operation, {}) };
  },
  async *"updateTool 409"(scene, operation) {
    const given = await existingId(scene, operation);
    scene.api.stores.tools.change = async () => ({ kind: "stale" });
    yield { ...given, body: exampleWith(operation, {}) };
  },
  async *"updateTool 412"(scene, operation) {
    yield { ...(await existingId(scene, operation)), headers: { "if-match": '"7"' } };
  },
  async *"deleteTool 409"(scene, operation) {
    const { id = "" } = await existingId(scene, operation);
    await scene.agent({ toolIds: [id] });
    yield { id };
  },
  async *"testTool 409"(scene) {
    yield { id: await scene.clientTool() };
  },
  async *"createPublishableKey 409"(scene, operation) {
    scene.api.stores.publishableKeys.count = async () => PUBLISHABLE_KEYS_MAX;
    yield await existingId(scene, operation);
  },
  async *"updatePublishableKey 409"(scene, operation) {
    const { id = "" } = await existingId(scene, operation);
    await scene.api.stores.publishableKeys.revoke(scene.api.accountId, asPublishableKeyId(id));
    yield { id };
  },
  async *"createCarrier 409"(scene, operation) {
    for (let count = 0; count < CARRIERS_MAX; count += 1) await scene.carrier();
    yield await existingId(scene, operation);
  },
  async *"deleteCarrier 409"(scene) {
    const { accountId, stores } = scene.api;
    const number = await stores.phoneNumbers.get(accountId, asPhoneNumberId(await scene.attachedNumber()));
    yield { id: number?.carrierId ?? "" };
  },
  async *"updateCarrier 409"(scene) {
    const { accountId, stores } = scene.api;
    const number = await stores.phoneNumbers.get(accountId, asPhoneNumberId(await scene.attachedNumber()));
    const credentials = { accountSid: `AC${"9".repeat(32)}`, authToken: "a".repeat(32) };
    yield { id: number?.carrierId ?? "", body: { credentials } };
  },
  "importPhoneNumbers 409": withoutCredentials,
  "attachPhoneNumber 409": withoutCredentials,
  "detachPhoneNumber 409": withoutCredentials,
  async *"testCallPhoneNumber 202"(scene) {
    yield { id: await scene.attachedNumber() };
  },
  // It is not attached.
  async *"testCallPhoneNumber 409"(scene, operation) {
    yield await existingId(scene, operation);
  },
  async *"deletePhoneNumber 409"(scene) {
    yield { id: await scene.attachedNumber() };
  },
  async *"createWebCall 409"(scene, operation) {
    const given = await existingId(scene, operation);
    scene.withdrawVoices();
    yield given;
  },
  async *"createWebCall 501"(scene, operation) {
    yield { ...(await existingId(scene, operation)), body: { connectionType: "webrtc" } };
  },
  async *"streamEvents 429"(scene, operation) {
    const given = await existingId(scene, operation);
    useUpRequests(scene);
    yield given;
  },
  async *"streamEvents 503"(scene, operation) {
    const given = await existingId(scene, operation);
    await scene.openAllEventStreams();
    yield given;
    scene.api.state.storeIsAway = true;
    scene.api.clock.advance(API_KEY_CACHE_MS + 1);
    yield given;
  },
  "updateApiKey 409": revoked,
  "rotateApiKey 409": revoked,
  async *"replayWebhookDelivery 409"(scene, operation) {
    const given = await existingId(scene, operation);
    await sendRequest(scene, operation, given);
    yield given;
  },
  async *"endCall 200"(scene) {
    yield { id: await scene.created() };
    yield { id: await scene.ended(), body: {} };
  },
  async *"endCall 202"(scene) {
    yield { id: await scene.active() };
  },
  "endCall 503": workerAway,
  async *"holdCall 200"(scene, operation) {
    yield { id: await scene.active() };
    for (const body of operation.bodyExamples) yield { id: await scene.active(), body };
  },
  async *"holdCall 409"(scene) {
    yield { id: await scene.ended() };
    const id = await scene.active();
    for (const outcome of ["not_live", "ending", "transferring", "on_hold"] as const) {
      scene.api.state.liveOutcome = outcome;
      yield { id };
    }
  },
  "holdCall 503": workerAway,
  async *"resumeCall 200"(scene) {
    yield { id: await scene.active() };
    yield { id: await scene.active(), body: {} };
  },
  async *"resumeCall 409"(scene) {
    yield { id: await scene.ended() };
    scene.api.state.liveOutcome = "not_on_hold";
    yield { id: await scene.active() };
  },
  "resumeCall 503": workerAway,
  async *"pauseRecording 200"(scene) {
    yield { id: await scene.active() };
    yield { id: await scene.active(), body: {} };
  },
  async *"pauseRecording 409"(scene) {
    yield { id: await scene.ended() };
    const id = await scene.active();
    for (const outcome of ["not_live", "not_recorded", "recording_paused"] as const) {
      scene.api.state.liveOutcome = outcome;
      yield { id };
    }
  },
  "pauseRecording 503": workerAway,
  async *"listenToCall 200"(scene) {
    yield { id: await scene.active() };
    yield { id: await scene.active(), body: {} };
  },
  async *"listenToCall 403"(scene, operation) {
    yield { id: await scene.active({ recordingEnabled: false }) };
    yield { id: await scene.active({ redact: ["card_number"] }) };
    yield* (BY_STATUS[403] as Provocation)(scene, operation);
  },
  async *"listenToCall 409"(scene) {
    yield { id: await scene.ended() };
    for (const reason of ["not_live", "too_many_listeners"] as const) {
      scene.api.state.listenAnswer = { kind: "refused", reason };
      yield { id: await scene.active() };
    }
  },
  async *"listenToCall 503"(scene) {
    scene.api.state.listenAnswer = { kind: "refused", reason: "unavailable" };
    yield { id: await scene.active() };
    yield* workerAway(scene);
  },
  async *"resumeRecording 200"(scene) {
    yield { id: await scene.active() };
    yield { id: await scene.active(), body: {} };
  },
  async *"resumeRecording 409"(scene) {
    yield { id: await scene.ended() };
    scene.api.state.liveOutcome = "recording_not_paused";
    yield { id: await scene.active() };
  },
  "resumeRecording 503": workerAway,
  async *"deleteCall 204"(scene) {
    yield { id: await scene.created() };
    yield { id: await scene.ended() };
  },
  async *"deleteCall 409"(scene) {
    yield { id: await scene.active() };
  },
  async *"getRecording 200"(scene) {
    yield { id: await scene.ended() };
  },
  async *"getRecording 206"(scene) {
    yield { id: await scene.ended(), headers: { range: "bytes=-10" } };
  },
  "getRecording 304": known,
  async *"getRecording 416"(scene) {
    yield { id: await scene.ended(), headers: { range: `bytes=${WAV.length}-` } };
  },
  async *"headRecording 200"(scene) {
    yield { id: await scene.ended() };
  },
  "headRecording 304": known,
  async *"getWaveform 200"(scene) {
    yield { id: await scene.ended() };
    yield { id: await scene.ended(), query: "buckets=1" };
  },
  async *"checkReplay 200"(scene) {
    yield { id: await scene.ended() };
  },
  async *"checkReplay 409"(scene) {
    yield { id: await scene.active() };
    yield { id: await scene.ended({ transcriptEnabled: false }) };
  },
};

const FORM = formOf([["file", "audio", "a.wav"]]);
const DOCUMENT_FORM = formOf([["file", "# Pumps\n\nThey last.", "pumps.md"]]);
const DOCUMENT_UPLOAD: RequestChanges = { body: DOCUMENT_FORM.body.toString(), headers: DOCUMENT_FORM.headers };
const UPLOAD: RequestChanges = { body: FORM.body.toString(), headers: FORM.headers };

/** A name that another request had. */
async function mismatched(scene: Scene, operation: Operation, given: RequestChanges = {}): Promise<RequestChanges> {
  await scene.api.post(exampleWith(operation, {}), REPEATABLE, pathOf(operation, given));
  return { ...given, headers: REPEATABLE, body: exampleWith(operation, { metadata: { another: true } }) };
}

/** An API key that is revoked. */
async function* revoked(scene: Scene, operation: Operation): AsyncGenerator<RequestChanges, void> {
  const { id = "" } = await existingId(scene, operation);
  await scene.api.stores.apiKeys.revoke(scene.api.accountId, asApiKeyId(id));
  yield { id };
}

/** The credentials of the carrier cannot be opened. */
async function* withoutCredentials(scene: Scene, operation: Operation): AsyncGenerator<RequestChanges, void> {
  const given = await existingId(scene, operation);
  await scene.loseCarrierKeys();
  yield given;
}

/** A recording that the client has already. */
async function* known(scene: Scene): AsyncGenerator<RequestChanges, void> {
  yield { id: await scene.ended(), headers: { "if-none-match": "*" } };
}

/** Statuses that may be answered to one operation as to any other of its kind, documented or not. */
export function generalStatusesOf({ path, requestBody }: Operation): number[] {
  return [
    400,
    401,
    403,
    503,
    ...(path.includes("{id}") ? [404] : []),
    ...(requestBody === undefined ? [] : [413, 415]),
  ];
}

/** What provokes a status on an operation; undefined when there is no provocation yet. */
export const provocationOf = ({ operationId }: Operation, status: number): Provocation | undefined =>
  BY_OPERATION[`${operationId} ${status}`] ?? BY_STATUS[status];
