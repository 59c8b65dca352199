import { api } from "../../app/api.ts";
import { useResource } from "../../app/use-resource.ts";

/** So many people and API keys are shown by name. */
const NAMES_MAX = 1_000;
const NONE: ReadonlyMap<string, string> = new Map();

/** The names of the account's people and API keys by their ids; empty until they are there. */
export function useActorNames(): ReadonlyMap<string, string> {
  const names = useResource("names of actors", loadNames);
  return names.status === "ready" ? names.value : NONE;
}

async function loadNames(signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (const path of ["/users", "/api-keys"] as const) {
    for await (const { id, name } of api.list(path, { query: { limit: 100 }, signal })) {
      names.set(id, name);
      if (names.size === NAMES_MAX) break;
    }
  }
  return names;
}
