import type { EndReason } from "../../../src/core/calls/reasons.ts";
import { SIMULATED_WIRES } from "../../../src/simulator/lines.ts";

/** What can go wrong around a call without being its end. A seed that draws it need not see it: the call may end first. */
export const FAULTS = [
  // The STT.
  "no-stt",
  "no-interims",
  "late-final",
  "duplicate-final",
  "final-out-of-order",
  "no-final",
  "words-without-speech",
  "speech-goes-on",
  "silent-to-requests",
  // The line.
  "music",
  "stray-voice",
  "echo",
  // The LLM.
  "llm-slow",
  "llm-drips",
  "llm-hangs-at-start",
  "llm-hangs-midway",
  "llm-fails-once",
  "llm-fails-midway",
  "llm-empty-reply",
  "llm-reply-too-long",
  "llm-never-ends",
  "unknown-tool",
  "bad-arguments",
  "too-many-tools",
  "endless-tool-rounds",
  // The tools.
  "tool-slow",
  "tool-fails",
  "tool-never-answers",
  // The voice.
  "tts-slow",
  "tts-bursts",
  "tts-hangs",
  "tts-silent",
  "odd-chunks",
  // The carrier and the network.
  "jitter",
  "network-stall",
  "silence-suppressed",
  "dead-microphone",
  "lost-media",
  "duplicate-media",
  "reordered-media",
  "unknown-event",
  "malformed",
  "lost-mark",
  "late-mark",
  "duplicate-mark",
  "dtmf",
  "late-start",
  "media-before-start",
  "second-start",
  // The process.
  "loop-stall",
  "slow-disk",
] as const;

/** What ends a call sooner or later. */
export const FATAL_FAULTS = [
  "stt-fails",
  "llm-fails-always",
  "tts-fails-at-start",
  "tts-fails-midway",
  "malformed-flood",
  "audio-flood",
  "broken-protocol",
  "foreign-start",
  "no-start",
  "stuck-socket",
  "ended-by-api",
  "drained",
] as const;

export type Fault = (typeof FAULTS)[number] | (typeof FATAL_FAULTS)[number];

/** What is no trouble, but another way through the service. */
export const VARIANTS = [
  "stt-other-rate",
  "tts-other-rate",
  "tts-without-word-times",
  "hang-up-tool",
  "transfer-tool",
  "language-tool",
  "dtmf-tool",
  "preemptive-generation",
  "turn-reopened",
  "answer-held",
  "client-or-http-tool",
  "passages",
  "passages-awaited",
  "passages-late",
  ...SIMULATED_WIRES,
  "carrier-stops",
  "carrier-vanishes",
] as const;
export type Variant = (typeof VARIANTS)[number];

/** What kind of person calls. */
export const CALLER_BEHAVIORS = [
  "polite",
  "interrupting",
  "coughing",
  "humming",
  "monologue",
  "dtmf-entry",
  "typing",
  "eager",
  "silent",
] as const;
export type CallerBehavior = (typeof CALLER_BEHAVIORS)[number];

/** When the caller hangs up. */
export const HANG_UP_TIMES = [
  "never-hangs-up",
  "hangs-up-when-done",
  "hangs-up-in-greeting",
  "hangs-up-while-speaking",
  "hangs-up-while-llm-works",
  "hangs-up-at-first-text",
  "hangs-up-in-reply",
  "hangs-up-in-goodbye",
  "hangs-up-any-time",
] as const;
export type HangUpTime = (typeof HANG_UP_TIMES)[number];

/** The reasons that a connection can end for: a lost worker is a bug, and the others belong to the control plane. */
export const REASONS: readonly EndReason[] = [
  "caller_hangup",
  "connection_lost",
  "agent_hangup",
  "api_hangup",
  "max_duration",
  "inactivity",
  "transferred",
  "protocol_error",
  "audio_flood",
  "message_flood",
  "slow_consumer",
  "provider_error",
  "drain_timeout",
];

/** Everything that can come about in a call. */
export type Happening = Fault | Variant | CallerBehavior | HangUpTime | EndReason;
export const HAPPENINGS: readonly Happening[] = [
  ...FAULTS,
  ...FATAL_FAULTS,
  ...VARIANTS,
  ...CALLER_BEHAVIORS,
  ...HANG_UP_TIMES,
  ...REASONS,
];

/** What must hold for every call, at every step. */
export type Invariant =
  | "one end, and nothing after it"
  | "an end has its cause, and a cause its end"
  | "everything stops with the call"
  | "no deadline is missed"
  | "output stays within the lead"
  | "speech that is there is sent"
  | "one speaker at a time, each frame in its order"
  | "a greeting that may not be interrupted is heard whole"
  | "words over the agent stop it"
  | "no reply hangs"
  | "the caller is not left in silence"
  | "voice over the agent holds it, and no longer than it must"
  | "a paused reply is not sent"
  | "a reply is cut for what the caller did"
  | "the LLM knows what was heard, and nothing else"
  | "tools are used within their limits, and their results reach the LLM"
  | "an answer has its passages, and waits for them briefly"
  | "DTMF digits arrive as they were pressed"
  | "the STT receives every frame"
  | "what the caller said is answered"
  | "no word of the caller is lost or doubled"
  | "nothing counts as heard that was not played"
  | "nothing that was played is missing"
  | "turns are in order and within the call"
  | "clients are shown the turns of the call"
  | "a turn ends with its pause, not before, and at once then"
  | "what waits stays within its bounds"
  | "inactivity comes when it is due and not before"
  | "the journal gives the same call again"
  | "no word of a call without a transcript is written"
  | "nothing is thrown, and no bug is logged"
  | "the carrier has nothing to complain of";
