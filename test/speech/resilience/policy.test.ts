import { strict as assert } from "node:assert";
import { expect, test } from "vitest";
import { spendLimited } from "../../../src/core/billing/spend.ts";
import { providerFailed } from "../../../src/core/errors.ts";
import type { ProviderObserver } from "../../../src/speech/contracts.ts";
import type { ItemMapping } from "../../../src/speech/resilience/policy.ts";
import { withPolicy } from "../../../src/speech/resilience/policy.ts";
import { ManualClock, sleep } from "../../support/manual-clock.ts";
import { breakerFor } from "../../support/providers/breakers.ts";

/** A provider that yields its words 100 ms apart, and one request to it under every rule. */
function scene(words: readonly string[], observer: Partial<ProviderObserver> = {}, mapping?: ItemMapping<string>) {
  const clock = new ManualClock();
  const { circuitBreaker, reports } = breakerFor("llm", "scripted", clock, 1);
  const permit = circuitBreaker.tryAcquire();
  assert.ok(permit !== undefined);
  const log: string[] = [];
  const abortController = new AbortController();
  async function* send(_request: string, signal: AbortSignal): AsyncGenerator<string> {
    log.push("sent");
    signal.addEventListener("abort", () => log.push("aborted"), { once: true });
    for (const word of words) {
      await sleep(clock, 100, signal);
      if (signal.aborted) return;
      if (word === "fail") throw providerFailed("scripted", "failed as scripted");
      yield word;
    }
    await sleep(clock, 3_600_000, signal);
  }
  const deadlines = { clock, firstContentMs: 300, idleMs: 300, totalMs: 10_000, isContent: () => true };
  const metering = () => {
    let characters = 0;
    return {
      estimate: { characters: 99 },
      count: (word: string) => {
        characters += word.length;
        return undefined;
      },
      used: () => ({ characters }),
    };
  };
  const items = withPolicy({ provider: "scripted", send }, { deadlines, metering, circuitBreaker }).request(
    "a question",
    abortController.signal,
    {
      failedOver: () => {},
      contextExceeded: () => {},
      responded: () => log.push("responded"),
      requesting: (_provider, { characters }) => log.push(`requesting ${characters}`),
      used: (_provider, { characters }) => log.push(`used ${characters}`),
      ...observer,
    },
    { permit, ...deadlines },
    mapping,
  );
  const read = async (readsMax = Number.POSITIVE_INFINITY): Promise<void> => {
    for await (const item of items) {
      log.push(item);
      readsMax -= 1;
      if (readsMax === 0) return;
    }
  };
  return { clock, circuitBreaker, reports, log, abortController, read };
}

test("a request that times out is billed, its stream is ended, and its permit is free again", async () => {
  const { clock, circuitBreaker, reports, log, read } = scene([]);
  await expect(clock.drive(read())).rejects.toThrow("scripted: did not start in time");
  expect(log).toEqual(["requesting 99", "sent", "used 0", "aborted"]);
  expect([reports, circuitBreaker.isAvailable, clock.pending]).toEqual([["registered", "provider_failed"], true, 0]);
});

test("a request that fails before any output is not billed, and one that fails later is billed for what was sent", async () => {
  const early = scene(["fail"]);
  await expect(early.clock.drive(early.read())).rejects.toThrow("failed as scripted");
  expect(early.log).toEqual(["requesting 99", "sent", "aborted"]);
  const late = scene(["two", "fail"]);
  await expect(late.clock.drive(late.read())).rejects.toThrow("failed as scripted");
  expect(late.log).toEqual(["requesting 99", "sent", "responded", "two", "used 3", "aborted"]);
});

test("a reader that stops early ends the provider's stream, which is billed once and counts as no failure", async () => {
  const { clock, circuitBreaker, reports, log, read } = scene(["one", "two", "three"]);
  await clock.drive(read(2));
  expect(log).toEqual(["requesting 99", "sent", "responded", "one", "two", "used 6", "aborted"]);
  expect([reports, circuitBreaker.isAvailable, clock.pending]).toEqual([["registered"], true, 0]);
});

test("an abort is billed at once, and later items are not read", async () => {
  const { clock, log, abortController, read } = scene(["one", "two"]);
  const reading = read();
  await clock.play(150);
  abortController.abort();
  expect(log.slice(2)).toEqual(["responded", "one", "used 3", "aborted"]);
  await reading;
  expect([log.length, clock.pending]).toEqual([6, 0]);
});

test("a request whose signal has aborted is neither sent nor billed", async () => {
  const { circuitBreaker, log, abortController, read } = scene(["one"]);
  abortController.abort();
  await read();
  expect([log, circuitBreaker.isAvailable]).toEqual([[], true]);
});

test("a request that a spend limit refuses is not sent, and is no failure of the provider", async () => {
  const refused = spendLimited({ scope: "call", limit: "cost" });
  const { circuitBreaker, reports, log, read } = scene(["one"], {
    requesting: () => {
      throw refused;
    },
  });
  await expect(read()).rejects.toBe(refused);
  expect([log, reports, circuitBreaker.isAvailable]).toEqual([[], ["registered"], true]);
});

test("items are mapped, and what the mapping rejects is a failure of the provider", async () => {
  const mapping = {
    map(word: string) {
      if (word === "two") throw providerFailed("scripted", "sent two");
      return word.toUpperCase();
    },
  };
  const { clock, reports, log, read } = scene(["one", "two"], {}, mapping);
  await expect(clock.drive(read())).rejects.toThrow("scripted: sent two");
  expect(log).toEqual(["requesting 99", "sent", "responded", "ONE", "used 6", "aborted"]);
  expect(reports).toEqual(["registered", "provider_failed"]);
});
