import { api } from "../../../app/api.ts";
import { mayAct } from "../../../app/roles.ts";
import { currentSession } from "../../../app/session.ts";
import { firstOf } from "../load.ts";
import { type Definition, definitionOf } from "../model/definition.ts";
import { figuresOf, type VersionFigures } from "../model/version-figures.ts";

/** So many of the agent's newest calls are counted. */
export const CALLS_COUNTED_MAX = 500;

/** The calls of the versions; `isCut`: there are older ones, which do not count. */
export interface CallFigures {
  byVersion: ReadonlyMap<number, VersionFigures>;
  isCut: boolean;
}

export async function loadFigures(agentId: string, signal: AbortSignal): Promise<CallFigures> {
  const calls = await firstOf(api.list("/calls", { query: { agentId, limit: 100 }, signal }), CALLS_COUNTED_MAX);
  return { byVersion: figuresOf(calls.items), isCut: calls.isCut };
}

export async function loadDefinition(agentId: string, version: number, signal: AbortSignal): Promise<Definition> {
  const path = { id: agentId, version };
  return definitionOf(await api.get("/agents/{id}/versions/{version}", { path, signal }));
}

/** The names of people and API keys that may have made versions; only an owner may read those of others. */
export async function loadMakers(signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const self = currentSession()?.user;
  const names = new Map<string, string>();
  if (mayAct("owner")) {
    const query = { limit: 100 };
    const [people, keys] = await Promise.all([
      firstOf(api.list("/users", { query, signal })),
      firstOf(api.list("/api-keys", { query, signal })),
    ]);
    for (const { id, name } of people.items) names.set(id, name);
    for (const { id, name } of keys.items) names.set(id, `API key ${name}`);
  }
  if (self !== undefined) names.set(self.id, `${self.name} (you)`);
  return names;
}
