import type { FastifyInstance } from "fastify";
import type { AccountId, ApiKeyId } from "../../core/ids.ts";
import type { ApiKeyStore } from "../../store/api-key-store.ts";
import { unauthorized } from "./errors.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The account of the request; empty on the routes that need no API key. */
    accountId: AccountId;
    /** The API key of the request; empty likewise. */
    apiKeyId: ApiKeyId;
  }
}

/** Rejects requests without a valid API key before a byte of the body is read. */
export function requireApiKey(scope: FastifyInstance, apiKeys: Pick<ApiKeyStore, "authenticate">): void {
  scope.addHook("onRequest", async (request) => {
    const key = request.headers["x-api-key"];
    const principal = typeof key === "string" ? await apiKeys.authenticate(key) : undefined;
    if (principal === undefined) throw unauthorized();
    request.accountId = principal.accountId;
    request.apiKeyId = principal.apiKeyId;
  });
}
