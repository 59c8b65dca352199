import type { Scope } from "../../../src/core/accounts/scopes.ts";
import { DEFAULT_SCOPES } from "../../../src/core/accounts/scopes.ts";
import { type Operation, routesOf } from "../openapi/document.ts";
import { openapiDocument } from "./requests.ts";
import { Scene } from "./scene.ts";

interface Row {
  scope: Scope;
  /** The scopes that the request of `existingId` grants to another API key, all of which it must have. */
  grants?: readonly Scope[];
  owner: number;
  otherAccount: number;
}

/** Each route's scope, and its status for a valid request by the account of the API key. A new route belongs here. */
export const EXPECTED: Readonly<Record<string, Row | { anyone: number }>> = {
  "GET /healthz": { anyone: 200 },
  "GET /readyz": { anyone: 200 },
  "GET /api/v1/openapi.json": { anyone: 200 },
  "POST /api/v1/calls": { scope: "calls", owner: 201, otherAccount: 201 },
  "GET /api/v1/calls": { scope: "read", owner: 200, otherAccount: 200 },
  "GET /api/v1/calls/{id}": { scope: "read", owner: 200, otherAccount: 404 },
  "DELETE /api/v1/calls/{id}": { scope: "write", owner: 204, otherAccount: 404 },
  "POST /api/v1/calls/{id}/end": { scope: "calls", owner: 200, otherAccount: 404 },
  "POST /api/v1/calls/{id}/hold": { scope: "calls", owner: 409, otherAccount: 404 },
  "POST /api/v1/calls/{id}/listen": { scope: "calls", owner: 409, otherAccount: 404 },
  "POST /api/v1/calls/{id}/recording/pause": { scope: "calls", owner: 409, otherAccount: 404 },
  "POST /api/v1/calls/{id}/recording/resume": { scope: "calls", owner: 409, otherAccount: 404 },
  "POST /api/v1/calls/{id}/resume": { scope: "calls", owner: 409, otherAccount: 404 },
  "GET /api/v1/calls/{id}/transcript": { scope: "read", owner: 200, otherAccount: 404 },
  "GET /api/v1/calls/{id}/events": { scope: "read", owner: 200, otherAccount: 404 },
  "GET /api/v1/calls/{id}/recording": { scope: "read", owner: 200, otherAccount: 404 },
  "HEAD /api/v1/calls/{id}/recording": { scope: "read", owner: 200, otherAccount: 404 },
  "GET /api/v1/calls/{id}/waveform": { scope: "read", owner: 200, otherAccount: 404 },
  "GET /api/v1/calls/{id}/replay-check": { scope: "read", owner: 200, otherAccount: 404 },
  "POST /api/v1/transcriptions": { scope: "calls", owner: 202, otherAccount: 202 },
  "POST /api/v1/transcriptions/live": { scope: "calls", owner: 201, otherAccount: 201 },
  "GET /api/v1/transcriptions": { scope: "read", owner: 200, otherAccount: 200 },
  "GET /api/v1/transcriptions/{id}": { scope: "read", owner: 200, otherAccount: 404 },
  "GET /api/v1/transcriptions/{id}/audio": { scope: "read", owner: 200, otherAccount: 404 },
  "POST /api/v1/transcriptions/{id}/cancel": { scope: "calls", owner: 200, otherAccount: 404 },
  "DELETE /api/v1/transcriptions/{id}": { scope: "write", owner: 204, otherAccount: 404 },
  "POST /api/v1/corpora": { scope: "write", owner: 201, otherAccount: 201 },
  "GET /api/v1/corpora": { scope: "read", owner: 200, otherAccount: 200 },
  "GET /api/v1/corpora/{id}": { scope: "read", owner: 200, otherAccount: 404 },
  "PATCH /api/v1/corpora/{id}": { scope: "write", owner: 200, otherAccount: 404 },
  "DELETE /api/v1/corpora/{id}": { scope: "write", owner: 204, otherAccount: 404 },
  "POST /api/v1/corpora/{id}/query": { scope: "read", owner: 200, otherAccount: 404 },
  "GET /api/v1/corpora/{id}/retrievals": { scope: "read", owner: 200, otherAccount: 404 },
  "POST /api/v1/corpora/{id}/documents": { scope: "write", owner: 202, otherAccount: 404 },
  "GET /api/v1/corpora/{id}/documents": { scope: "read", owner: 200, otherAccount: 404 },
  "GET /api/v1/corpora/{id}/documents/{documentId}": { scope: "read", owner: 200, otherAccount: 404 },
  "PUT /api/v1/corpora/{id}/documents/{documentId}": { scope: "write", owner: 202, otherAccount: 404 },
  "POST /api/v1/corpora/{id}/documents/{documentId}/reprocess": { scope: "write", owner: 202, otherAccount: 404 },
  "DELETE /api/v1/corpora/{id}/documents/{documentId}": { scope: "write", owner: 204, otherAccount: 404 },
  "POST /api/v1/agents": { scope: "write", owner: 201, otherAccount: 201 },
  "GET /api/v1/agents": { scope: "read", owner: 200, otherAccount: 200 },
  "GET /api/v1/agents/{id}": { scope: "read", owner: 200, otherAccount: 404 },
  "PATCH /api/v1/agents/{id}": { scope: "write", owner: 200, otherAccount: 404 },
  "DELETE /api/v1/agents/{id}": { scope: "write", owner: 204, otherAccount: 404 },
  "GET /api/v1/agents/{id}/versions": { scope: "read", owner: 200, otherAccount: 404 },
  "GET /api/v1/agents/{id}/versions/{version}": { scope: "read", owner: 200, otherAccount: 404 },
  "GET /api/v1/agents/{id}/versions/{version}/diff": { scope: "read", owner: 200, otherAccount: 404 },
  "POST /api/v1/agents/{id}/versions/{version}/restore": { scope: "write", owner: 200, otherAccount: 404 },
  "POST /api/v1/agents/{id}/publish": { scope: "write", owner: 200, otherAccount: 404 },
  "POST /api/v1/agents/{id}/calls": { scope: "calls", owner: 201, otherAccount: 404 },
  "POST /api/v1/agents/{id}/web-calls": { scope: "calls", owner: 201, otherAccount: 404 },
  "POST /api/v1/webhooks": { scope: "write", owner: 201, otherAccount: 201 },
  "GET /api/v1/webhooks": { scope: "read", owner: 200, otherAccount: 200 },
  "GET /api/v1/webhooks/{id}": { scope: "read", owner: 200, otherAccount: 404 },
  "PATCH /api/v1/webhooks/{id}": { scope: "write", owner: 200, otherAccount: 404 },
  "DELETE /api/v1/webhooks/{id}": { scope: "write", owner: 204, otherAccount: 404 },
  "POST /api/v1/webhooks/{id}/rotate-secret": { scope: "write", owner: 200, otherAccount: 404 },
  "GET /api/v1/webhooks/{id}/deliveries": { scope: "read", owner: 200, otherAccount: 404 },
  "GET /api/v1/webhooks/{id}/deliveries/{deliveryId}": { scope: "read", owner: 200, otherAccount: 404 },
  "POST /api/v1/webhooks/{id}/deliveries/{deliveryId}/replay": { scope: "write", owner: 202, otherAccount: 404 },
  "POST /api/v1/webhooks/{id}/replay": { scope: "write", owner: 202, otherAccount: 404 },
  "GET /api/v1/usage": { scope: "read", owner: 200, otherAccount: 200 },
  "POST /api/v1/provider-credentials": { scope: "admin", owner: 201, otherAccount: 201 },
  "GET /api/v1/provider-credentials": { scope: "admin", owner: 200, otherAccount: 200 },
  "GET /api/v1/provider-credentials/{id}": { scope: "admin", owner: 200, otherAccount: 404 },
  "DELETE /api/v1/provider-credentials/{id}": { scope: "admin", owner: 204, otherAccount: 404 },
  "POST /api/v1/carriers": { scope: "admin", owner: 201, otherAccount: 201 },
  "GET /api/v1/carriers": { scope: "admin", owner: 200, otherAccount: 200 },
  "GET /api/v1/carriers/{id}": { scope: "admin", owner: 200, otherAccount: 404 },
  "PATCH /api/v1/carriers/{id}": { scope: "admin", owner: 200, otherAccount: 404 },
  "DELETE /api/v1/carriers/{id}": { scope: "admin", owner: 204, otherAccount: 404 },
  // The request names a carrier of the first account.
  "POST /api/v1/phone-numbers/import": { scope: "write", owner: 200, otherAccount: 404 },
  // The request names a number of the first account.
  "POST /api/v1/phone-calls": { scope: "calls", owner: 201, otherAccount: 400 },
  // The call is over, and was none of a telephone.
  "POST /api/v1/calls/{id}/transfer": { scope: "calls", owner: 409, otherAccount: 404 },
  "POST /api/v1/calls/{id}/dtmf": { scope: "calls", owner: 409, otherAccount: 404 },
  "GET /api/v1/phone-numbers": { scope: "read", owner: 200, otherAccount: 200 },
  "GET /api/v1/phone-numbers/{id}": { scope: "read", owner: 200, otherAccount: 404 },
  "PATCH /api/v1/phone-numbers/{id}": { scope: "write", owner: 200, otherAccount: 404 },
  "POST /api/v1/phone-numbers/{id}/attach": { scope: "write", owner: 200, otherAccount: 404 },
  "POST /api/v1/phone-numbers/{id}/detach": { scope: "write", owner: 200, otherAccount: 404 },
  // The number is not attached.
  "POST /api/v1/phone-numbers/{id}/test-call": { scope: "calls", owner: 409, otherAccount: 404 },
  "DELETE /api/v1/phone-numbers/{id}": { scope: "write", owner: 204, otherAccount: 404 },
  "POST /api/v1/tool-secrets": { scope: "admin", owner: 201, otherAccount: 201 },
  "GET /api/v1/tool-secrets": { scope: "admin", owner: 200, otherAccount: 200 },
  "GET /api/v1/tool-secrets/{id}": { scope: "admin", owner: 200, otherAccount: 404 },
  "DELETE /api/v1/tool-secrets/{id}": { scope: "admin", owner: 204, otherAccount: 404 },
  "POST /api/v1/tools": { scope: "write", owner: 201, otherAccount: 201 },
  "GET /api/v1/tools": { scope: "read", owner: 200, otherAccount: 200 },
  "GET /api/v1/tools/built-ins": { scope: "read", owner: 200, otherAccount: 200 },
  "GET /api/v1/tools/{id}": { scope: "read", owner: 200, otherAccount: 404 },
  "PATCH /api/v1/tools/{id}": { scope: "write", owner: 200, otherAccount: 404 },
  "DELETE /api/v1/tools/{id}": { scope: "write", owner: 204, otherAccount: 404 },
  "POST /api/v1/tools/{id}/test": { scope: "write", owner: 200, otherAccount: 404 },
  "GET /api/v1/tools/{id}/runs": { scope: "read", owner: 200, otherAccount: 404 },
  "GET /api/v1/account": { scope: "read", owner: 200, otherAccount: 200 },
  "PATCH /api/v1/account": { scope: "admin", owner: 200, otherAccount: 200 },
  "POST /api/v1/api-keys": { scope: "admin", grants: ["read", "calls"], owner: 201, otherAccount: 201 },
  "GET /api/v1/api-keys": { scope: "admin", owner: 200, otherAccount: 200 },
  "GET /api/v1/api-keys/{id}": { scope: "admin", owner: 200, otherAccount: 404 },
  "PATCH /api/v1/api-keys/{id}": { scope: "admin", grants: ["read"], owner: 200, otherAccount: 404 },
  "POST /api/v1/api-keys/{id}/rotate": { scope: "admin", grants: DEFAULT_SCOPES, owner: 200, otherAccount: 404 },
  "POST /api/v1/api-keys/{id}/revoke": { scope: "admin", owner: 200, otherAccount: 404 },
  "POST /api/v1/users": { scope: "admin", grants: DEFAULT_SCOPES, owner: 201, otherAccount: 201 },
  "GET /api/v1/users": { scope: "admin", owner: 200, otherAccount: 200 },
  "GET /api/v1/users/{id}": { scope: "admin", owner: 200, otherAccount: 404 },
  "PATCH /api/v1/users/{id}": { scope: "admin", grants: ["read"], owner: 200, otherAccount: 404 },
  "POST /api/v1/users/{id}/link": { scope: "admin", grants: ["read"], owner: 200, otherAccount: 404 },
  "DELETE /api/v1/users/{id}": { scope: "admin", grants: ["read"], owner: 204, otherAccount: 404 },
  // The request names an agent of the first account.
  "POST /api/v1/publishable-keys": { scope: "admin", grants: ["calls"], owner: 201, otherAccount: 400 },
  "GET /api/v1/publishable-keys": { scope: "admin", owner: 200, otherAccount: 200 },
  "GET /api/v1/publishable-keys/{id}": { scope: "admin", owner: 200, otherAccount: 404 },
  "PATCH /api/v1/publishable-keys/{id}": { scope: "admin", grants: ["calls"], owner: 200, otherAccount: 404 },
  "POST /api/v1/publishable-keys/{id}/revoke": { scope: "admin", owner: 200, otherAccount: 404 },
  "GET /api/v1/events": { scope: "read", owner: 200, otherAccount: 200 },
  "GET /api/v1/status": { scope: "admin", owner: 200, otherAccount: 200 },
  "GET /api/v1/audit-events": { scope: "admin", owner: 200, otherAccount: 200 },
  "GET /api/v1/voices": { scope: "read", owner: 200, otherAccount: 200 },
  "GET /api/v1/languages": { scope: "read", owner: 200, otherAccount: 200 },
};

/** Every route of the app as the document describes it, including the HEAD of each GET. */
export async function everyRoute(): Promise<readonly Operation[]> {
  const document = await openapiDocument();
  const { api } = await Scene.make();
  const found = routesOf(api.app);
  await api.app.ready();
  await api.close();
  return found.map((route) => {
    const path = route.url.replace(/:(\w+)/g, "{$1}");
    const alike = document.operations.filter((operation) => operation.path === path);
    const method = String(route.method);
    const operation = alike.find((one) => one.method === method) ?? alike.find((one) => one.method === "GET");
    if (operation === undefined) throw new Error(`${method} ${path} is not documented`);
    return { ...operation, method };
  });
}

export const nameOf = ({ method, path }: Pick<Operation, "method" | "path">): string => `${method} ${path}`;

/** A HEAD route without a handler of its own responds like its GET. */
export const expectedOf = (route: Operation): Row | { anyone: number } | undefined =>
  EXPECTED[nameOf(route)] ?? EXPECTED[`GET ${route.path}`];
