import { type BenchService, sendRequest } from "../../rig/service.ts";

/** Of a service whose webhooks are on this machine. Calls without a stream expire soon, and no endpoint gets an event about that. */
export const WEBHOOK_ENV = { WEBHOOKS_ALLOW_LOOPBACK: "true", TOKEN_TTL_S: "20", CALLS_PER_WORKER: "100000" };

/** Adds webhooks for created calls, each to a path of its own below `url`. */
export async function addWebhooks(
  { apiUrl, keys: [key] }: Pick<BenchService, "apiUrl" | "keys">,
  count: number,
  url: string,
): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const body = JSON.stringify({ url: `${url}${index}`, eventTypes: ["call.created"] });
    await sendRequest({ apiUrl, key }, "POST", "/api/v1/webhooks", 201, body);
  }
}
