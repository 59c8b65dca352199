import type { EpochMs } from "../../../core/clocks.ts";
import type { AccountId, AgentId, CallId, ToolId, ToolRunId } from "../../../core/ids.ts";

/** Agents, their versions and saved tools. */
export interface AgentTables {
  agents: {
    id: AgentId;
    account_id: AccountId;
    /** JSON of a string, as are the other prompts: databases cannot be relied on to store NUL in a text. */
    name: string;
    base_prompt: string;
    context: string;
    custom_instructions: string;
    language_id: string;
    voice_id: string;
    /** JSON, as are `tool_ids` and `corpus_ids`. */
    call_settings: string;
    tool_ids: string;
    corpus_ids: string;
    created_at: EpochMs;
    updated_at: EpochMs;
    /** JSON of a list of AgentVariable. */
    variables: string;
    /** JSON of a list of names. */
    allowed_overrides: string;
    /** The version whose definition these columns are. */
    live_version: number;
    draft_version: number | null;
    /** Null in agents that an older version of the service made. */
    published_at: EpochMs | null;
    deleted_at: EpochMs | null;
  };
  /** The versions of agents. */
  agent_versions: {
    agent_id: AgentId;
    version: number;
    account_id: AccountId;
    created_at: EpochMs;
    /** The id of an API key or a person. */
    created_by: string | null;
    published_at: EpochMs | null;
    /** JSON of AgentDefinition; the last column, so that lists do not read past it. */
    definition: string;
  };
  /** Saved tools. */
  tools: {
    id: ToolId;
    account_id: AccountId;
    /** Of the definition, as is `name`, which is JSON of a text. */
    type: string;
    name: string;
    version: number;
    created_at: EpochMs;
    updated_at: EpochMs;
    /** JSON of SavedToolDefinition. */
    definition: string;
    /** JSON of McpListing; null for other tools. */
    listing: string | null;
  };
  /** Runs of saved tools, of calls that are over and of tests. */
  tool_runs: {
    id: ToolRunId;
    account_id: AccountId;
    tool_id: ToolId;
    /** Null for a test. */
    call_id: CallId | null;
    name: string;
    started_at: EpochMs;
    duration_ms: number | null;
    failed: number | null;
    /** JSON of ToolRunWords; null when words are not stored. */
    words: string | null;
  };
}
