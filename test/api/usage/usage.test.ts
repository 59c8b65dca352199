import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ProviderUsage } from "../../../src/core/billing/prices.ts";
import { addMs } from "../../../src/core/clocks.ts";
import { asAgentId, asCallId, asTranscriptionId } from "../../../src/core/ids.ts";
import { USAGE_CALLS_MAX, USAGE_GROUPS_MAX } from "../../../src/core/limits/accounts/usage.ts";
import type { CallUsage, TranscriptionUsage } from "../../../src/store/accounts/usage-store.ts";
import { type Answer, type ApiUnderTest, apiUnderTest, errorOf, pathsOf } from "../../support/api/harness.ts";

const DAY_MS = 86_400_000;

let api: ApiUnderTest;
/** What the store has of the account, in the order of the list. */
let calls: CallUsage[];
let transcriptions: TranscriptionUsage[];
beforeEach(async () => {
  api = await apiUnderTest();
  calls = [];
  transcriptions = [];
  api.stores.usage.listTranscribed = async () => transcriptions;
  // Noon.
  api.clock.advance(DAY_MS / 2);
  api.stores.usage.listEnded = async (_accountId, { endedFromMs, endedBeforeMs, after, limit }) => {
    const from = after === undefined ? 0 : calls.findIndex(({ id }) => id === after.id) + 1;
    return calls
      .slice(from)
      .filter(({ endedAtMs }) => endedAtMs >= endedFromMs && endedAtMs < endedBeforeMs)
      .slice(0, limit);
  };
});
afterEach(() => api.close());

const part = (provider: string, cost: number | null): ProviderUsage => ({ stage: "llm", provider, cost });

/** A call of `minutes` that ended so long ago. */
function ended(agoMs: number, minutes: number, more: Partial<CallUsage> = {}): void {
  const id = asCallId(`call_${String(calls.length).padStart(9, "0")}`);
  calls.push({ id, endedAtMs: addMs(api.clock.epochMs(), -agoMs), durationMs: minutes * 60_000, usage: [], ...more });
}

const get = (query = ""): Promise<Answer> => api.get(`/api/v1/usage${query}`);
const groups = async (query: string): Promise<unknown> => ((await get(query)).body as { data: unknown }).data;

describe("GET /usage", () => {
  test("adds up calls, minutes and cost by day, agent and provider, and by any of them alone", async () => {
    const usd = (total: number, complete = true) => ({ currency: "USD", total, complete });
    const agentId = asAgentId("agent_1");
    const both = [part("openai", 0.25), part("espeak", 0), part("openai", 0.25)];
    ended(DAY_MS, 1.5, { agentId, usage: both, cost: usd(0.5) });
    ended(1_000, 2, { agentId, usage: [part("openai", 1)], cost: usd(1) });
    ended(500, 0.5, { usage: [part("deepgram", null)], cost: usd(0, false) });
    const [yesterday, today] = [DAY_MS, 0].map((agoMs) =>
      new Date(Number(api.clock.epochMs()) - agoMs).toISOString().slice(0, 10),
    );
    expect(await groups("?groupBy=day")).toMatchObject([
      { day: yesterday, calls: 1, minutes: 1.5, costs: [{ currency: "USD", total: 0.5 }], costComplete: true },
      { day: today, calls: 2, minutes: 2.5, costs: [{ currency: "USD", total: 1 }], costComplete: false },
    ]);
    expect(await groups("?groupBy=agent")).toMatchObject([
      { agentId: "agent_1", calls: 2, minutes: 3.5, costs: [{ currency: "USD", total: 1.5 }], costComplete: true },
      { agentId: null, calls: 1, minutes: 0.5, costs: [{ currency: "USD", total: 0 }], costComplete: false },
    ]);
    expect(await groups("?groupBy=provider")).toMatchObject([
      { provider: "deepgram", calls: 1, minutes: 0.5, costs: [{ currency: "USD", total: 0 }], costComplete: false },
      { provider: "espeak", calls: 1, minutes: 1.5, costs: [{ currency: "USD", total: 0 }], costComplete: true },
      { provider: "openai", calls: 2, minutes: 3.5, costs: [{ currency: "USD", total: 1.5 }], costComplete: true },
    ]);
    expect(await groups("?groupBy=day,agent,provider")).toHaveLength(4);
    expect(await groups("")).toEqual(await groups("?groupBy=day"));
  });

  test("transcriptions are counted beside calls, without an agent, with the cost of present prices", async () => {
    ended(1_000, 2, {
      agentId: asAgentId("agent_1"),
      usage: [part("deepgram", 1)],
      cost: { currency: "USD", total: 1, complete: true },
    });
    transcriptions = [
      {
        id: asTranscriptionId("transcription_1"),
        endedAtMs: addMs(api.clock.epochMs(), -500),
        durationMs: 90_000,
        usage: [{ provider: "deepgram", audioSeconds: 90 }],
      },
    ];
    const both = { calls: 1, minutes: 2, transcriptions: 1, transcribedMinutes: 1.5, costComplete: true };
    const costs = [{ currency: "USD", total: 1.009 }];
    expect(await groups("")).toMatchObject([{ ...both, costs }]);
    expect(await groups("?groupBy=provider")).toMatchObject([{ provider: "deepgram", ...both, costs }]);
    expect(await groups("?groupBy=agent")).toMatchObject([
      { agentId: "agent_1", calls: 1, transcriptions: 0, transcribedMinutes: 0 },
      { agentId: null, calls: 0, minutes: 0, transcriptions: 1, transcribedMinutes: 1.5 },
    ]);
  });

  test("costs of two currencies are not added up, and without prices there are none", async () => {
    ended(3, 1, { usage: [part("openai", 2)], cost: { currency: "USD", total: 2, complete: true } });
    ended(2, 1, { usage: [part("openai", 3)], cost: { currency: "EUR", total: 3, complete: true } });
    const costs = [
      { currency: "USD", total: 2 },
      { currency: "EUR", total: 3 },
    ];
    expect(await groups("?groupBy=provider")).toMatchObject([
      { provider: "openai", calls: 2, minutes: 2, costs, costComplete: true },
    ]);
    calls = [];
    ended(1, 1, { usage: [part("openai", null)] });
    expect(await groups("")).toMatchObject([{ calls: 1, costs: [], costComplete: false }]);
  });

  test("the range is the last 30 days unless it is given, and it is what the answer says", async () => {
    ended(31 * DAY_MS, 1);
    ended(29 * DAY_MS, 1);
    const { from, to, data } = (await get()).body as { from: string; to: string; data: unknown[] };
    expect([Date.parse(to) - Date.parse(from), data.length]).toEqual([30 * DAY_MS, 1]);
    const older = new Date(Number(api.clock.epochMs()) - 40 * DAY_MS).toISOString();
    expect(await groups(`?from=${older}`)).toHaveLength(2);
  });

  test("a wrong range, a wrong grouping and an unknown parameter are 400 with their names", async () => {
    for (const [query, paths] of [
      ["?groupBy=week", ["/groupBy"]],
      ["?groupBy=day,day", ["/groupBy"]],
      ["?from=yesterday", ["/from"]],
      ["?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z", ["/from"]],
      ["?from=2020-01-01T00:00:00Z&to=2026-01-01T00:00:00Z", ["/from"]],
    ] as const) {
      const answer = await get(query);
      expect([answer.status, pathsOf(answer)], query).toEqual([400, paths]);
    }
    expect((await get("?nonsense=1")).status).toBe(400);
  });

  test("a range with too many calls or groups is refused instead of being cut", async () => {
    for (let count = 0; count <= USAGE_CALLS_MAX; count += 1) ended(1, 1);
    const answer = await get();
    expect([answer.status, errorOf(answer).message]).toEqual([
      400,
      expect.stringContaining(`more than ${USAGE_CALLS_MAX} calls`),
    ]);
    calls = [];
    for (let count = 0; count <= USAGE_GROUPS_MAX; count += 1) ended(1, 1, { agentId: asAgentId(`agent_${count}`) });
    expect((await get("?groupBy=agent")).status).toBe(400);
    expect((await get("?groupBy=day")).status).toBe(200);
  });
});
