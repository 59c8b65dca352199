import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type AccountId, type AgentId, type ApiKeyId, asAgentId } from "../../../src/core/ids.ts";
import { AGENT_VERSIONS_MAX } from "../../../src/core/limits/agents/agents.ts";
import { LIST_BYTES_MAX } from "../../../src/core/limits/control-api/api.ts";
import type { Act } from "../../../src/store/accounts/audit-store.ts";
import type { Agent, AgentDefinition, AgentQuery, NewVersion, VersionQuery } from "../../../src/store/agent-store.ts";
import type { Stores } from "../../../src/store/stores.ts";
import type { StoresUnderTest } from "./calls.ts";

const AGENT: AgentDefinition = {
  name: "Front desk",
  basePrompt: "You answer the telephone.",
  context: "The house opens at six.",
  customInstructions: "",
  languageId: "en-US",
  voiceId: "espeak/gmw/en-US",
  callSettings: { maxDuration: 600, selectedTools: [{ toolName: "hang_up" }] },
  toolIds: [],
  corpusIds: ["corpus_1"],
  variables: [],
  allowedOverrides: [],
};

/** What every AgentStore must do. */
export function agentStoreContract(name: string, make: () => StoresUnderTest): void {
  describe(`AgentStore contract: ${name}`, () => {
    let under: StoresUnderTest;
    let stores: Stores;
    let accountId: AccountId;
    let otherAccountId: AccountId;
    let apiKeyId: ApiKeyId;

    beforeEach(async () => {
      under = make();
      stores = await under.open();
      accountId = await stores.accounts.ensure("first");
      otherAccountId = await stores.accounts.ensure("second");
      apiKeyId = (await stores.apiKeys.create({ accountId, name: "laptop" })).record.id;
    });
    afterEach(() => stores.close());

    test("an agent is stored as it was created, and only its account can read it", async () => {
      const agent = await stores.agents.create(accountId, AGENT);
      const nowMs = under.clock.epochMs();
      expect(agent).toEqual({
        ...AGENT,
        id: expect.stringMatching(/^agent_[0-9a-f-]{36}$/),
        accountId,
        version: 1,
        createdAtMs: nowMs,
        updatedAtMs: nowMs,
        publishedAtMs: nowMs,
      });
      expect(await stores.agents.get(accountId, agent.id)).toEqual(agent);
      expect(await stores.agents.get(otherAccountId, agent.id)).toBeUndefined();
      expect(await stores.agents.get(accountId, asAgentId("agent_unknown"))).toBeUndefined();
    });

    test("any text is returned byte for byte", async () => {
      const text = "'; DROP TABLE agents; -- \u0000\u001b[31m\r\n\u2028 \"\\ 👋 é e\u0301";
      const odd = { ...AGENT, name: text, basePrompt: text, context: text, callSettings: { greeting: text } };
      const { id } = await stores.agents.create(accountId, odd);
      expect(await stores.agents.get(accountId, id)).toMatchObject(odd);
    });

    test("an account's agents are listed oldest first, without those of other accounts", async () => {
      expect(await stores.agents.list(accountId, { limit: 10 })).toEqual({ agents: [], more: false });
      const first = await stores.agents.create(accountId, AGENT);
      const theirs = await stores.agents.create(otherAccountId, AGENT);
      const second = await stores.agents.create(accountId, { ...AGENT, name: "Night desk" });
      expect(await stores.agents.list(accountId, { limit: 10 })).toEqual({ agents: [first, second], more: false });
      expect(await stores.agents.list(otherAccountId, { limit: 10 })).toEqual({ agents: [theirs], more: false });
      expect([await stores.agents.count(accountId), await stores.agents.count(otherAccountId)]).toEqual([2, 1]);
      // An id of another account's agent is a valid position in the order, and reveals nothing.
      const behindTheirs = await stores.agents.list(accountId, { limit: 10, afterAgentId: theirs.id });
      expect(behindTheirs).toEqual({ agents: [second], more: false });
    });

    test.each([1, 2, 3, 5, 6])("pages of %i are without gaps and repeats, while agents are created", async (limit) => {
      const made: Agent[] = [];
      for (let count = 0; count < 5; count++) made.push(await stores.agents.create(accountId, AGENT));
      const seen: Agent[] = [];
      let afterAgentId: AgentId | undefined;
      for (let isLast = false; !isLast; ) {
        const { agents, more } = await stores.agents.list(accountId, { limit, afterAgentId });
        expect(agents.length).toBeLessThanOrEqual(limit);
        seen.push(...agents);
        if (more && seen.length === agents.length) made.push(await stores.agents.create(accountId, AGENT));
        afterAgentId = agents.at(-1)?.id;
        isLast = !more;
      }
      expect(seen).toEqual(made);
    });

    const add = async (
      agentId: AgentId,
      changes: Partial<AgentDefinition>,
      more: Partial<NewVersion> = {},
      act?: Act,
    ) => {
      const definition = { ...AGENT, ...changes };
      return await stores.agents.addVersion(accountId, agentId, { definition, publish: true, ...more }, act);
    };
    const numbersOf = async (agentId: AgentId, query: Partial<VersionQuery> = {}) => {
      const page = await stores.agents.listVersions(accountId, agentId, { limit: 5_000, ...query });
      return page?.versions.map(({ version }) => version);
    };

    test("a version that is added is live or the draft, and never changes", async () => {
      const { id } = await stores.agents.create(accountId, AGENT);
      under.clock.advance(1_000);
      const nowMs = under.clock.epochMs();
      const live = await add(id, { name: "b" }, {}, { actor: { kind: "api_key", id: apiKeyId } });
      expect(live).toMatchObject({
        kind: "added",
        version: 2,
        agent: { name: "b", version: 2, updatedAtMs: nowMs, publishedAtMs: nowMs },
      });
      const draft = await add(id, { name: "c\0 👋" }, { publish: false });
      expect(draft).toMatchObject({ kind: "added", version: 3, agent: { name: "b", version: 2, draftVersion: 3 } });
      expect(await stores.agents.get(accountId, id)).toEqual(draft?.kind === "added" && draft.agent);
      expect(await stores.agents.getVersion(accountId, id, 3)).toEqual({
        version: 3,
        createdAtMs: nowMs,
        definition: { ...AGENT, name: "c\0 👋" },
      });
      expect(await stores.agents.getVersion(accountId, id, 2)).toEqual({
        version: 2,
        createdAtMs: nowMs,
        createdBy: apiKeyId,
        publishedAtMs: nowMs,
        definition: { ...AGENT, name: "b" },
      });
      expect((await stores.agents.getVersion(accountId, id, 1))?.definition).toEqual(AGENT);
      expect(await stores.agents.getVersion(accountId, id, 4)).toBeUndefined();
    });

    test("a version that is based on other versions than the agent has is stale, and changes nothing", async () => {
      const { id } = await stores.agents.create(accountId, AGENT);
      await add(id, { name: "b" }, { publish: false });
      for (const basedOn of [{ version: 1 }, { version: 2 }, { version: 1, draftVersion: 3 }]) {
        expect(await add(id, { name: "c" }, { basedOn })).toEqual({ kind: "stale" });
      }
      const based = await add(id, { name: "c" }, { basedOn: { version: 1, draftVersion: 2 } });
      expect(based).toMatchObject({ kind: "added", version: 3 });
      expect(await add(id, { name: "d" }, { basedOn: { version: 3 } })).toMatchObject({ kind: "added", version: 4 });
    });

    test("versions that are added at once get a number each, and one of those with the same base is added", async () => {
      const { id } = await stores.agents.create(accountId, AGENT);
      const names = ["b", "c", "d", "e"];
      await Promise.all(names.map((name) => add(id, { name })));
      expect(await numbersOf(id)).toEqual([5, 4, 3, 2, 1]);
      const based = await Promise.all(names.map((name) => add(id, { name }, { basedOn: { version: 5 } })));
      expect(based.filter((one) => one?.kind === "added")).toHaveLength(1);
    });

    test("any version can be published, and the draft stays until it is", async () => {
      const { id } = await stores.agents.create(accountId, AGENT);
      await add(id, { name: "b" });
      await add(id, { name: "c" }, { publish: false });
      under.clock.advance(1_000);
      const first = await stores.agents.publish(accountId, id, 1);
      const publishedAtMs = under.clock.epochMs();
      expect(first).toMatchObject({ ...AGENT, version: 1, draftVersion: 3, publishedAtMs, updatedAtMs: publishedAtMs });
      expect(await stores.agents.get(accountId, id)).toEqual(first);
      expect(await stores.agents.getVersion(accountId, id, 1)).toMatchObject({ publishedAtMs });
      const third = await stores.agents.publish(accountId, id, 3);
      expect(third).toMatchObject({ name: "c", version: 3 });
      expect(third).not.toHaveProperty("draftVersion");
      expect(await stores.agents.publish(accountId, id, 4)).toBeUndefined();
    });

    test("versions are listed newest first, in pages, without their definitions", async () => {
      const { id } = await stores.agents.create(accountId, AGENT);
      for (const name of ["b", "c", "d"]) await add(id, { name });
      const first = await stores.agents.listVersions(accountId, id, { limit: 3 });
      expect([first?.versions.map(({ version }) => version), first?.more]).toEqual([[4, 3, 2], true]);
      expect(first?.versions[0]).not.toHaveProperty("definition");
      const rest = await stores.agents.listVersions(accountId, id, { limit: 3, beforeVersion: 2 });
      expect([rest?.versions.map(({ version }) => version), rest?.more]).toEqual([[1], false]);
    });

    test("A3: another account reaches neither an agent nor its versions", async () => {
      const { id } = await stores.agents.create(accountId, AGENT);
      const { agents } = stores;
      expect(await agents.addVersion(otherAccountId, id, { definition: AGENT, publish: true })).toBeUndefined();
      expect(await agents.publish(otherAccountId, id, 1)).toBeUndefined();
      expect(await agents.remove(otherAccountId, id)).toBeUndefined();
      expect(await agents.listVersions(otherAccountId, id, { limit: 1 })).toBeUndefined();
      expect(await agents.getVersion(otherAccountId, id, 1)).toBeUndefined();
      expect(await agents.get(accountId, id)).toMatchObject({ version: 1 });
    });

    test("a deleted agent is gone for all but the reading of its versions", async () => {
      const { id } = await stores.agents.create(accountId, AGENT);
      const other = await stores.agents.create(accountId, AGENT);
      expect(await stores.agents.remove(accountId, id)).toBe(true);
      expect(await stores.agents.remove(accountId, id)).toBeUndefined();
      expect(await stores.agents.get(accountId, id)).toBeUndefined();
      expect(await stores.agents.list(accountId, { limit: 9 })).toEqual({ agents: [other], more: false });
      expect(await stores.agents.count(accountId)).toBe(1);
      expect(await add(id, { name: "b" })).toBeUndefined();
      expect(await stores.agents.publish(accountId, id, 1)).toBeUndefined();
      expect(await numbersOf(id)).toEqual([1]);
      expect((await stores.agents.getVersion(accountId, id, 1))?.definition).toEqual(AGENT);
    });

    test("past the limit the oldest version that was never published makes room, and a number is not used again", async () => {
      const { id } = await stores.agents.create(accountId, AGENT);
      for (const publish of [false, false, true, false]) await add(id, { name: "b" }, { publish });
      expect(await numbersOf(id)).toEqual([5, 4, 3, 2, 1]);
      for (let version = 6; version <= AGENT_VERSIONS_MAX; version++) await add(id, { name: String(version) });
      expect(await add(id, { name: "one" }, { publish: false })).toMatchObject({ version: AGENT_VERSIONS_MAX + 1 });
      expect((await numbersOf(id))?.slice(-4)).toEqual([5, 4, 3, 1]);
      expect(await add(id, { name: "two" }, { publish: false })).toMatchObject({ version: AGENT_VERSIONS_MAX + 2 });
      expect((await numbersOf(id))?.slice(-4)).toEqual([6, 5, 4, 1]);
      // Version 5 was a draft; the newest drafts are the next ones to go, but for the current one.
      for (let count = 0; count < 3; count++) await add(id, { name: "more" });
      expect(await add(id, { name: "more" })).toEqual({ kind: "full" });
      expect(await numbersOf(id)).toHaveLength(AGENT_VERSIONS_MAX);
    }, 60_000);

    test("a list is filtered by a part of the name, by language and by voice", async () => {
      const make = (name: string, languageId: string, voiceId: string) =>
        stores.agents.create(accountId, { ...AGENT, name, languageId, voiceId });
      const one = await make("Front DESK \0", "en-US", "a");
      const two = await make("Café desk", "de", "b");
      await make("Kitchen", "de", "a");
      const namesOf = async (query: Partial<AgentQuery>) =>
        (await stores.agents.list(accountId, { limit: 9, ...query })).agents.map(({ name }) => name);
      expect(await namesOf({ name: "desk" })).toEqual([one.name, two.name]);
      expect(await namesOf({ name: "CAFE\u0301" })).toEqual([two.name]);
      expect(await namesOf({ name: "\0" })).toEqual([one.name]);
      expect(await namesOf({ name: "%" })).toEqual([]);
      expect(await namesOf({ languageId: "de" })).toEqual([two.name, "Kitchen"]);
      expect(await namesOf({ voiceId: "a", languageId: "de" })).toEqual(["Kitchen"]);
      expect(await stores.agents.list(accountId, { limit: 1, name: "desk" })).toMatchObject({ more: true });
      expect(await stores.agents.list(accountId, { limit: 1, name: "desk", afterAgentId: one.id })).toMatchObject({
        agents: [two],
        more: false,
      });
      expect(await stores.agents.list(otherAccountId, { limit: 9, name: "desk" })).toEqual({ agents: [], more: false });
    });

    test("a list gives no more large agents at once than a page can hold, and at least one", async () => {
      const large = { ...AGENT, basePrompt: "é".repeat(LIST_BYTES_MAX / 4) };
      for (let count = 0; count < 3; count++) await stores.agents.create(accountId, large);
      const { id } = await stores.agents.create(accountId, { ...AGENT, context: "x".repeat(LIST_BYTES_MAX + 1) });
      const seen: Agent[] = [];
      for (let more = true; more; ) {
        const page = await stores.agents.list(accountId, { limit: 9, afterAgentId: seen.at(-1)?.id });
        expect(page.agents).toHaveLength(1);
        seen.push(...page.agents);
        more = page.more;
      }
      expect([seen.length, seen.at(-1)?.id]).toEqual([4, id]);
    });
    test("agents survive a restart", async () => {
      const agent = await stores.agents.create(accountId, AGENT);
      await stores.close();
      stores = await under.open();
      expect(await stores.agents.list(accountId, { limit: 1 })).toEqual({ agents: [agent], more: false });
    });
  });
}
