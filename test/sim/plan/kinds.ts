import type { EndReason } from "../../../src/core/calls/spec.ts";

/** What can go wrong around a call without being its end. A seed that draws it need not see it: the call may end first. */
export const FAULTS = [
  // The ear.
  "no-ear",
  "no-partials",
  "late-final",
  "repeated-final",
  "final-out-of-order",
  "no-final",
  "words-without-voice",
  "voice-goes-on",
  // The model.
  "model-slow",
  "model-drips",
  "model-hangs-at-once",
  "model-hangs-within",
  "model-fails-once",
  "model-fails-within",
  "model-says-nothing",
  "model-says-too-much",
  "model-never-ends",
  "unknown-tool",
  "bad-arguments",
  "too-many-tools",
  "tools-for-ever",
  // The tools.
  "tool-slow",
  "tool-fails",
  "tool-never-answers",
  // The voice.
  "voice-slow",
  "voice-bursts",
  "voice-hangs",
  "voice-is-silent",
  "odd-chunks",
  // The carrier and the network.
  "jitter",
  "network-stall",
  "silence-suppressed",
  "dead-microphone",
  "lost-media",
  "repeated-media",
  "reordered-media",
  "unknown-event",
  "malformed",
  "lost-mark",
  "late-mark",
  "repeated-mark",
  "keys",
  "late-start",
  "media-before-start",
  "second-start",
  // The process.
  "loop-stall",
  "slow-disk",
] as const;

/** What ends a call sooner or later. */
export const FATAL_FAULTS = [
  "ear-fails",
  "model-fails-always",
  "voice-fails-at-once",
  "voice-fails-within",
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
  "ear-of-another-rate",
  "voice-of-another-rate",
  "voice-without-word-times",
  "hang-up-tool",
  "transfer-tool",
  "language-tool",
  "keys-tool",
  "asked-ahead",
  "own-tool",
  "carrier_a",
  "carrier_b",
  "carrier_c",
  "websocket",
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
  "talking-without-end",
  "pressing-keys",
  "typing",
  "eager",
  "silent",
] as const;
export type CallerBehavior = (typeof CALLER_BEHAVIORS)[number];

/** When the caller hangs up. */
export const HANG_UP_TIMES = [
  "leaves-never",
  "leaves-when-done",
  "leaves-in-the-greeting",
  "leaves-while-speaking",
  "leaves-while-thinking",
  "leaves-at-the-first-text",
  "leaves-in-an-answer",
  "leaves-in-the-goodbye",
  "leaves-at-any-time",
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
  | "the model knows what was heard, and nothing else"
  | "tools are used within their bounds, and told of"
  | "keys are told as they were pressed"
  | "the ear hears every frame"
  | "what the caller said is answered"
  | "no word of the caller is lost or doubled"
  | "nothing is told as heard that was not played"
  | "nothing that was played is missing"
  | "turns are in order and within the call"
  | "a turn ends with its pause, not before, and at once then"
  | "what waits stays within its bounds"
  | "inactivity comes when it is due and not before"
  | "the journal gives the same call again"
  | "no word of an unrecorded call is written"
  | "nothing is thrown, and no bug is logged"
  | "the carrier has nothing to complain of";
