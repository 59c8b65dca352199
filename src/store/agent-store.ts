import type { EpochMs } from "../core/clocks.ts";
import type { AccountId, AgentId } from "../core/ids.ts";
import type { Act } from "./accounts/audit-store.ts";

/** The types that a variable of an agent can have. */
export const VARIABLE_TYPES = ["string", "number", "boolean"] as const;
export type VariableType = (typeof VARIABLE_TYPES)[number];
export type VariableValue = string | number | boolean;
/** Values of variables, by name. */
export type VariableValues = Readonly<Record<string, VariableValue>>;

/** A place in the texts of an agent, written `{{name}}`, that each call fills. */
export interface AgentVariable {
  name: string;
  type: VariableType;
  /** Of this type; without it every call must give a value. */
  default?: VariableValue | undefined;
  description?: string | undefined;
}

/** The configuration of a saved agent. Its prompt has three layers; voice and language are ids of the API's lists. */
export interface AgentDefinition {
  name: string;
  basePrompt: string;
  context: string;
  customInstructions: string;
  languageId: string;
  voiceId: string;
  /** Call settings under their names in `POST /calls`; absent ones take the same defaults. */
  callSettings: Readonly<Record<string, unknown>>;
  toolIds: readonly string[];
  corpusIds: readonly string[];
  variables: readonly AgentVariable[];
  /** The names of the settings that a call from the agent may override. */
  allowedOverrides: readonly string[];
}

/** The versions of an agent that its calls can have, by their numbers: 1, 2, ... */
export interface AgentState {
  /** The live version, which calls have that name no other. */
  version: number;
  /** The newest change that was never published; absent when there is none. */
  draftVersion?: number | undefined;
}

/** A saved agent with its live definition. */
export interface Agent extends AgentDefinition, AgentState {
  /** `agent_...` */
  id: AgentId;
  accountId: AccountId;
  createdAtMs: EpochMs;
  /** When a version was last added or published. */
  updatedAtMs: EpochMs;
  /** When the live version became that. */
  publishedAtMs: EpochMs;
}

/** One version of an agent, as lists show it. Only `publishedAtMs` ever changes. */
export interface ListedVersion {
  version: number;
  createdAtMs: EpochMs;
  /** The API key that made it; absent in those of older versions of the service. */
  createdBy?: string;
  /** When it last became the live version; absent when it never was. */
  publishedAtMs?: EpochMs;
}

/** One version of an agent with its definition, which never changes. */
export interface AgentVersion extends ListedVersion {
  definition: AgentDefinition;
}

/** Which agents of an account to list. Every condition that is given must hold. */
export interface AgentQuery {
  /** A part of the name, in any case. */
  name?: string | undefined;
  languageId?: string | undefined;
  voiceId?: string | undefined;
  /** Only agents after this one in the list's order. */
  afterAgentId?: AgentId | undefined;
  /** The maximum number of agents; at least 1. */
  limit: number;
}

/** Which versions of an agent to list. */
export interface VersionQuery {
  /** Only versions before this one. */
  beforeVersion?: number | undefined;
  /** The maximum number of versions; at least 1. */
  limit: number;
}

/** A version to add to an agent. */
export interface NewVersion {
  definition: AgentDefinition;
  /** Whether it becomes the live version; otherwise it becomes the draft, in place of an earlier one. */
  publish: boolean;
  /** The versions that the agent must still have, so that no other change is lost; absent where that does not matter. */
  basedOn?: AgentState | undefined;
}

/** What became of a version to add. */
export type VersionAddition =
  | { kind: "added"; agent: Agent; version: number }
  /** The agent has other versions than it was based on. */
  | { kind: "stale" }
  /** The agent has AGENT_VERSIONS_MAX versions, all of which were published. */
  | { kind: "full" };

/**
 * Agents and their versions. `act` is recorded in the audit log, in the same transaction; without it the service itself
 * acts. Every operation rejects with `unavailable` when the store cannot answer at present, and
 * gives undefined for agents of other accounts and for unknown ids; all but those that only read versions do so for
 * deleted agents, too. A version's number is never used again.
 */
export interface AgentStore {
  /** The agent has one version, which is live. */
  create(accountId: AccountId, definition: AgentDefinition, act?: Act): Promise<Agent>;
  /** How many agents the account has. */
  count(accountId: AccountId): Promise<number>;
  get(accountId: AccountId, agentId: AgentId): Promise<Agent | undefined>;
  /**
   * The account's agents, oldest first; `more` when others follow. Gives fewer than `limit` where more would exceed
   * LIST_BYTES_MAX, and at least one if there is one.
   */
  list(accountId: AccountId, query: AgentQuery): Promise<{ agents: readonly Agent[]; more: boolean }>;
  /** At AGENT_VERSIONS_MAX the oldest version that was never published makes room. */
  addVersion(
    accountId: AccountId,
    agentId: AgentId,
    version: NewVersion,
    act?: Act,
  ): Promise<VersionAddition | undefined>;
  /** Makes a version the live one. Undefined also for an unknown version. */
  publish(accountId: AccountId, agentId: AgentId, version: number, act?: Act): Promise<Agent | undefined>;
  /** Deletes the agent; its versions can still be read. */
  remove(accountId: AccountId, agentId: AgentId, act?: Act): Promise<true | undefined>;
  /** The versions of an agent, newest first, also of a deleted one; `more` when others follow. */
  listVersions(
    accountId: AccountId,
    agentId: AgentId,
    query: VersionQuery,
  ): Promise<{ versions: readonly ListedVersion[]; more: boolean } | undefined>;
  /** One version of an agent, also of a deleted one. Undefined also for an unknown version. */
  getVersion(accountId: AccountId, agentId: AgentId, version: number): Promise<AgentVersion | undefined>;
}
