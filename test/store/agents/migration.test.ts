import { join } from "node:path";
import { Kysely, Migrator, SqliteDialect } from "kysely";
import Libsql from "libsql";
import { beforeEach, describe, expect, test } from "vitest";
import { type AccountId, type AgentId, asAccountId, asAgentId, asCallId } from "../../../src/core/ids.ts";
import { migrationsFor } from "../../../src/store/sql/migrations/migrations.ts";
import { SQLITE_COLUMN_TYPES } from "../../../src/store/sqlite/database/sqlite-database.ts";
import { openSqliteStores } from "../../../src/store/sqlite/open-stores.ts";
import { AGENT } from "../../support/calls/stored-calls.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { ageClockOf } from "../../support/tokens.ts";

const MIGRATIONS = migrationsFor(SQLITE_COLUMN_TYPES);
const BEFORE = "0016-webhooks";
const [accountId, agentId] = [asAccountId("account_1"), asAgentId("agent_1")];
const CREATED_MS = 1_700_000_000_000;

let directory: string;
let path: string;
beforeEach(() => {
  directory = temporaryDirectory();
  path = join(directory, "trunkline.db");
});

const open = () => {
  const clock = new ManualClock();
  return openSqliteStores(directory, clock, { ageClock: ageClockOf(clock) });
};

/** Writes an agent as the version of the service before this one does. */
function insertAgent(account: AccountId, agent: AgentId): void {
  const file = new Libsql(path);
  const texts = [AGENT.name, AGENT.basePrompt, AGENT.context, AGENT.customInstructions].map((text) =>
    JSON.stringify(text),
  );
  file
    .prepare(
      "INSERT INTO agents (id, account_id, name, base_prompt, context, custom_instructions, language_id, voice_id, " +
        "call_settings, tool_ids, corpus_ids, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, '{}', '[]', '[]', ?, ?)",
    )
    .run(agent, account, ...texts, AGENT.languageId, AGENT.voiceId, CREATED_MS, CREATED_MS);
  file.close();
}

describe("agents of before there were versions", () => {
  test("have version 1, and so have their calls", async () => {
    const db = new Kysely({ dialect: new SqliteDialect({ database: new Libsql(path) }) });
    const migrator = new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } });
    expect((await migrator.migrateTo(BEFORE)).error).toBeUndefined();
    await db.destroy();
    const file = new Libsql(path);
    file.exec(`INSERT INTO accounts VALUES ('${accountId}', 'first', 0)`);
    file.close();
    for (let count = 0; count < 250; count++) insertAgent(accountId, asAgentId(`agent_${count}`));
    const calls = new Libsql(path);
    for (const [id, agent] of [
      ["call_1", `'${agentId}'`],
      ["call_2", "NULL"],
    ]) {
      calls.exec(
        "INSERT INTO calls (id, account_id, agent_id, status, settings, recording_enabled, created_at, ended_at) " +
          `VALUES ('${id}', '${accountId}', ${agent}, 'ended', '{}', 1, 0, 0)`,
      );
    }
    calls.close();
    const stores = await open();
    expect(await stores.agents.get(accountId, agentId)).toMatchObject({
      ...AGENT,
      version: 1,
      publishedAtMs: CREATED_MS,
    });
    for (let count = 0; count < 250; count++) {
      const version = await stores.agents.getVersion(accountId, asAgentId(`agent_${count}`), 1);
      expect(version).toEqual({ version: 1, createdAtMs: CREATED_MS, publishedAtMs: CREATED_MS, definition: AGENT });
    }
    expect(await stores.calls.get(accountId, asCallId("call_1"))).toMatchObject({ agentId, agentVersion: 1 });
    expect(await stores.calls.get(accountId, asCallId("call_2"))).not.toHaveProperty("agentVersion");
    await stores.close();
  });

  test("that the previous version of the service creates beside this one have version 1, too", async () => {
    const stores = await open();
    const account = await stores.accounts.ensure("first");
    const ids = ["agent_1", "agent_2", "agent_3"].map(asAgentId);
    for (const id of ids) insertAgent(account, id);
    const [read, listed, changed] = ids as [AgentId, AgentId, AgentId];
    expect((await stores.agents.getVersion(account, read, 1))?.definition).toEqual(AGENT);
    expect((await stores.agents.listVersions(account, listed, { limit: 9 }))?.versions).toHaveLength(1);
    const definition = { ...AGENT, name: "Night desk" };
    expect(await stores.agents.addVersion(account, changed, { definition, publish: true })).toMatchObject({
      version: 2,
    });
    expect((await stores.agents.getVersion(account, changed, 1))?.definition).toEqual(AGENT);
    await stores.close();
  });
});
