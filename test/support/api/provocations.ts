import {
  AGENTS_PER_ACCOUNT_MAX,
  BODY_BYTES_MAX,
  DOWNLOADS_PER_ACCOUNT_MAX,
  HEADERS_MAX,
  LARGE_RESPONSES_PER_ACCOUNT_MAX,
  LARGE_RESPONSES_WAITING_MAX,
  LARGE_RESPONSES_WAITING_PER_ACCOUNT_MAX,
} from "../../../src/core/limits/api.ts";
import { codesOf, type Operation } from "../openapi/document.ts";
import { existingId, isAbout, pathOf, type RequestChanges, unknownId } from "./requests.ts";
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
    const [example = {}] = operation.bodyExamples;
    for (const [code, fields] of [
      ["unknown_voice", ["voice", "voiceId"]],
      ["unknown_language", ["language", "languageId"]],
    ] as const) {
      const unknown = fields.filter((field) => field in (example as object)).map((field) => [field, "unheard of"]);
      if (codesOf(operation, 400).includes(code)) {
        yield { ...given, body: exampleWith(operation, Object.fromEntries(unknown)) };
      }
    }
  },
  async *401(scene, operation) {
    yield { ...(await existingId(scene, operation)), key: null };
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
    scene.api.state.admit = () => "rate_limited";
    takeAllLargeAnswers(scene, [scene.api.accountId]);
    yield given;
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
      if (codes.includes(reason)) yield given;
    }
  },
};

/** Until nothing more of these accounts may be under way, or wait. */
function takeAllLargeAnswers({ api }: Scene, accountIds: readonly string[]): void {
  for (const accountId of accountIds) {
    for (const [answers, perAccountMax] of [
      [api.largeResponses, LARGE_RESPONSES_PER_ACCOUNT_MAX],
      [api.downloads, DOWNLOADS_PER_ACCOUNT_MAX],
    ] as const) {
      for (let count = 0; count < perAccountMax + LARGE_RESPONSES_WAITING_PER_ACCOUNT_MAX; count++) {
        answers.begin(accountId, () => {}).catch(() => {});
      }
    }
  }
}

const isBounded = (operation: Operation): boolean =>
  operation.operationId === "getRecording" || operation.parameters.some(({ name }) => name === "cursor");

const REPEATABLE = { "idempotency-key": "the same request" };

/** What provokes a status on one operation. */
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
  async *"createAgent 501"(_scene, operation) {
    yield { body: exampleWith(operation, { toolIds: ["tool_1"] }) };
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
  async *"endCall 200"(scene) {
    yield { id: await scene.created() };
    yield { id: await scene.ended(), body: {} };
  },
  async *"endCall 202"(scene) {
    yield { id: await scene.active() };
  },
  async *"endCall 503"(scene) {
    scene.api.state.workerIsAway = true;
    yield { id: await scene.active() };
  },
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
};

/** A name that another request had. */
async function mismatched(scene: Scene, operation: Operation, given: RequestChanges = {}): Promise<RequestChanges> {
  await scene.api.post(exampleWith(operation, {}), REPEATABLE, pathOf(operation, given.id ?? ""));
  return { ...given, headers: REPEATABLE, body: exampleWith(operation, { metadata: { another: true } }) };
}

/** A recording that the client has already. */
async function* known(scene: Scene): AsyncGenerator<RequestChanges, void> {
  yield { id: await scene.ended(), headers: { "if-none-match": "*" } };
}

/** Statuses that may be answered to one operation as to any other of its kind, documented or not. */
export function generalStatusesOf({ path, requestBody }: Operation): number[] {
  return [400, 401, 503, ...(path.includes("{id}") ? [404] : []), ...(requestBody === undefined ? [] : [413, 415])];
}

/** What provokes a status on an operation; undefined when there is no provocation yet. */
export const provocationOf = ({ operationId }: Operation, status: number): Provocation | undefined =>
  BY_OPERATION[`${operationId} ${status}`] ?? BY_STATUS[status];
