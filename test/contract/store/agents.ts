import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type AccountId, type AgentId, asAgentId } from "../../../src/core/ids.ts";
import type { Agent, NewAgent } from "../../../src/store/agent-store.ts";
import type { Stores } from "../../../src/store/stores.ts";
import type { StoresUnderTest } from "./calls.ts";

const AGENT: NewAgent = {
  name: "Front desk",
  basePrompt: "You answer the telephone.",
  context: "The house opens at six.",
  customInstructions: "",
  languageId: "en-US",
  voiceId: "espeak/gmw/en-US",
  callSettings: { maxDuration: 600, selectedTools: [{ toolName: "hang_up" }] },
  toolIds: [],
  corpusIds: ["corpus_1"],
};

/** What every AgentStore must do. */
export function agentStoreContract(name: string, make: () => StoresUnderTest): void {
  describe(`AgentStore contract: ${name}`, () => {
    let under: StoresUnderTest;
    let stores: Stores;
    let accountId: AccountId;
    let otherAccountId: AccountId;

    beforeEach(async () => {
      under = make();
      stores = await under.open();
      accountId = await stores.accounts.ensure("first");
      otherAccountId = await stores.accounts.ensure("second");
    });
    afterEach(() => stores.close());

    test("an agent is stored as it was created, and only its account can read it", async () => {
      const agent = await stores.agents.create(accountId, AGENT);
      const nowMs = under.clock.epochMs();
      expect(agent).toEqual({
        ...AGENT,
        id: expect.stringMatching(/^agent_[0-9a-f-]{36}$/),
        accountId,
        createdAtMs: nowMs,
        updatedAtMs: nowMs,
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

    test("agents survive a restart", async () => {
      const agent = await stores.agents.create(accountId, AGENT);
      await stores.close();
      stores = await under.open();
      expect(await stores.agents.list(accountId, { limit: 1 })).toEqual({ agents: [agent], more: false });
    });
  });
}
