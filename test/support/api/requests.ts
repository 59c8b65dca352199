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
  /** In place of what stands in the path's braces. */
  id?: string;
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
  const { id = "", query, key = api.key, headers } = given;
  const body = given.body ?? (operation.requestBody?.required ? operation.bodyExamples[0] : undefined);
  const answer = await api.app.inject({
    method: operation.method as "GET",
    url: pathOf(operation, id) + (query === undefined ? "" : `?${query}`),
    headers: {
      ...(key !== null && { "x-api-key": key }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { payload: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  return { status: answer.statusCode, headers: answer.headers, text: answer.body };
}

export const pathOf = ({ path }: Operation, id: string): string => path.replace("{id}", id);

export const isAbout = ({ path }: Operation, kind: "calls" | "agents"): boolean => path.includes(`/${kind}/{id}`);

/** Something that is there, where the operation takes an id. */
export async function existingId(scene: Scene, operation: Operation): Promise<RequestChanges> {
  if (isAbout(operation, "calls")) return { id: await scene.ended() };
  if (isAbout(operation, "agents")) return { id: await scene.agent() };
  return {};
}

/** An id that does not exist, where the operation takes one. */
export const unknownId = (operation: Operation): RequestChanges => ({
  id: `${isAbout(operation, "calls") ? "call" : "agent"}_01990000-0000-7000-8000-000000000000`,
});
