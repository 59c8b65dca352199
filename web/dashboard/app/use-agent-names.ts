import { api } from "./api.ts";
import { useResource } from "./use-resource.ts";

/** So many agents are shown by name, and offered by filters. */
const AGENTS_MAX = 1_000;

/** The names of the account's agents by their ids, in the order of the names; empty until they are there. */
export function useAgentNames(): ReadonlyMap<string, string> {
  const agents = useResource("agent names", loadNames);
  return agents.status === "ready" ? agents.value : NONE;
}

const NONE: ReadonlyMap<string, string> = new Map();

async function loadNames(signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const names: [string, string][] = [];
  for await (const { id, name } of api.list("/agents", { query: { limit: 100 }, signal })) {
    names.push([id, name]);
    if (names.length === AGENTS_MAX) break;
  }
  return new Map(names.sort(([, a], [, b]) => a.localeCompare(b)));
}
