import { readFileSync } from "node:fs";
import { unavailable } from "../../core/errors.ts";
import { ApiClient } from "./api-client.ts";

/** Where the service of this machine is, when one runs. */
export interface LocalService {
  /** For example `http://127.0.0.1:8080`. */
  apiUrl: string;
  /** The file in which it leaves its first API key. */
  firstKeyPath: string;
}

/**
 * The API of the service that runs on this machine, with `apiKey` or else with its first one. Rejects with `unavailable`, which says what
 * to do, where none runs and where there is no key.
 */
export async function openLocalService(
  { apiUrl, firstKeyPath }: LocalService,
  apiKey: string | undefined,
  signal: AbortSignal,
): Promise<ApiClient> {
  const answer = await fetch(`${apiUrl}/healthz`, { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw unavailable(
      `no service answers at ${apiUrl}. Start one in another terminal with npm start, or give the call a service of its own: npm run call -- --own-service`,
      error,
    );
  });
  if (!answer.ok) throw unavailable(`what answers at ${apiUrl} is no Trunkline: GET /healthz gave ${answer.status}`);
  return new ApiClient(apiUrl, apiKey ?? readFirstKey(firstKeyPath), signal);
}

function readFirstKey(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw unavailable(
      `there is no API key: set TRUNKLINE_API_KEY to one that npm run api-keys -- create --name <name> made (the first key cannot be read: ${why})`,
      error,
    );
  }
}
