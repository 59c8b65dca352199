// @module-tag llm

import { setMaxListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { elapsedMs, millisecondsOf, monotonicMs } from "../../../src/core/clocks.ts";
import { providerFailed } from "../../../src/core/errors.ts";
import { asToolCallId } from "../../../src/core/ids.ts";
import {
  LLM_ANSWER_MS_MAX,
  LLM_FIRST_TOKEN_MS_MAX,
  LLM_IDLE_MS_MAX,
} from "../../../src/core/limits/speech-providers/llm.ts";
import {
  CIRCUIT_BREAKER_PROBE_MS,
  PROVIDER_FIRST_OUTPUT_MS_MAX,
} from "../../../src/core/limits/speech-providers/providers.ts";
import type { Llm, LlmEvent, LlmRequest } from "../../../src/speech/contracts.ts";
import { FallbackLlm } from "../../../src/speech/llm/fallback.ts";
import { refusalFrom } from "../../../src/speech/resilience/provider-error.ts";
import { llmContract } from "../../contract/speech/llm.ts";
import { ManualClock, sleep } from "../../support/manual-clock.ts";
import { breakerFor } from "../../support/providers/breakers.ts";
import { type LlmStep, ScriptedLlm, textReply } from "../../support/providers/scripted-llm.ts";

const REQUEST: LlmRequest = {
  messages: [{ role: "user", text: "When do you open?" }],
  tools: [],
  temperature: 0,
  language: "en-US",
};

llmContract("a fallback list of two, of which the first fails", async () => {
  const clock = new ManualClock();
  const llms = [
    new ScriptedLlm(clock, [[{ afterMs: 20, event: { kind: "fail" } }]]),
    new ScriptedLlm(clock, [textReply("We open at nine.", { firstMs: 200, perWordMs: 30 })]),
  ];
  return { llm: fallbackOf(clock, llms).llm, request: REQUEST, drive: (promise) => clock.drive(promise) };
});

/** An LLM that fails every request with `error` before any content. */
class Refusing implements Llm {
  readonly provider = "refusing";
  requestCount = 0;
  readonly #error: Error;

  constructor(error: Error) {
    this.#error = error;
  }

  // biome-ignore lint/correctness/useYield: it always throws first
  async *reply(): AsyncGenerator<LlmEvent> {
    this.requestCount += 1;
    throw this.#error;
  }
}

const replying = (clock: ManualClock, text = "We open at nine.") => new ScriptedLlm(clock, [textReply(text)]);
const playing = (clock: ManualClock, ...steps: LlmStep[]) => new ScriptedLlm(clock, [steps]);
const text = (sentText: string, afterMs = 0): LlmStep => ({ afterMs, event: { kind: "text", text: sentText } });
const fails = (afterMs = 0): LlmStep => ({ afterMs, event: { kind: "fail" } });

function fallbackOf(clock: ManualClock, llms: readonly Llm[]) {
  const candidates = llms.map((llm) => {
    const { circuitBreaker, reports } = breakerFor("llm", llm.provider, clock);
    return { llm, circuitBreaker, reports };
  });
  return { llm: new FallbackLlm(candidates, clock), reports: candidates.map(({ reports }) => reports) };
}

async function ask(clock: ManualClock, llm: Llm, request = REQUEST) {
  const events: LlmEvent[] = [];
  let atMs = Number.NaN;
  const run = async (): Promise<unknown> => {
    try {
      for await (const event of llm.reply(request, new AbortController().signal)) events.push(event);
      return undefined;
    } catch (error) {
      return error;
    } finally {
      atMs = millisecondsOf(clock.nowMs());
    }
  };
  const error = await clock.drive(run());
  const sentText = events.map((event) => (event.kind === "text" ? event.text : "")).join("");
  return { events, sentText, error, ended: events.at(-1)?.kind === "end", atMs };
}

describe("FallbackLlm", () => {
  test("P1: an unreachable provider is retried once, and then the next one replies", async () => {
    const clock = new ManualClock();
    const first = new Refusing(providerFailed("refusing", "could not be reached (ECONNREFUSED)"));
    const { sentText, ended } = await ask(clock, fallbackOf(clock, [first, replying(clock)]).llm);
    expect([sentText, ended, first.requestCount]).toEqual(["We open at nine.", true, 2]);
  });

  test("P2: a reply that never begins times out early enough for the next provider", async () => {
    const clock = new ManualClock();
    const { llm, reports } = fallbackOf(clock, [playing(clock, text("late", 3_600_000)), replying(clock)]);
    const { sentText, atMs } = await ask(clock, llm);
    expect([sentText, atMs]).toEqual(["We open at nine.", LLM_FIRST_TOKEN_MS_MAX]);
    expect(reports[0]).toEqual(["registered", "provider_failed"]);
  });

  test("P3: a reply that breaks off in the middle of a sentence is continued by the next provider, and no word is lost", async () => {
    const clock = new ManualClock();
    const second = replying(clock, "at nine, every day.");
    const { sentText, ended } = await ask(
      clock,
      fallbackOf(clock, [playing(clock, text("We"), text(" open"), fails(50)), second]).llm,
    );
    expect([sentText, ended]).toEqual(["We open at nine, every day.", true]);
    expect(second.requests[0]?.messages).toEqual([
      ...REQUEST.messages,
      { role: "assistant", text: "We open" },
      { role: "user", text: expect.stringContaining("Go on from exactly that point") },
    ]);
  });

  test("a reply that breaks off after a tool call is not continued, because further tool calls may be missing", async () => {
    const clock = new ManualClock();
    const tool: LlmStep = { afterMs: 0, event: { kind: "tool-call", id: "1", name: "hang_up", argumentsJson: "{}" } };
    const second = replying(clock);
    const { error } = await ask(clock, fallbackOf(clock, [playing(clock, tool, fails()), second]).llm);
    expect(error).toMatchObject({ code: "provider_failed" });
    expect(second.requests).toEqual([]);
  });

  test("P6: a reply that drips is ended by the deadline of the whole reply", async () => {
    const clock = new ManualClock();
    const drip = playing(clock, ...Array.from({ length: 1_000 }, () => text(".", 1_000)));
    const { error, atMs } = await ask(clock, fallbackOf(clock, [drip, replying(clock)]).llm);
    expect(error).toMatchObject({ code: "provider_failed" });
    expect(atMs).toBe(LLM_ANSWER_MS_MAX);
  });

  test("P8: the only provider is retried after its Retry-After, if that is soon", async () => {
    for (const [retryAfter, requestCount] of [
      ["0", 2],
      ["2", 2],
      ["3600", 1],
    ] as const) {
      const clock = new ManualClock();
      const busy = new Refusing(providerFailed("refusing", "refused with 429", refusalFrom(429, retryAfter)));
      const { error, atMs } = await ask(clock, fallbackOf(clock, [busy]).llm);
      expect(error).toMatchObject({ message: "refusing: refused with 429" });
      expect([busy.requestCount, atMs]).toEqual([requestCount, requestCount === 2 ? Number(retryAfter) * 1_000 : 0]);
    }
  });

  test("P8: a busy provider is not waited for while a fallback is available", async () => {
    const clock = new ManualClock();
    const busy = new Refusing(providerFailed("refusing", "refused with 503", refusalFrom(503, "1")));
    const { sentText, atMs } = await ask(clock, fallbackOf(clock, [busy, replying(clock)]).llm);
    expect([sentText, busy.requestCount, atMs]).toEqual(["We open at nine.", 1, 0]);
  });

  test("P16: a refused API key is not sent again, and the next provider replies", async () => {
    const clock = new ManualClock();
    const revoked = new Refusing(providerFailed("refusing", "refused with 401", refusalFrom(401)));
    const { sentText } = await ask(clock, fallbackOf(clock, [revoked, replying(clock)]).llm);
    expect([sentText, revoked.requestCount]).toEqual(["We open at nine.", 1]);
    expect((await ask(clock, fallbackOf(clock, [revoked]).llm)).error).toMatchObject({ code: "provider_failed" });
    expect(revoked.requestCount).toBe(2);
  });

  test("P12: an interrupted reply emits nothing more, and no fallback is requested", async () => {
    const clock = new ManualClock();
    const second = replying(clock);
    const { llm, reports } = fallbackOf(clock, [playing(clock, text("We", 100), fails(100)), second]);
    const abortController = new AbortController();
    const events: LlmEvent[] = [];
    const run = (async () => {
      for await (const event of llm.reply(REQUEST, abortController.signal)) events.push(event);
    })();
    await clock.play(150);
    abortController.abort();
    await clock.play(10_000);
    await run;
    expect([events.length, second.requests.length, clock.pending]).toEqual([1, 0, 0]);
    expect(reports).toEqual([["registered"], ["registered"]]);
  });

  test("an empty reply to a user message is a failure; after a tool result it is allowed", async () => {
    const nothing: readonly LlmStep[][] = [
      [{ afterMs: 0, event: { kind: "end", inputTokens: 9, outputTokens: 0 } }],
      [],
      [text("\n"), { afterMs: 0, event: { kind: "end", inputTokens: 9, outputTokens: 1 } }],
    ];
    for (const steps of nothing) {
      const clock = new ManualClock();
      const { llm, reports } = fallbackOf(clock, [playing(clock, ...steps), replying(clock)]);
      const { sentText, ended } = await ask(clock, llm);
      expect([sentText.trim(), ended]).toEqual(["We open at nine.", true]);
      expect(reports[0]).toContain("provider_failed");
      const alone = await ask(clock, fallbackOf(clock, [playing(clock, ...steps)]).llm);
      expect([alone.error, alone.ended]).toEqual([
        expect.objectContaining({ message: "scripted: sent an empty reply" }),
        false,
      ]);
      const request: LlmRequest = {
        ...REQUEST,
        messages: [...REQUEST.messages, { role: "tool", toolCallId: asToolCallId("1"), name: "hang_up", text: "{}" }],
      };
      expect((await ask(clock, fallbackOf(clock, [playing(clock, ...steps)]).llm, request)).error).toBeUndefined();
    }
  });

  test("deltas of a tool call's arguments extend the deadline, and are not emitted", async () => {
    const clock = new ManualClock();
    const written = Array.from({ length: 4 }, () => text("", LLM_FIRST_TOKEN_MS_MAX - 500));
    const tool: LlmStep = { afterMs: 100, event: { kind: "tool-call", id: "1", name: "book", argumentsJson: "{}" } };
    const end: LlmStep = { afterMs: 0, event: { kind: "end", inputTokens: 1, outputTokens: 1 } };
    const second = replying(clock);
    const { events } = await ask(clock, fallbackOf(clock, [playing(clock, ...written, tool, end), second]).llm);
    expect([events.map(({ kind }) => kind), second.requests]).toEqual([["tool-call", "end"], []]);
    const { sentText, atMs } = await ask(
      clock,
      fallbackOf(clock, [playing(clock, text("", 100), text("", 3_600_000)), second]).llm,
    );
    expect([sentText, second.requests.length]).toEqual(["We open at nine.", 1]);
    expect(atMs).toBeLessThan(4 * LLM_FIRST_TOKEN_MS_MAX + 100 + LLM_IDLE_MS_MAX + 200);
  });

  test("a request waits for an available provider until the deadline of the first content", async () => {
    const clock = new ManualClock();
    const { circuitBreaker } = breakerFor("llm", "scripted", clock, 1);
    const llm = new FallbackLlm([{ llm: replying(clock), circuitBreaker }], clock);
    const passage = circuitBreaker.tryAcquire();
    clock.after(3_000, () => passage?.release());
    const { sentText, atMs } = await ask(clock, llm);
    expect(sentText).toBe("We open at nine.");
    expect(atMs).toBeGreaterThanOrEqual(3_000);
    expect(atMs).toBeLessThanOrEqual(3_250);
    circuitBreaker.tryAcquire();
    const startMs = clock.nowMs();
    const refused = await ask(clock, llm);
    expect(refused.error).toMatchObject({ message: "scripted: stream limit reached" });
    expect(elapsedMs(startMs, monotonicMs(refused.atMs))).toBe(PROVIDER_FIRST_OUTPUT_MS_MAX);
    expect(clock.pending).toBe(0);
  });

  test("P15: 50 calls send at most one request a second to a provider that is down for ten minutes, and it recovers soon", async () => {
    const clock = new ManualClock();
    let isDead = true;
    const askedMs: number[] = [];
    const restartable: Llm = {
      provider: "mortal",
      async *reply() {
        askedMs.push(millisecondsOf(clock.nowMs()));
        if (isDead) throw providerFailed("mortal", "could not be reached (ECONNREFUSED)");
        yield { kind: "text", text: "We open at nine." };
        yield { kind: "end", inputTokens: 0, outputTokens: 0 };
      },
    };
    const { llm } = fallbackOf(clock, [restartable, replying(clock)]);
    const abortController = new AbortController();
    setMaxListeners(0, abortController.signal);
    const call = async (): Promise<void> => {
      while (!abortController.signal.aborted) {
        for await (const _ of llm.reply(REQUEST, abortController.signal));
        await sleep(clock, 700, abortController.signal);
      }
    };
    const calls = Array.from({ length: 50 }, call);
    await clock.play(600_000);
    // The first concurrent requests all fail alike.
    const stormMs = askedMs.filter((atMs) => atMs > 2_000);
    expect(stormMs.length).toBeLessThanOrEqual(600);
    expect(stormMs.length).toBeGreaterThan(100);
    for (const [index, atMs] of stormMs.entries()) {
      if (index > 0) expect(atMs - (stormMs[index - 1] as number)).toBeGreaterThanOrEqual(1_000);
    }
    isDead = false;
    const before = askedMs.length;
    await clock.play(CIRCUIT_BREAKER_PROBE_MS + 1_500);
    expect(askedMs.length - before).toBeGreaterThan(50);
    abortController.abort();
    await Promise.all(calls);
  });
});
