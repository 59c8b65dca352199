import { DEFAULT_TURN_PARAMETERS } from "../../../src/call/parameters.ts";
import type { CallSpec } from "../../../src/core/calls/spec.ts";
import { asAccountId, asCallId } from "../../../src/core/ids.ts";
import type { JournalStart } from "../../../src/record/journal/records.ts";

export const SPEC: CallSpec = {
  systemPrompt: "You are the receptionist of a dentist.",
  voiceId: "espeak/gmw/en-US",
  language: "en-US",
  languagePinned: false,
  model: "model_b",
  temperature: 0.2,
  greeting: "Good morning, this is the dentist.",
  firstSpeaker: "agent",
  interruptible: true,
  maxDurationMs: 600_000,
  inactivityTimeoutMs: 30_000,
  inactivityAction: "prompt",
  recordingEnabled: true,
  connectionType: "carrier_a",
  tools: [{ kind: "built_in", name: "hang_up", fixedArguments: {} }],
};

export const START: JournalStart = {
  callId: asCallId("call_01980000-0000-7000-8000-000000000001"),
  accountId: asAccountId("account_01980000-0000-7000-8000-000000000002"),
  startedAt: "2026-01-01T00:00:00.000Z",
  spec: SPEC,
  leg: { inboundRateHz: 8_000, outboundRateHz: 8_000, outboundCodec: "mulaw" },
  sttHasInterim: true,
  parameters: DEFAULT_TURN_PARAMETERS,
};

export const NOT_RECORDED: JournalStart = { ...START, spec: { ...SPEC, recordingEnabled: false } };
