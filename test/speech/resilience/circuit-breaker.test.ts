// @module-tag stt
// @module-tag llm
// @module-tag tts

import { expect, test } from "vitest";
import { providerFailed } from "../../../src/core/errors.ts";
import {
  CIRCUIT_BREAKER_FAILURES_MAX,
  CIRCUIT_BREAKER_PROBE_MS,
} from "../../../src/core/limits/speech-providers/providers.ts";
import type { CircuitBreaker } from "../../../src/speech/resilience/circuit-breaker.ts";
import { isRequestError, refusalFrom, retryDelayMs, TIMED_OUT } from "../../../src/speech/resilience/provider-error.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { breakerFor } from "../../support/providers/breakers.ts";

const FAILURE = providerFailed("scripted", "failed as scripted");

/** Streams fail one after the other until the circuit breaker opens. */
function failUntilShut(breaker: CircuitBreaker): number {
  let failures = 0;
  for (let passage = breaker.tryAcquire(); passage !== undefined; passage = breaker.tryAcquire()) {
    passage.failed(FAILURE);
    passage.release();
    failures += 1;
  }
  return failures;
}

test("P15: the circuit breaker opens after consecutive failures, admits probes, and closes with the first response", () => {
  const clock = new ManualClock();
  const { circuitBreaker: breaker, reports } = breakerFor("llm", "scripted", clock);
  expect(failUntilShut(breaker)).toBe(CIRCUIT_BREAKER_FAILURES_MAX);
  clock.advance(CIRCUIT_BREAKER_PROBE_MS - 1);
  expect(breaker.isAvailable).toBe(false);
  expect(breaker.unavailableError()).toMatchObject({
    code: "provider_failed",
    message: "scripted: circuit breaker is open",
  });
  clock.advance(1);
  const failing = breaker.tryAcquire();
  expect(breaker.tryAcquire()).toBeUndefined();
  failing?.failed(FAILURE);
  failing?.release();
  clock.advance(CIRCUIT_BREAKER_PROBE_MS);
  // A hanging probe does not block the next one.
  const hanging = breaker.tryAcquire();
  expect(breaker.tryAcquire()).toBeUndefined();
  clock.advance(CIRCUIT_BREAKER_PROBE_MS);
  breaker.tryAcquire()?.succeeded();
  expect(breaker.isAvailable).toBe(true);
  hanging?.release();
  const failures = Array.from({ length: CIRCUIT_BREAKER_FAILURES_MAX }, () => "provider_failed");
  expect(reports).toEqual(["registered", ...failures, "open", "provider_failed", "closed"]);
});

test("concurrent streams that fail together count as one failure, and a response resets the count", () => {
  const { circuitBreaker: breaker, reports } = breakerFor("tts", "scripted", new ManualClock());
  const together = Array.from({ length: 10 }, () => breaker.tryAcquire());
  for (const passage of together) passage?.failed(FAILURE);
  expect(breaker.isAvailable).toBe(true);
  expect(reports.filter((what) => what === "provider_failed")).toHaveLength(10);
  breaker.tryAcquire()?.succeeded();
  expect(failUntilShut(breaker)).toBe(CIRCUIT_BREAKER_FAILURES_MAX);
});

test("the outcome of a stream from before a failure does not change the circuit breaker", () => {
  const { circuitBreaker: breaker } = breakerFor("tts", "scripted", new ManualClock());
  const before = breaker.tryAcquire();
  for (let failure = 1; failure < CIRCUIT_BREAKER_FAILURES_MAX; failure += 1) breaker.tryAcquire()?.failed(FAILURE);
  before?.succeeded();
  breaker.tryAcquire()?.failed(FAILURE);
  expect(breaker.isAvailable).toBe(false);
  before?.succeeded();
  expect(breaker.isAvailable).toBe(false);
});

test("a refused request does not count as a failure", () => {
  const { circuitBreaker: breaker } = breakerFor("llm", "scripted", new ManualClock());
  for (let request = 0; request < 10; request += 1) {
    breaker.tryAcquire()?.failed(providerFailed("scripted", "refused with 400", refusalFrom(400)));
  }
  expect(breaker.isAvailable).toBe(true);
});

test("concurrent streams are limited, and a released permit is free once", () => {
  const { circuitBreaker: breaker } = breakerFor("stt", "scripted", new ManualClock(), 2);
  const first = breaker.tryAcquire();
  breaker.tryAcquire();
  expect(breaker.tryAcquire()).toBeUndefined();
  expect(breaker.unavailableError().message).toBe("scripted: stream limit reached");
  first?.release();
  first?.release();
  expect(breaker.tryAcquire()).toBeDefined();
  expect(breaker.tryAcquire()).toBeUndefined();
});

test.each<[name: string, cause: unknown, waitMs: number | undefined, ofRequest: boolean]>([
  ["P8: a failed connection is retried at once", undefined, 0, false],
  ["P8: a 429 after its Retry-After", refusalFrom(429, "2"), 2_000, false],
  ["P8: a 503 without Retry-After after our default delay", refusalFrom(503), 250, false],
  ["P8: a 529 with an invalid Retry-After after our default delay", refusalFrom(529, "soon"), 250, false],
  ["P8: a 400 never", refusalFrom(400), undefined, true],
  ["P16: a 401 never", refusalFrom(401), undefined, false],
  ["P8: a redirect never", refusalFrom(301), undefined, false],
  ["P2: a timeout never, because a retry would wait as long again", TIMED_OUT, undefined, false],
])("%s", (_name, cause, waitMs, ofRequest) => {
  const error = providerFailed("scripted", "failed", cause);
  expect([retryDelayMs(error), isRequestError(error)]).toEqual([waitMs, ofRequest]);
});
