import type { Kysely, Selectable } from "kysely";
import type { Clock } from "../../core/clock.ts";
import type { AccountId, AgentId } from "../../core/ids.ts";
import { newId } from "../../core/new-id.ts";
import type { Agent, AgentQuery, AgentStore, NewAgent } from "../agent-store.ts";
import type { Tables } from "./tables.ts";

/** See `AgentStore`. */
export class SqlAgents implements AgentStore {
  readonly #db: Kysely<Tables>;
  readonly #clock: Clock;

  constructor(db: Kysely<Tables>, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  async create(accountId: AccountId, agent: NewAgent): Promise<Agent> {
    const nowMs = this.#clock.epochMs();
    const row = {
      id: newId("agent"),
      account_id: accountId,
      name: JSON.stringify(agent.name),
      base_prompt: JSON.stringify(agent.basePrompt),
      context: JSON.stringify(agent.context),
      custom_instructions: JSON.stringify(agent.customInstructions),
      language_id: agent.languageId,
      voice_id: agent.voiceId,
      call_settings: JSON.stringify(agent.callSettings),
      tool_ids: JSON.stringify(agent.toolIds),
      corpus_ids: JSON.stringify(agent.corpusIds),
      created_at: nowMs,
      updated_at: nowMs,
    };
    await this.#db.insertInto("agents").values(row).execute();
    return agentOf(row);
  }

  async count(accountId: AccountId): Promise<number> {
    const { agents } = await this.#db
      .selectFrom("agents")
      .select((select) => select.fn.countAll<number>().as("agents"))
      .where("account_id", "=", accountId)
      .executeTakeFirstOrThrow();
    return Number(agents);
  }

  async get(accountId: AccountId, agentId: AgentId): Promise<Agent | undefined> {
    const row = await this.#db
      .selectFrom("agents")
      .selectAll()
      .where("id", "=", agentId)
      .where("account_id", "=", accountId)
      .executeTakeFirst();
    return row && agentOf(row);
  }

  async list(accountId: AccountId, query: AgentQuery): Promise<{ agents: readonly Agent[]; more: boolean }> {
    let selected = this.#db.selectFrom("agents").selectAll().where("account_id", "=", accountId);
    if (query.afterAgentId !== undefined) selected = selected.where("id", ">", query.afterAgentId);
    // One row more than requested shows whether others follow.
    const rows = await selected
      .orderBy("id")
      .limit(query.limit + 1)
      .execute();
    return { agents: rows.slice(0, query.limit).map(agentOf), more: rows.length > query.limit };
  }
}

const agentOf = (row: Selectable<Tables["agents"]>): Agent => ({
  id: row.id,
  accountId: row.account_id,
  name: JSON.parse(row.name),
  basePrompt: JSON.parse(row.base_prompt),
  context: JSON.parse(row.context),
  customInstructions: JSON.parse(row.custom_instructions),
  languageId: row.language_id,
  voiceId: row.voice_id,
  callSettings: JSON.parse(row.call_settings),
  toolIds: JSON.parse(row.tool_ids),
  corpusIds: JSON.parse(row.corpus_ids),
  createdAtMs: row.created_at,
  updatedAtMs: row.updated_at,
});
