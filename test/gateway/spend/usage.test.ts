import { describe, expect, test } from "vitest";
import type { CallEvent } from "../../../src/call/events.ts";
import { monotonicMs } from "../../../src/core/clocks.ts";
import type { WorkerMetrics } from "../../../src/core/metrics/worker-metrics.ts";
import { ENGLISH } from "../../../src/core/phrases/phrases.ts";
import { Ticker } from "../../../src/gateway/event-loop/ticker.ts";
import type { Llm } from "../../../src/speech/contracts.ts";
import { FallbackLlm } from "../../../src/speech/llm/fallback.ts";
import { llmMetering, meteredStt, ttsMetering } from "../../../src/speech/metering/usage.ts";
import { TtsCache } from "../../../src/speech/tts/cache.ts";
import { FallbackTts } from "../../../src/speech/tts/fallback.ts";
import { type LegOptions, leg } from "../../callers/leg.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { readExposition, sampleOf } from "../../support/metrics/exposition.ts";
import { breakerFor, ttsWithBreaker } from "../../support/providers/breakers.ts";
import { type LlmStep, ScriptedLlm, textReply } from "../../support/providers/scripted-llm.ts";
import { ScriptedStt } from "../../support/providers/scripted-stt.ts";
import { ScriptedTts } from "../../support/providers/scripted-tts.ts";

type Used = Extract<CallEvent, { kind: "usage" }>;

const ANSWER = "We are open.";
/** The filler that the caller hears while the first LLM hangs. */
const FILLER = ENGLISH.filler;
const HANGS: readonly LlmStep[] = [{ afterMs: 60_000, event: { kind: "fail" } }];

/**
 * A call whose caller asks something at 700 ms, and whose first LLM returns nothing; and the journaled events of its
 * providers.
 */
async function heldCall() {
  const clock = new ManualClock();
  const journaled: (Used | "end")[] = [];
  const registries: WorkerMetrics["registry"][] = [];
  const tamper: LegOptions["tamper"] = ({ journal, metrics }) => {
    registries.push(metrics.registry);
    const { event, command } = journal;
    journal.event = (atMs, happened) => {
      if (happened.kind === "usage") journaled.push(happened);
      event.call(journal, atMs, happened);
    };
    journal.command = (atMs, given) => {
      if (given.kind === "end") journaled.push("end");
      command.call(journal, atMs, given);
    };
  };
  const named = (provider: string, steps: readonly LlmStep[]): Llm => {
    const llm = new ScriptedLlm(clock, [steps]);
    return { provider, reply: (request, signal) => llm.reply(request, signal) };
  };
  const llms = [named("hanging", HANGS), named("answering", textReply(ANSWER, { firstMs: 300 }))];
  const stt = new ScriptedStt(clock, [{ atMs: 1_000, event: { kind: "final", text: "are you open" } }]);
  const tts = ttsWithBreaker("speaking", new ScriptedTts(clock, { firstMs: 120 }), clock);
  const call = leg({
    stt: meteredStt(stt),
    llm: new FallbackLlm(
      llms.map((llm) => ({
        llm,
        circuitBreaker: breakerFor("llm", llm.provider, clock).circuitBreaker,
        metering: llmMetering("small"),
      })),
      clock,
    ),
    tts: new FallbackTts([{ ...tts, metering: ttsMetering }], new TtsCache(), clock),
    vad: { isSpeech: () => clock.nowMs() <= monotonicMs(800), destroy: () => {} },
    shared: { clock, ticker: new Ticker(clock) },
    spec: { firstSpeaker: "user" },
    tamper,
  });
  call.start();
  await call.listen(7_000);
  call.connection.closed(1_006, false);
  return { journaled, metrics: readExposition((await registries[0]?.metrics()) ?? "") };
}

describe("a call whose first LLM returns nothing, and whose second replies", () => {
  test("journals what each provider did, and after its end what was still pending", async () => {
    const { journaled } = await heldCall();
    const end = journaled.indexOf("end");
    const used = journaled.filter((entry) => entry !== "end");
    expect(used).toMatchObject([
      { stage: "tts", provider: "speaking", usage: { characters: FILLER.length } },
      // Its result was no longer wanted, but the request was sent.
      { stage: "llm", provider: "hanging", usage: { model: "small", outputTokens: 0, approximate: true } },
      { stage: "llm", provider: "answering", usage: { model: "small", inputTokens: 1, outputTokens: 3 } },
      { stage: "tts", provider: "speaking", usage: { characters: ANSWER.length } },
      { stage: "stt", provider: "scripted", usage: { audioSeconds: 5 } },
      { stage: "stt", provider: "scripted", usage: { audioSeconds: expect.closeTo(2, 1) } },
    ]);
    expect(end).toBe(journaled.length - 2);
  });

  test("records by provider how long each step of the answer took, and each stage itself", async () => {
    const { metrics } = await heldCall();
    const secondsOf = (step: string, provider: string) =>
      sampleOf(metrics, "trunkline_turn_step_seconds_sum", { step, provider });
    expect(secondsOf("final_transcript", "scripted")).toBeCloseTo(0.2);
    expect(secondsOf("tts_first_byte", "speaking")).toBeCloseTo(0.12);
    // The caller waited for the provider that hung, too; the one that replied took its own time.
    expect(secondsOf("llm_first_token", "answering")).toBeGreaterThan(1);
    const own = { stage: "llm", provider: "answering" };
    expect(sampleOf(metrics, "trunkline_provider_latency_seconds_sum", own)).toBeCloseTo(0.3);
    const timed = metrics.get("trunkline_provider_latency_seconds")?.samples ?? [];
    expect(timed.some(({ labels }) => labels.provider === "hanging")).toBe(false);
  });

  test("counts the units that providers bill, without the call's id", async () => {
    const { metrics } = await heldCall();
    const usage = (provider: string, unit: string) =>
      sampleOf(metrics, "trunkline_provider_usage_total", { provider, unit });
    expect(usage("answering", "output_tokens")).toBe(3);
    expect(usage("speaking", "characters")).toBe(ANSWER.length + FILLER.length);
    expect(usage("scripted", "audio_seconds")).toBeCloseTo(7, 1);
  });
});
