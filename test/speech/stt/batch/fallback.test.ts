import { describe, expect, test } from "vitest";
import { providerFailed } from "../../../../src/core/errors.ts";
import { CIRCUIT_BREAKER_FAILURES_MAX } from "../../../../src/core/limits/speech-providers/providers.ts";
import { BATCH_REQUEST_MS_MAX, BATCH_RETRY_MS_MAX } from "../../../../src/core/limits/transcriptions/batch-stt.ts";
import { REQUEST_ERROR, refusalFrom } from "../../../../src/speech/resilience/provider-error.ts";
import type { BatchStt } from "../../../../src/speech/stt/batch/contract.ts";
import { FallbackBatchStt } from "../../../../src/speech/stt/batch/fallback.ts";
import { requestOf } from "../../../contract/speech/batch-stt.ts";
import { ManualClock } from "../../../support/manual-clock.ts";
import { breakerFor } from "../../../support/providers/breakers.ts";

/** What a scripted provider does with its requests, in order; the last one is repeated. */
type Step = "transcribes" | "hangs" | Error;

const refusal = (status: number, retryAfter?: string): Error =>
  providerFailed("first", `refused with status ${status}`, refusalFrom(status, retryAfter));

function scripted(provider: string, steps: readonly Step[], capabilities: Partial<BatchStt["capabilities"]> = {}) {
  const signals: AbortSignal[] = [];
  const stt: BatchStt = {
    provider,
    capabilities: {
      partMsMax: 60_000,
      partMsMin: 0,
      vocabulary: false,
      detectsLanguage: false,
      concurrentMax: 2,
      ...capabilities,
    },
    transcribe(_request, signal) {
      const step = steps[Math.min(signals.length, steps.length - 1)];
      signals.push(signal);
      if (step instanceof Error) return Promise.reject(step);
      if (step === "transcribes") return Promise.resolve({ words: [], hasEstimatedTimes: false, language: provider });
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    },
  };
  return { stt, signals };
}

function listOf(...providers: readonly ReturnType<typeof scripted>[]) {
  const clock = new ManualClock();
  const candidates = providers.map(({ stt }) => ({
    stt,
    servesLanguage: () => true,
    ...breakerFor("stt", stt.provider, clock, 10),
  }));
  const requested: string[] = [];
  const abortController = new AbortController();
  const list = new FallbackBatchStt(candidates, clock);
  const transcribe = () =>
    list.transcribe(requestOf(), abortController.signal, async (provider) => {
      requested.push(provider);
    });
  return { clock, list, candidates, requested, abortController, transcribe };
}

const USAGE = (provider: string) => ({ provider, audioSeconds: 2 });

describe("several batch providers", () => {
  test("the first transcribes, and its audio is billed", async () => {
    const { transcribe, requested } = listOf(scripted("first", ["transcribes"]), scripted("second", ["transcribes"]));
    expect(await transcribe()).toEqual({
      ...{ words: [], hasEstimatedTimes: false, language: "first", provider: "first" },
      usage: [USAGE("first")],
    });
    expect(requested).toEqual(["first"]);
  });

  test("one that fails for the moment is asked twice, and then the next; refused requests are not billed", async () => {
    const { transcribe, requested, clock, candidates } = listOf(
      scripted("first", [refusal(500)]),
      scripted("second", ["transcribes"]),
    );
    const { provider, usage } = await clock.drive(transcribe());
    expect([provider, usage, requested]).toEqual(["second", [USAGE("second")], ["first", "first", "second"]]);
    expect(candidates[0]?.reports).toEqual(["registered", "provider_failed", "provider_failed"]);
  });

  test("one that refuses the request itself, or the API key, is asked once", async () => {
    for (const status of [400, 401, 413]) {
      const { transcribe, requested, clock } = listOf(
        scripted("first", [refusal(status)]),
        scripted("second", ["transcribes"]),
      );
      await clock.drive(transcribe());
      expect(requested).toEqual(["first", "second"]);
    }
  });

  test("a retry waits as long as the provider asks for, up to a limit", async () => {
    for (const [retryAfter, waitedMs] of [
      ["7", 7_000],
      ["3600", BATCH_RETRY_MS_MAX],
    ] as const) {
      const { transcribe, requested, clock } = listOf(scripted("first", [refusal(429, retryAfter), "transcribes"]));
      const pending = transcribe();
      await clock.play(waitedMs - 1);
      expect(requested).toEqual(["first"]);
      await clock.play(1);
      expect((await pending).provider).toBe("first");
    }
  });

  test("one that hangs is aborted, billed, and not asked again", async () => {
    const first = scripted("first", ["hangs"]);
    const { transcribe, requested, clock } = listOf(first, scripted("second", ["transcribes"]));
    const pending = transcribe();
    await clock.play(BATCH_REQUEST_MS_MAX);
    expect((await pending).usage).toEqual([USAGE("first"), USAGE("second")]);
    expect(requested).toEqual(["first", "second"]);
    expect(first.signals[0]?.aborted).toBe(true);
  });

  test("one with an open circuit breaker is skipped", async () => {
    const { transcribe, requested, candidates } = listOf(
      scripted("first", ["transcribes"]),
      scripted("second", ["transcribes"]),
    );
    for (let failure = 0; failure < CIRCUIT_BREAKER_FAILURES_MAX; failure += 1) {
      candidates[0]?.circuitBreaker.tryAcquire()?.failed(refusal(500));
    }
    expect((await transcribe()).provider).toBe("second");
    expect(requested).toEqual(["second"]);
  });

  test("when all fail, the last failure is thrown", async () => {
    const last = providerFailed("second", "sent no transcription", REQUEST_ERROR);
    const { transcribe, clock } = listOf(scripted("first", [refusal(401)]), scripted("second", [last]));
    await expect(clock.drive(transcribe())).rejects.toBe(last);
  });

  test("an abort ends the request with its reason, and is no failure of the provider", async () => {
    const { transcribe, abortController, candidates, clock } = listOf(scripted("first", ["hangs"]));
    const pending = transcribe();
    await clock.play(0);
    abortController.abort("cancelled");
    await expect(pending).rejects.toBe("cancelled");
    expect(candidates[0]?.reports).toEqual(["registered"]);
    expect(candidates[0]?.circuitBreaker.isAvailable).toBe(true);
  });

  test("no request is sent before it is counted", async () => {
    const first = scripted("first", ["transcribes"]);
    const { list, candidates } = listOf(first);
    const uncounted = new Error("the store does not answer");
    const pending = list.transcribe(requestOf(), new AbortController().signal, () => Promise.reject(uncounted));
    await expect(pending).rejects.toBe(uncounted);
    expect(first.signals).toEqual([]);
    expect(candidates[0]?.reports).toEqual(["registered"]);
  });

  test("can do what all of them can: the shortest part, the languages that all detect; the vocabulary helps where it is known", () => {
    const { list } = listOf(
      scripted("first", [], { partMsMax: 300_000, speakersPartMsMax: 3_600_000, vocabulary: true, concurrentMax: 4 }),
      scripted("second", [], { partMsMax: 30_000, detectsLanguage: true }),
    );
    expect(list.capabilities).toEqual({
      partMsMax: 30_000,
      partMsMin: 0,
      vocabulary: true,
      detectsLanguage: false,
      concurrentMax: 4,
    });
  });
});
