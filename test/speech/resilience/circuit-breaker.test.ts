import { expect, test } from "vitest";
import { providerFailed } from "../../../src/core/errors.ts";
import { CIRCUIT_BREAKER_FAILURES_MAX, CIRCUIT_BREAKER_PROBE_MS } from "../../../src/core/limits/providers.ts";
import type { CircuitBreaker } from "../../../src/speech/resilience/circuit-breaker.ts";
import { isRequestError, refusalFrom, retryDelayMs, TIMED_OUT } from "../../../src/speech/resilience/provider-error.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { breakerFor } from "../../support/providers/breakers.ts";

const FAILURE = providerFailed("scripted", "failed as scripted");

/** Streams fail one after the other until the circuit breaker opens. */
function failUntilShut(line: CircuitBreaker): number {
  let failures = 0;
  for (let passage = line.tryAcquire(); passage !== undefined; passage = line.tryAcquire()) {
    passage.failed(FAILURE);
    passage.release();
    failures += 1;
  }
  return failures;
}

test("P15: the circuit breaker opens after consecutive failures, admits probes, and closes with the first response", () => {
  const clock = new ManualClock();
  const { circuitBreaker: line, told } = breakerFor("llm", "scripted", clock);
  expect(failUntilShut(line)).toBe(CIRCUIT_BREAKER_FAILURES_MAX);
  clock.advance(CIRCUIT_BREAKER_PROBE_MS - 1);
  expect(line.isAvailable).toBe(false);
  expect(line.unavailableError()).toMatchObject({
    code: "provider_failed",
    message: "scripted: circuit breaker is open",
  });
  clock.advance(1);
  const failing = line.tryAcquire();
  expect(line.tryAcquire()).toBeUndefined();
  failing?.failed(FAILURE);
  failing?.release();
  clock.advance(CIRCUIT_BREAKER_PROBE_MS);
  // A hanging probe does not block the next one.
  const hanging = line.tryAcquire();
  expect(line.tryAcquire()).toBeUndefined();
  clock.advance(CIRCUIT_BREAKER_PROBE_MS);
  line.tryAcquire()?.succeeded();
  expect(line.isAvailable).toBe(true);
  hanging?.release();
  const failures = Array.from({ length: CIRCUIT_BREAKER_FAILURES_MAX }, () => "provider_failed");
  expect(told).toEqual(["known", ...failures, "left alone", "provider_failed", "answers again"]);
});

test("concurrent streams that fail together count as one failure, and a response resets the count", () => {
  const { circuitBreaker: line, told } = breakerFor("tts", "scripted", new ManualClock());
  const together = Array.from({ length: 10 }, () => line.tryAcquire());
  for (const passage of together) passage?.failed(FAILURE);
  expect(line.isAvailable).toBe(true);
  expect(told.filter((what) => what === "provider_failed")).toHaveLength(10);
  line.tryAcquire()?.succeeded();
  expect(failUntilShut(line)).toBe(CIRCUIT_BREAKER_FAILURES_MAX);
});

test("the outcome of a stream from before a failure does not change the circuit breaker", () => {
  const { circuitBreaker: line } = breakerFor("tts", "scripted", new ManualClock());
  const before = line.tryAcquire();
  for (let failure = 1; failure < CIRCUIT_BREAKER_FAILURES_MAX; failure += 1) line.tryAcquire()?.failed(FAILURE);
  before?.succeeded();
  line.tryAcquire()?.failed(FAILURE);
  expect(line.isAvailable).toBe(false);
  before?.succeeded();
  expect(line.isAvailable).toBe(false);
});

test("a refused request does not count as a failure", () => {
  const { circuitBreaker: line } = breakerFor("llm", "scripted", new ManualClock());
  for (let request = 0; request < 10; request += 1) {
    line.tryAcquire()?.failed(providerFailed("scripted", "refused with 400", refusalFrom(400)));
  }
  expect(line.isAvailable).toBe(true);
});

test("concurrent streams are limited, and a released permit is free once", () => {
  const { circuitBreaker: line } = breakerFor("stt", "scripted", new ManualClock(), 2);
  const first = line.tryAcquire();
  line.tryAcquire();
  expect(line.tryAcquire()).toBeUndefined();
  expect(line.unavailableError().message).toBe("scripted: stream limit reached");
  first?.release();
  first?.release();
  expect(line.tryAcquire()).toBeDefined();
  expect(line.tryAcquire()).toBeUndefined();
});

test.each<[name: string, cause: unknown, waitMs: number | undefined, ofRequest: boolean]>([
  ["P8: a connection that failed is tried again at once", undefined, 0, false],
  ["P8: a 429 after what it asks for", refusalFrom(429, "2"), 2_000, false],
  ["P8: a 503 that says no time after one of ours", refusalFrom(503), 250, false],
  ["P8: a 529 whose time is nonsense likewise", refusalFrom(529, "soon"), 250, false],
  ["P8: a 400 never", refusalFrom(400), undefined, true],
  ["P16: a 401 never", refusalFrom(401), undefined, false],
  ["P8: a redirection never", refusalFrom(301), undefined, false],
  ["P2: one that was silent never: that time is gone", TIMED_OUT, undefined, false],
])("%s", (_name, cause, waitMs, ofRequest) => {
  const error = providerFailed("scripted", "failed", cause);
  expect([retryDelayMs(error), isRequestError(error)]).toEqual([waitMs, ofRequest]);
});
