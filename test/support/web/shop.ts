import { asAgentId } from "../../../src/core/ids.ts";
import { type Service, withStores } from "../services/service.ts";

/** What the agent of the shop says at first, and then to everything. */
export const GREETING = "Hello, this is the bakery.";
export const ANSWER = "The bakery is closed on Monday.";

const LIMITS = {
  ...{ startsPerMinute: 60, startsPerMinutePerAddress: 60, concurrentCalls: 20, concurrentCallsPerAddress: 20 },
  ...{ maxCostPerDay: null, maxCostPerDayPerAddress: null },
};

/** The agent that pages of a customer call; its id. */
export async function makeShopAgent(service: Service): Promise<string> {
  const agent = await service.api<{ id: string }>("POST", "/agents", {
    name: "Shop",
    basePrompt: ANSWER,
    languageId: "en-US",
    voiceId: "reference/gmw/en-US",
    callSettings: { greeting: GREETING },
  });
  return agent.body.id;
}

/** A publishable key for calls of this agent from pages of these origins. */
export async function makeShopKey(service: Service, agentId: string, origins: readonly string[]): Promise<string> {
  const { key } = await withStores(service.dataDir, ({ publishableKeys }, accountId) =>
    publishableKeys.create({ accountId, name: "shop", agentIds: [asAgentId(agentId)], origins, limits: LIMITS }),
  );
  return key;
}

/** Chromium reports the answer that the service has no WebRTC. */
export const withoutWebrtcRefusal = (errors: readonly string[]): string[] =>
  errors.filter((text) => !text.includes("501"));
