import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { NewAgent } from "../../src/store/agent-store.ts";
import type { Stores } from "../../src/store/stores.ts";
import type { StoresUnderTest } from "./call-store-contract.ts";

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
    let accountId: string;

    beforeEach(async () => {
      under = make();
      stores = await under.open();
      accountId = await stores.accounts.ensure("first");
    });
    afterEach(() => stores.close());

    test("lists an account's agents as they were made, oldest first, and nobody else's", async () => {
      const stranger = await stores.accounts.ensure("second");
      expect(await stores.agents.list(accountId)).toEqual([]);
      const first = await stores.agents.create(accountId, AGENT);
      const second = await stores.agents.create(accountId, { ...AGENT, name: "Night desk" });
      const nowMs = under.clock.epochMs();
      expect(first).toEqual({
        ...AGENT,
        id: expect.stringMatching(/^agent_[0-9a-f-]{36}$/),
        accountId,
        createdAtMs: nowMs,
        updatedAtMs: nowMs,
      });
      expect(await stores.agents.list(accountId)).toEqual([first, second]);
      expect(await stores.agents.list(stranger)).toEqual([]);
    });

    test("agents survive a restart", async () => {
      const agent = await stores.agents.create(accountId, AGENT);
      await stores.close();
      stores = await under.open();
      expect(await stores.agents.list(accountId)).toEqual([agent]);
    });
  });
}
