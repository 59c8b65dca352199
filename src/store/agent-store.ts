/** What a saved agent consists of. Its prompt has three layers; voice and language are ids from the API's lists. */
export interface NewAgent {
  name: string;
  basePrompt: string;
  context: string;
  customInstructions: string;
  languageId: string;
  voiceId: string;
  /** Call settings by the names that `POST /calls` gives them; what is absent takes the same defaults. */
  callSettings: Readonly<Record<string, unknown>>;
  toolIds: readonly string[];
  corpusIds: readonly string[];
}

export interface Agent extends NewAgent {
  /** `agent_...` */
  id: string;
  accountId: string;
  /** Milliseconds since the Unix epoch, as is `updatedAtMs`. */
  createdAtMs: number;
  updatedAtMs: number;
}

/** Which agents of an account to list. */
export interface AgentQuery {
  /** Only agents behind this one in the list's order. */
  afterAgentId?: string | undefined;
  /** At most so many; at least 1. */
  limit: number;
}

/** Every operation rejects with `unavailable` when the store cannot answer just now. */
export interface AgentStore {
  create(accountId: string, agent: NewAgent): Promise<Agent>;
  /** How many agents the account has. */
  count(accountId: string): Promise<number>;
  /** Undefined for another account's agents as for those that do not exist. */
  get(accountId: string, agentId: string): Promise<Agent | undefined>;
  /** The account's agents, oldest first; `more` when there are others behind them. */
  list(accountId: string, query: AgentQuery): Promise<{ agents: readonly Agent[]; more: boolean }>;
}
