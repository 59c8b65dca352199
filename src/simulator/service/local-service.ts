import { readFileSync } from "node:fs";
import { TrunklineClient } from "#client";
import { unavailable } from "../../core/errors.ts";

/** The service of this machine, if one runs. */
export interface LocalService {
  /** For example `http://127.0.0.1:8080`. */
  apiUrl: string;
  /** The file with its first API key. */
  firstKeyPath: string;
}

/**
 * The API of the service that runs on this machine, with `apiKey` or else with its first API key. Rejects with `unavailable`, and
 * says what to do, when no service runs or there is no API key.
 */
export async function openLocalService(
  { apiUrl, firstKeyPath }: LocalService,
  apiKey: string | undefined,
  signal: AbortSignal,
): Promise<TrunklineClient> {
  const response = await fetch(`${apiUrl}/healthz`, { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw unavailable(
      `no service answers at ${apiUrl}. Start one in another terminal with npm start, or give the call a service of its own: npm run call -- --own-service`,
      error,
    );
  });
  if (!response.ok) throw unavailable(`${apiUrl} is not a Trunkline service: GET /healthz returned ${response.status}`);
  return new TrunklineClient({ baseUrl: apiUrl, apiKey: apiKey ?? readFirstKey(firstKeyPath), signal });
}

function readFirstKey(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw unavailable(
      `there is no API key: set TRUNKLINE_API_KEY to one created with npm run api-keys -- create --name <name> (the first API key cannot be read: ${cause})`,
      error,
    );
  }
}
