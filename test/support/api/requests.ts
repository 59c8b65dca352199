import { type GivenAnswer, OpenapiDocument, type Operation } from "../openapi/document.ts";
import { Scene } from "./scene.ts";

export const DOCUMENT_URL = "/api/v1/openapi.json";

/** The document of the API as it is; what the service has stored changes nothing of it. */
export async function openapiDocument(): Promise<OpenapiDocument> {
  const { api } = await Scene.make();
  const { body } = await api.get(DOCUMENT_URL);
  await api.close();
  return new OpenapiDocument(body as Record<string, unknown>);
}

/** A request, as far as it differs from what its operation prescribes. */
export interface RequestChanges {
  /** In place of `{id}` in the path. */
  id?: string;
  /** In place of the other names in the path's braces. */
  others?: Readonly<Record<string, string>>;
  /** Without the question mark. */
  query?: string;
  headers?: Readonly<Record<string, string>>;
  /** Text goes as it is, everything else as JSON. */
  body?: unknown;
  /** In place of the account's own key; null for none. */
  key?: string | null;
}

/** Sends what the operation prescribes, changed by what is given. */
export async function sendRequest(
  { api }: Scene,
  operation: Operation,
  given: RequestChanges = {},
): Promise<GivenAnswer> {
  const { query, key = api.key, headers } = given;
  const body = given.body ?? (operation.requestBody?.required ? operation.bodyExamples[0] : undefined);
  const answer = await api.app.inject({
    method: operation.method as "GET",
    url: pathOf(operation, given) + (query === undefined ? "" : `?${query}`),
    headers: {
      ...(key !== null && { "x-api-key": key }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { payload: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  return { status: answer.statusCode, headers: answer.headers, text: answer.body };
}

export const pathOf = ({ path }: Operation, { id = "", others = {} }: RequestChanges): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => (name === "id" ? id : (others[name] ?? "")));

/** What `{id}` names in paths: the prefix of its ids, and how to make one, with what else its paths name. */
const RESOURCES: Readonly<Record<string, { prefix: string; make: (scene: Scene) => Promise<RequestChanges> }>> = {
  calls: { prefix: "call", make: async (scene) => ({ id: await scene.ended() }) },
  transcriptions: { prefix: "transcription", make: async (scene) => ({ id: await scene.transcription() }) },
  corpora: {
    prefix: "cor",
    make: async (scene) => {
      const { id, documentId } = await scene.corpus();
      return { id, others: { documentId } };
    },
  },
  agents: { prefix: "agent", make: async (scene) => ({ id: await scene.agent(), others: { version: "1" } }) },
  "publishable-keys": { prefix: "publishable_key", make: async (scene) => ({ id: await scene.publishableKey() }) },
  "api-keys": { prefix: "key", make: async (scene) => ({ id: await scene.apiKey() }) },
  users: { prefix: "user", make: async (scene) => ({ id: await scene.user() }) },
  "tool-secrets": { prefix: "tool_secret", make: async (scene) => ({ id: await scene.toolSecret() }) },
  tools: { prefix: "tool", make: async (scene) => ({ id: await scene.tool() }) },
  "provider-credentials": { prefix: "credential", make: async (scene) => ({ id: await scene.credential() }) },
  carriers: { prefix: "carrier", make: async (scene) => ({ id: await scene.carrier() }) },
  "phone-numbers": { prefix: "number", make: async (scene) => ({ id: await scene.phoneNumber() }) },
  webhooks: {
    prefix: "webhook",
    make: async (scene) => {
      const { id, deliveryId } = await scene.webhook();
      return { id, others: { deliveryId } };
    },
  },
};

const resourceOf = ({ path }: Operation) => RESOURCES[/([\w-]+)\/\{id\}/.exec(path)?.[1] ?? ""];

export const isAbout = ({ path }: Operation, kind: "calls"): boolean => path.includes(`/${kind}/{id}`);

/** Something that exists, where the operation takes an id, and a body that names what exists, where it must. */
export async function existingId(scene: Scene, operation: Operation): Promise<RequestChanges> {
  if (operation.operationId === "createPublishableKey") {
    return { body: { ...(operation.bodyExamples[0] as object), agentIds: [await scene.agent()] } };
  }
  if (operation.operationId === "importPhoneNumbers") return { body: { carrierId: await scene.carrier() } };
  if (operation.operationId === "detachPhoneNumber") return { id: await scene.attachedNumber() };
  if (operation.operationId === "createPhoneCall") {
    return { body: { ...(operation.bodyExamples[0] as object), from: await scene.phoneNumber() } };
  }
  // Otherwise the response has no end.
  if (operation.operationId === "streamEvents") return { query: "follow=false" };
  return (await resourceOf(operation)?.make(scene)) ?? {};
}

/** An id that does not exist, where the operation takes one. */
export const unknownId = (operation: Operation): RequestChanges => ({
  id: `${resourceOf(operation)?.prefix}_01990000-0000-7000-8000-000000000000`,
  others: {
    deliveryId: "delivery_01990000-0000-7000-8000-000000000000",
    documentId: "doc_01990000-0000-7000-8000-000000000000",
    version: "1",
  },
});
