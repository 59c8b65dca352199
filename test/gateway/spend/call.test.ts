import { describe, expect, test } from "vitest";
import { readConfig } from "../../../src/config/config.ts";
import type { Prices } from "../../../src/core/billing/prices.ts";
import type { Spend, SpendSettings } from "../../../src/core/billing/spend.ts";
import { millisecondsOf } from "../../../src/core/clocks.ts";
import { asAccountId } from "../../../src/core/ids.ts";
import { Ticker } from "../../../src/gateway/event-loop/ticker.ts";
import { PhraseBook } from "../../../src/gateway/phrases/book.ts";
import { AccountSpends } from "../../../src/gateway/spend/account.ts";
import { compareJournal } from "../../../src/record/replay/comparison.ts";
import type { Llm, LlmRequest } from "../../../src/speech/contracts.ts";
import { FallbackLlm } from "../../../src/speech/llm/fallback.ts";
import { llmMetering, ttsMetering } from "../../../src/speech/metering/usage.ts";
import { TtsCache } from "../../../src/speech/tts/cache.ts";
import { FallbackTts } from "../../../src/speech/tts/fallback.ts";
import { type WebsocketLegOptions, websocketLeg } from "../../callers/websocket-leg.ts";
import { HOSTILE, type TokenizedText } from "../../support/calls/tokenized-texts.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { memoryLog } from "../../support/memory-log.ts";
import { readExposition, sampleOf } from "../../support/metrics/exposition.ts";
import { breakerFor, ttsWithBreaker } from "../../support/providers/breakers.ts";
import { type LlmStep, ScriptedLlm, textReply } from "../../support/providers/scripted-llm.ts";
import { ScriptedTts } from "../../support/providers/scripted-tts.ts";
import { NO_SPEND_LIMITS } from "../../support/stubs/no-limits.ts";

const REFUSED = "I cannot answer that right now.";
const GOODBYE = "We have to end this call now. Goodbye.";
/** Part of every request. */
const SYSTEM_PROMPT: TokenizedText = {
  name: "a long system prompt",
  text: "You answer the telephone of a bakery. ".repeat(850),
  tokens: 6_801,
};
const KNOWN_TEXTS = [SYSTEM_PROMPT, { name: "a question", text: "And then?", tokens: 3 }, ...HOSTILE];
const MINUTE_MS = 60_000;

const limited = (call: Partial<Spend>, action: SpendSettings["action"] = "refuse"): SpendSettings => ({
  ...NO_SPEND_LIMITS,
  action,
  call: { ...NO_SPEND_LIMITS.call, ...call },
});

interface SceneOptions extends Omit<WebsocketLegOptions, "llm" | "tts"> {
  reply?: readonly LlmStep[];
  /** The LLM reports how many tokens its tokenizer counted in the prompt, instead of what `reply` says. */
  reportsTokens?: boolean;
  /** Replaces the one LLM that replies. */
  llms?: (clock: ManualClock) => readonly Llm[];
}

/**
 * A call whose caller types, with metered providers at their prices; and when its LLM requests were sent, and their
 * sizes.
 */
function scene({ reply = textReply("I see."), reportsTokens = false, llms, spec, ...options }: SceneOptions) {
  const clock = new ManualClock();
  const llmRequests: { atMs: number; tokens: number }[] = [];
  const scripted = new ScriptedLlm(clock, [reply]);
  const watched = (llm: Llm): Llm => ({
    provider: llm.provider,
    async *reply(request, signal) {
      const tokens = tokensIn(request);
      llmRequests.push({ atMs: millisecondsOf(clock.nowMs()), tokens });
      for await (const event of llm.reply(request, signal)) {
        yield reportsTokens && event.kind === "end" ? { ...event, inputTokens: tokens } : event;
      }
    },
  });
  const chained = (llms?.(clock) ?? [scripted]).map((llm) => ({
    llm: watched(llm),
    metering: llmMetering(),
    ...breakerFor("llm", llm.provider, clock),
  }));
  const spoken = new ScriptedTts(clock);
  const call = websocketLeg({
    shared: { clock, ticker: new Ticker(clock) },
    llm: new FallbackLlm(chained, clock),
    tts: new FallbackTts(
      [{ ...ttsWithBreaker("scripted", spoken, clock), metering: ttsMetering }],
      new TtsCache(),
      clock,
    ),
    spec: { systemPrompt: "Be brief.", firstSpeaker: "user", tools: [], inactivityTimeoutMs: 300_000, ...spec },
    ...options,
  });
  return {
    ...call,
    llmRequests,
    chained,
    /** Types a text every `everyMs`, until `forMs` have passed or the call has ended. */
    async typing(everyMs: number, forMs: number, text = "And then?"): Promise<void> {
      for (let atMs = 0; atMs < forMs && call.done() === 0; atMs += everyMs) {
        call.type(text);
        await clock.play(everyMs);
      }
    },
    endReason: () => call.ends()[0]?.reason,
    said: () =>
      call
        .received("transcript")
        .filter(({ role, final }) => role === "agent" && final === true)
        .map(({ text }) => text),
    refused: async (labels: Readonly<Record<string, string>>) =>
      sampleOf(readExposition(await call.metrics.registry.metrics()), "trunkline_spend_refused_total", labels),
  };
}

/** The tokens of the texts that have been counted, as often as they occur in the prompt. */
const tokensIn = ({ messages }: LlmRequest): number =>
  messages
    .flatMap((message) => KNOWN_TEXTS.map(({ text, tokens }) => (message.text.split(text).length - 1) * tokens))
    .reduce((sum, tokens) => sum + tokens, 0);

/** The maximum requested within any minute. */
function worstMinute(llmRequests: readonly { atMs: number; tokens: number }[]): { requests: number; tokens: number } {
  const minutes = llmRequests.map(({ atMs }) =>
    llmRequests.filter((one) => one.atMs >= atMs && one.atMs < atMs + MINUTE_MS),
  );
  return {
    requests: Math.max(0, ...minutes.map((minute) => minute.length)),
    tokens: Math.max(0, ...minutes.map((minute) => minute.reduce((sum, { tokens }) => sum + tokens, 0))),
  };
}

describe("ADV-H3: with the limits of a fresh install", () => {
  test.each([
    ["as fast as it may", 200, 90_000, "spend_limit"],
    ["slowly enough for its turns not to be refused in a row", 5_500, 300_000, undefined],
  ])("a caller who types %s causes under 20 requests and 100,000 tokens a minute", async (_, everyMs, forMs, reason) => {
    const call = scene({
      spend: readConfig({}).spend,
      spec: { systemPrompt: SYSTEM_PROMPT.text },
      reportsTokens: true,
    });
    await call.typing(everyMs, forMs);
    const { requests, tokens } = worstMinute(call.llmRequests);
    expect(requests).toBeLessThan(20);
    expect(tokens).toBeGreaterThan(40_000);
    expect(tokens).toBeLessThan(100_000);
    expect([call.llmRequests.length > 5, call.endReason()]).toEqual([true, reason]);
  });

  test.each(HOSTILE)("a caller who types $name and interrupts each answer is charged nearly what that takes", async ({
    text,
  }) => {
    // Aborted requests are never reported, so only the estimates count.
    const never: LlmStep[] = [{ afterMs: 60_000, event: { kind: "text", text: "Late." } }];
    const call = scene({ spend: readConfig({}).spend, reply: never });
    await call.typing(900, 3_600, text);
    await call.typing(900, 16_000);
    const { requests, tokens } = worstMinute(call.llmRequests);
    expect(requests).toBeLessThan(20);
    expect(tokens).toBeLessThan(100_000);
    expect(tokens).toBeGreaterThan(10_000);
  });

  test("a caller who types a prompt of one word causes no more requests either", async () => {
    const call = scene({ spend: readConfig({}).spend });
    await call.typing(200, 90_000);
    expect([worstMinute(call.llmRequests).requests, call.endReason()]).toEqual([18, "spend_limit"]);
  });
});

describe("ADV-H3: a call that reaches a limit", () => {
  test("says so and ends with spend_limit, where that is configured", async () => {
    const call = scene({ spend: limited({ llm_requests: 1 }, "end") });
    await call.typing(3_000, 30_000);
    expect([call.llmRequests.length, call.endReason()]).toEqual([1, "spend_limit"]);
    expect(call.said()).toEqual(["I see.", `${REFUSED} ${GOODBYE}`]);
    expect(call.received("ended")).toMatchObject([{ reason: "spend_limit" }]);
    expect(await call.refused({ scope: "call", limit: "llm_requests" })).toBe(1);
    expect(call.logged.some((line) => line.includes("spend limit reached"))).toBe(true);
  });

  test("says so and continues, where turns are refused, and answers again after a minute", async () => {
    const call = scene({ spend: limited({ llm_requests: 1 }) });
    await call.typing(5_000, 10_000);
    await call.clock.play(MINUTE_MS);
    await call.typing(5_000, 5_000);
    expect(call.said()).toEqual(["I see.", REFUSED, "I see."]);
    expect(call.endReason()).toBeUndefined();
  });

  test("ends at the fifth refused turn in a row", async () => {
    const call = scene({ spend: limited({ llm_requests: 0 }) });
    await call.typing(4_000, 60_000);
    expect(call.said()).toEqual([...Array<string>(4).fill(REFUSED), `${REFUSED} ${GOODBYE}`]);
    expect([call.llmRequests.length, call.endReason()]).toEqual([0, "spend_limit"]);
  });

  test("sends no request whose estimated prompt would exceed the tokens", async () => {
    const short = scene({ spend: limited({ input_tokens: 200 }), spec: { systemPrompt: "Be brief. ".repeat(30) } });
    const long = scene({ spend: limited({ input_tokens: 200 }), spec: { systemPrompt: "ꀕ".repeat(70) } });
    for (const call of [short, long]) await call.typing(3_000, 3_000, "Hi?");
    expect([short.llmRequests.length, long.llmRequests.length]).toEqual([1, 0]);
    expect(await long.refused({ scope: "call", limit: "input_tokens" })).toBe(1);
  });

  test("counts what the provider reports beyond the estimate, and its output", async () => {
    const dear: LlmStep[] = [
      { afterMs: 0, event: { kind: "text", text: "Yes." } },
      { afterMs: 0, event: { kind: "end", inputTokens: 90, outputTokens: 50 } },
    ];
    const input = scene({ reply: dear, spend: limited({ input_tokens: 95 }) });
    const output = scene({ reply: dear, spend: limited({ output_tokens: 50 }) });
    for (const call of [input, output]) {
      await call.typing(3_000, 6_000);
      expect(call.llmRequests).toHaveLength(1);
    }
  });

  test("counts the provider's report in place of a higher estimate, and the estimate without a report", async () => {
    const reporting = (inputTokens: number): LlmStep[] => [
      { afterMs: 0, event: { kind: "text", text: "Yes." } },
      { afterMs: 0, event: { kind: "end", inputTokens, outputTokens: inputTokens } },
    ];
    const spec = { systemPrompt: "Be brief. ".repeat(30) };
    const spend = limited({ input_tokens: 200 });
    const [reported, unreported] = [
      scene({ reply: reporting(1), spend, spec }),
      scene({ reply: reporting(0), spend, spec }),
    ];
    for (const call of [reported, unreported]) await call.typing(3_000, 12_000);
    expect(reported.llmRequests.length).toBeGreaterThan(2);
    expect(unreported.llmRequests).toHaveLength(1);
  });

  test("counts each attempt: a retry, a failover, and a request after a tool result", async () => {
    const fails: LlmStep[] = [{ afterMs: 10, event: { kind: "fail" } }];
    const named = (provider: string, clock: ManualClock, steps: readonly LlmStep[]): Llm => {
      const llm = new ScriptedLlm(clock, [steps]);
      return { provider, reply: (request, signal) => llm.reply(request, signal) };
    };
    const failing = scene({
      spend: limited({ llm_requests: 2 }),
      llms: (clock) => [named("failing", clock, fails), named("other", clock, textReply("I see."))],
    });
    await failing.typing(5_000, 5_000);
    // Two attempts with the first; the second gets no request, and no failure is attributed to it.
    expect([failing.llmRequests.length, failing.said()]).toEqual([2, [REFUSED]]);
    expect(failing.chained.map(({ reports }) => reports)).toEqual([
      ["registered", "provider_failed", "provider_failed"],
      ["registered"],
    ]);
    const usingTools = scene({
      spend: limited({ llm_requests: 3 }),
      reply: textReply("Wait.", { tool: "switch_language" }),
      spec: { tools: [{ kind: "built_in", name: "switch_language", fixedArguments: {} }] },
    });
    await usingTools.typing(10_000, 10_000);
    expect([usingTools.llmRequests.length, usingTools.said().at(-1)]).toEqual([3, REFUSED]);
  });

  test("speaks no more of the LLM's words than the allowed characters, but always the service phrase", async () => {
    const call = scene({
      reply: textReply("One sentence. And a second one that is long."),
      spend: limited({ tts_characters: 20 }),
    });
    await call.typing(8_000, 8_000);
    expect(call.said().at(-1)).toBe(REFUSED);
    expect(await call.refused({ scope: "call", limit: "tts_characters" })).toBe(1);
  });

  test("is replayed from its journal to the last command", async () => {
    const call = scene({ spend: limited({ llm_requests: 2 }) });
    await call.typing(2_000, 60_000);
    expect(call.endReason()).toBe("spend_limit");
    await expect.poll(() => call.done()).toBe(1);
    const { difference, commands } = await compareJournal(call.journalPath);
    expect([difference, commands > 20]).toEqual([undefined, true]);
  });
});

describe("ADV-H3: a call with maxCost", () => {
  const prices: Prices = {
    currency: "USD",
    perUnit: new Map([["scripted", { inputTokens: 0.001, outputTokens: 0.01, characters: 0 }]]),
  };
  const reply: LlmStep[] = [
    { afterMs: 0, event: { kind: "text", text: "Yes." } },
    { afterMs: 0, event: { kind: "end", inputTokens: 10, outputTokens: 1 } },
  ];

  test("ends with spend_limit once it has cost as much, whatever is configured for turns", async () => {
    const dear = reply.map((step) =>
      step.event.kind === "end" ? { ...step, event: { ...step.event, outputTokens: 9 } } : step,
    );
    const call = scene({ reply: dear, prices, spend: limited({}), spec: { maxCost: 0.2 } });
    await call.typing(4_000, 60_000);
    // 0.1 each: the second makes it 0.2.
    expect([call.llmRequests.length, call.endReason()]).toEqual([2, "spend_limit"]);
  });

  test("sends no request whose prompt would exceed it", async () => {
    const call = scene({ reply, prices, spend: limited({}), spec: { maxCost: 0.04, systemPrompt: "x".repeat(200) } });
    await call.typing(4_000, 60_000);
    expect([call.llmRequests.length, call.endReason()]).toEqual([0, "spend_limit"]);
    expect(await call.refused({ scope: "call", limit: "cost" })).toBe(1);
  });

  test("is ended by units that have a price, whatever other units have none", async () => {
    const inputOnly: Prices = { ...prices, perUnit: new Map([["scripted", { inputTokens: 0.001 }]]) };
    const call = scene({ reply, prices: inputOnly, spend: limited({}), spec: { maxCost: 0.2 } });
    await call.typing(4_000, 120_000);
    // 0.01 each, and the estimate of the next must not make it more than 0.2.
    expect(call.llmRequests.length).toBeGreaterThan(3);
    expect([call.llmRequests.length < 20, call.endReason()]).toEqual([true, "spend_limit"]);
  });
});

/** Phrases that are translated for each call. */
const translatingPhrases = (): PhraseBook =>
  new PhraseBook({
    overrides: {},
    cache: { read: async () => undefined, write: async () => {} },
    metrics: { providerUsed: () => {} },
    clock: new ManualClock(),
    log: memoryLog().log,
  });

test("ADV-H3: a translation of service phrases that reaches the maximum cost of a call ends the call", async () => {
  const prices: Prices = {
    currency: "USD",
    perUnit: new Map([["scripted", { inputTokens: 0, outputTokens: 0.01, characters: 0 }]]),
  };
  const call = scene({
    phrases: translatingPhrases(),
    prices,
    spend: limited({}),
    spec: { language: "sw", maxCost: 0.02 },
  });
  await call.clock.play(10_000);
  // "I see." has cost 0.02, and the only request was the translation.
  expect([call.llmRequests.length, call.endReason()]).toEqual([1, "spend_limit"]);
});

describe("ADV-H3: an account", () => {
  const settings: SpendSettings = { ...NO_SPEND_LIMITS, account: { ...NO_SPEND_LIMITS.account, llm_requests: 3 } };

  test("may not send more requests with two calls than with one", async () => {
    const clock = new ManualClock();
    const accounts = new AccountSpends({ limits: settings.account, clock });
    const first = scene({ spend: settings, accounts });
    const second = scene({ spend: settings, accounts });
    for (const call of [first, second, first, second]) await call.typing(3_000, 3_000);
    expect(first.llmRequests.length + second.llmRequests.length).toBe(3);
    expect(await second.refused({ scope: "account", limit: "llm_requests" })).toBe(1);
  });

  test("may send none while the control process reports that it has reached a limit over all workers", async () => {
    const accounts = new AccountSpends({ limits: settings.account, clock: new ManualClock() });
    const call = scene({ spend: settings, accounts });
    const accountId = asAccountId("account_01980000-0000-7000-8000-000000000002");
    accounts.setExceeded([{ accountId, limit: "llm_requests" }]);
    await call.typing(3_000, 3_000);
    accounts.setExceeded([]);
    await call.typing(3_000, 3_000);
    expect([call.llmRequests.length, call.said()]).toEqual([1, [REFUSED, "I see."]]);
  });
});

test("ADV-H3: a translation of service phrases is charged to the call that it is made for", async () => {
  const call = scene({ phrases: translatingPhrases(), spend: limited({ llm_requests: 1 }), spec: { language: "sw" } });
  await call.typing(3_000, 3_000);
  expect(call.llmRequests).toHaveLength(1);
  expect(await call.refused({ scope: "call", limit: "llm_requests" })).toBe(1);
});
