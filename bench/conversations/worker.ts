import { strict as assert } from "node:assert";
import type { CallSpec } from "../../src/core/calls/spec.ts";
import { systemClock } from "../../src/core/clock.ts";
import type { Tts } from "../../src/speech/contracts.ts";
import { FIXED_PAUSES } from "../../test/support/calls/fixed-pauses.ts";
import { poolOf } from "../../test/support/providers/tts-pool.ts";
import { serve } from "../rig/child-process.ts";
import { BenchWorker } from "../worker/bench-worker.ts";
import { loadSpec } from "../worker/handoff.ts";
import { replayTts } from "../worker/providers.ts";
import { delayedLlm, delayedStt, delayedTts } from "./delayed-providers.ts";
import type { TalkQuestions } from "./protocol.ts";

// The worker of conversations: its engines take a known time.

/** The caller begins, and may interrupt. */
const SPEC: CallSpec = { ...loadSpec("carrier_a", false), firstSpeaker: "user", interruptible: true };

const worker = await BenchWorker.start(systemClock);
let said: { voice: Tts; answer: string } | undefined;

serve<TalkQuestions>({
  prepare({ speech, answer }) {
    said = { voice: replayTts(speech), answer };
    return undefined;
  },
  begin({ calls, delays }) {
    assert.ok(said !== undefined, "it was prepared");
    const model = delayedLlm(delays.llmMs, said.answer);
    const engines = {
      stt: delayedStt(delays.sttMs, worker.voiceActivity),
      tts: poolOf(delayedTts(delays.ttsMs, said.voice)),
      llm: { model_a: model, model_b: model, model_c: model },
    };
    // A scored pause is as long as the words make it, which could not be subtracted.
    worker.use(engines, FIXED_PAUSES);
    return Array.from({ length: calls }, () => `ws://127.0.0.1:${worker.port}${worker.calls.create(SPEC)}`);
  },
  async finish() {
    await worker.settled();
    return undefined;
  },
});
