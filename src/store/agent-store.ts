import type { EpochMs } from "../core/clocks.ts";
import type { AccountId, AgentId } from "../core/ids.ts";

/** The configuration of a saved agent. Its prompt has three layers; voice and language are ids of the API's lists. */
export interface NewAgent {
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
}

export interface Agent extends NewAgent {
  /** `agent_...` */
  id: AgentId;
  accountId: AccountId;
  createdAtMs: EpochMs;
  updatedAtMs: EpochMs;
}

/** Which agents of an account to list. */
export interface AgentQuery {
  /** Only agents after this one in the list's order. */
  afterAgentId?: AgentId | undefined;
  /** The maximum number of agents; at least 1. */
  limit: number;
}

/** Every operation rejects with `unavailable` when the store cannot answer at present. */
export interface AgentStore {
  create(accountId: AccountId, agent: NewAgent): Promise<Agent>;
  /** How many agents the account has. */
  count(accountId: AccountId): Promise<number>;
  /** Undefined for agents of other accounts and for unknown ids. */
  get(accountId: AccountId, agentId: AgentId): Promise<Agent | undefined>;
  /** The account's agents, oldest first; `more` when others follow. */
  list(accountId: AccountId, query: AgentQuery): Promise<{ agents: readonly Agent[]; more: boolean }>;
}
