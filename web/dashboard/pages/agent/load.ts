import type { Schema, TrunklineClient } from "../../../client/src/index.ts";
import { type Definition, definitionOf } from "./model/definition.ts";

export type Agent = Schema<"Agent">;

/** An agent, and what its next change begins with: its draft, or else its live version. */
export interface SavedAgent {
  agent: Agent;
  /** Names the state of the agent that a change is made for. */
  etag: string;
  definition: Definition;
  /** The number of the version whose definition that is. */
  version: number;
}

type Client = Pick<TrunklineClient, "request" | "get">;

export async function loadAgent(api: Client, id: string, signal?: AbortSignal): Promise<SavedAgent> {
  const { body: agent, headers } = await api.request("get", "/agents/{id}", { path: { id }, signal });
  const version = agent.draftVersion ?? agent.version;
  const draft =
    agent.draftVersion === null
      ? agent
      : await api.get("/agents/{id}/versions/{version}", { path: { id, version }, signal });
  return { agent, etag: headers.get("etag") ?? "", definition: definitionOf(draft), version };
}

/** What a list has of some things of the account, and whether there are more. */
export interface Known<Item> {
  items: readonly Item[];
  isCut: boolean;
}

/** So many are offered to choose from. */
export const OFFERED_MAX = 500;

/** The first items of a list. */
export async function firstOf<Item>(items: AsyncIterable<Item>, max = OFFERED_MAX): Promise<Known<Item>> {
  const taken: Item[] = [];
  for await (const item of items) {
    if (taken.length === max) return { items: taken, isCut: true };
    taken.push(item);
  }
  return { items: taken, isCut: false };
}
