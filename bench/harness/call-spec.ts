import type { CallSpec } from "../../src/core/calls/spec.ts";

/** A call that lasts longer than any measurement; its agent speaks first and cannot be interrupted. Not recorded. */
export const BENCH_SPEC: CallSpec = {
  systemPrompt: "You answer the telephone of a bakery.",
  voiceId: "bench/voice",
  language: "en-US",
  languagePinned: false,
  model: "model_b",
  temperature: 0,
  greeting: "Hello, this is the bakery.",
  firstSpeaker: "agent",
  interruptible: false,
  maxDurationMs: Number.MAX_SAFE_INTEGER,
  inactivityTimeoutMs: Number.MAX_SAFE_INTEGER,
  inactivityAction: "hang_up",
  recordingEnabled: false,
  connectionType: "carrier_a",
  tools: [],
};
