import type { Kysely, Selectable } from "kysely";
import type { Clock } from "../../core/clock.ts";
import { newId } from "../../core/ids.ts";
import type { Agent, AgentStore, NewAgent } from "../agent-store.ts";
import type { Tables } from "./tables.ts";

export class SqliteAgents implements AgentStore {
  readonly #db: Kysely<Tables>;
  readonly #clock: Clock;

  constructor(db: Kysely<Tables>, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  async create(accountId: string, agent: NewAgent): Promise<Agent> {
    const nowMs = this.#clock.epochMs();
    const row = {
      id: newId("agent"),
      account_id: accountId,
      name: agent.name,
      base_prompt: agent.basePrompt,
      context: agent.context,
      custom_instructions: agent.customInstructions,
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

  async list(accountId: string): Promise<readonly Agent[]> {
    const rows = await this.#db
      .selectFrom("agents")
      .selectAll()
      .where("account_id", "=", accountId)
      .orderBy("id")
      .execute();
    return rows.map(agentOf);
  }
}

const agentOf = (row: Selectable<Tables["agents"]>): Agent => ({
  id: row.id,
  accountId: row.account_id,
  name: row.name,
  basePrompt: row.base_prompt,
  context: row.context,
  customInstructions: row.custom_instructions,
  languageId: row.language_id,
  voiceId: row.voice_id,
  callSettings: JSON.parse(row.call_settings),
  toolIds: JSON.parse(row.tool_ids),
  corpusIds: JSON.parse(row.corpus_ids),
  createdAtMs: row.created_at,
  updatedAtMs: row.updated_at,
});
