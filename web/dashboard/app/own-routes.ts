import { TrunklineApiError } from "../../client/src/index.ts";
import { SESSION_BASE } from "./addresses.ts";

interface OwnRequest {
  method?: "GET" | "POST";
  body?: object;
  csrfToken?: string | undefined;
}

/**
 * A request to the routes of people, `/dashboard/session/<path>`, which the API's document and so the client do not have.
 * Rejects with a TrunklineApiError.
 */
export async function askOwnService<Answer = void>(
  path: string,
  { method = "GET", body, csrfToken }: OwnRequest = {},
): Promise<Answer> {
  const headers: Record<string, string> = {
    ...(body !== undefined && { "Content-Type": "application/json" }),
    ...(csrfToken !== undefined && { "X-CSRF-Token": csrfToken }),
  };
  const response = await fetch(`${SESSION_BASE}/${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch((cause: unknown) => {
    throw new TrunklineApiError("no answer", { code: "no_answer" }, { cause });
  });
  const text = await response.text();
  const answer = jsonOf(text);
  if (response.ok) return answer as Answer;
  const { error } = (answer ?? {}) as { error?: TrunklineApiError };
  const requestId = error?.requestId ?? response.headers.get("x-request-id") ?? undefined;
  throw new TrunklineApiError(error?.message ?? "an answer that is not of the API", {
    code: error?.code ?? "unexpected_answer",
    status: response.status,
    details: error?.details ?? [],
    requestId,
    retryAfterSeconds: Number(response.headers.get("retry-after")) || undefined,
  });
}

function jsonOf(text: string): unknown {
  try {
    return text === "" ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
