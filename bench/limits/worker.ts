import type { CallSpec } from "../../src/core/calls/spec.ts";
import { systemClock } from "../../src/core/clock.ts";
import type { Llm, Tts } from "../../src/speech/contracts.ts";
import { poolOf } from "../../test/support/providers/tts-pool.ts";
import { serve } from "../rig/child-process.ts";
import { BenchWorker } from "../worker/bench-worker.ts";
import { countingStt } from "../worker/providers.ts";
import { calibrate } from "./calibration.ts";
import { CHECKED_TOOL, WRONG_ARGUMENTS } from "./streams/schemas.ts";

// The media worker that is driven at its limits: its engines cost next to nothing, everything else is what runs in production.

export type LimitQuestions = {
  /** One more call: the port and the path of its stream. */
  create: { ask: CallSpec; answer: { port: number; path: string } };
  pid: { ask: undefined; answer: number };
  /** See `calibrate`; on the event loop that is measured. */
  calibrate: { ask: undefined; answer: number };
};

const RATE_HZ = 8_000;

const answering: Llm = {
  provider: "bench",
  async *reply() {
    yield { kind: "text", text: "I see." };
  },
};

/** Half a second of silence, whatever the text. */
const silent: Tts = {
  provider: "bench",
  capabilities: { wordTimestamps: true },
  voices: async () => [],
  async *speak() {
    yield { samples: new Int16Array(RATE_HZ / 2), rateHz: RATE_HZ, words: [] };
  },
};

/** Calls the tool that is checked, and continues when it has the result. */
const calling: Llm = {
  provider: "bench",
  async *reply({ messages, tools }) {
    const hasToolResult = messages.at(-1)?.role === "tool";
    if (tools.length === 0 || hasToolResult) yield { kind: "text", text: "I see." };
    else yield { kind: "tool-call", id: "1", name: CHECKED_TOOL, argumentsJson: WRONG_ARGUMENTS };
  },
};

// "ws" where it is ws that is driven.
const worker = await BenchWorker.start(systemClock, process.argv[2] === "ws" ? "ws" : "auto");
worker.use({
  stt: countingStt(() => {}),
  tts: poolOf(silent),
  llm: { model_a: answering, model_b: calling, model_c: answering },
});

serve<LimitQuestions>({
  create: (spec) => ({ port: worker.port, path: worker.calls.create(spec) }),
  pid: () => process.pid,
  calibrate,
});
