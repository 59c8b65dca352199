/**
 * Why a reply was interrupted or cancelled. `words`, `sustained_speech`, `dtmf` and `typed`: the caller barged in. `inactivity`: the
 * reply hangs, and the caller gets an inactivity prompt. `llm_failed`, `spend_limit`: a service phrase replaces it.
 */
export const CANCEL_REASONS = [
  "words",
  "sustained_speech",
  "dtmf",
  "typed",
  "inactivity",
  "llm_failed",
  "spend_limit",
  "call_ended",
] as const;
export type CancelReason = (typeof CANCEL_REASONS)[number];

/**
 * Why the service says something without the LLM: `greeting`, the configured first message; `inactivity`, the caller was silent for
 * too long; `filler`, the reply takes long; `apology`, the LLM failed; `goodbye`, the service ends the call; `limit`, a spend limit
 * is reached.
 */
export const SPEAK_REASONS = ["greeting", "inactivity", "filler", "apology", "goodbye", "limit"] as const;
export type SpeakReason = (typeof SPEAK_REASONS)[number];

/** Why a paused reply resumes: the caller's speech ended without words, was a back-channel, or goes on without words. */
export const RESUME_REASONS = ["no_words", "back_channel", "pause_timeout"] as const;
export type ResumeReason = (typeof RESUME_REASONS)[number];

/** Why a call ended; the first reason wins and never changes. */
export const END_REASONS = [
  "caller_hangup",
  "connection_lost",
  "agent_hangup",
  "api_hangup",
  "max_duration",
  "inactivity",
  "spend_limit",
  "transferred",
  "token_expired",
  "protocol_error",
  "audio_flood",
  "message_flood",
  "slow_consumer",
  "provider_error",
  "drain_timeout",
  "worker_lost",
] as const;
export type EndReason = (typeof END_REASONS)[number];
