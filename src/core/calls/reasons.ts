/**
 * Why a reply was interrupted or cancelled. `words`, `dtmf` and `typed`: the caller barged in. `inactivity`: the reply hangs, and the
 * caller gets an inactivity prompt. `llm_failed`, `spend_limit`: a service phrase replaces it. `transfer`: the carrier rings the target of
 * a transfer. `hold`: the caller is put on hold.
 */
export const CANCEL_REASONS = [
  "words",
  "dtmf",
  "typed",
  "inactivity",
  "llm_failed",
  "spend_limit",
  "transfer",
  "hold",
  "call_ended",
] as const;
export type CancelReason = (typeof CANCEL_REASONS)[number];

/**
 * Those of all journals. `sustained_speech`: before version 5 of the journal, speech alone interrupted the agent where the STT had no
 * interim transcripts.
 */
export const JOURNALED_CANCEL_REASONS = [...CANCEL_REASONS, "sustained_speech"] as const;

/**
 * Why the service says something without the LLM: `greeting`, the configured first message; `inactivity`, the caller was silent for
 * too long; `filler`, the reply takes long; `apology`, the LLM failed; `goodbye`, the service ends the call; `limit`, a spend limit
 * is reached.
 */
export const SPEAK_REASONS = ["greeting", "inactivity", "filler", "apology", "goodbye", "limit"] as const;
export type SpeakReason = (typeof SPEAK_REASONS)[number];

/**
 * Why a paused reply resumes: the caller's speech has no words, is a back-channel, is an echo of the agent, or goes on without an answer
 * of the STT.
 */
export const RESUME_REASONS = ["no_words", "back_channel", "echo", "pause_timeout"] as const;
export type ResumeReason = (typeof RESUME_REASONS)[number];

/** Why words over the agent are ignored, where they are no back-channel of the caller: the agent's own words came back. */
export const IGNORE_REASONS = ["echo"] as const;
export type IgnoreReason = (typeof IGNORE_REASONS)[number];

/**
 * Why a call ended, and what that means, in Markdown. The first reason wins and never changes. The OpenAPI document and
 * docs/errors.md show these texts; their links are relative to docs/.
 */
export const END_REASON_MEANINGS = {
  caller_hangup: "the caller hung up: the carrier or the client closed the stream",
  connection_lost:
    "the peer sent nothing for too long, not even a pong; or no audio, where `MEDIA_TIMEOUT_S` is set; or a client that may resume did " +
    "not come back within 15 s after its connection was lost",
  unreachable:
    "the audio of a WebRTC call found no way: no offer within 10 s, no RTP and no fallback within 15 s of the answer, or RTP that stopped " +
    "and no fallback",
  agent_hangup: "the agent hung up, by its tool `hang_up`",
  api_hangup: "`POST /calls/{id}/end` ended the call",
  max_duration: "the call reached its `maxDuration`",
  inactivity:
    "the caller gave no words, DTMF or typed text for `inactivityTimeout` and did not answer the prompts, or for `MAX_WORDLESS_S`",
  spend_limit: "`maxCost` or a limit per minute of the call or the account was reached",
  transferred: "the agent transferred the caller, by its tool `transfer`",
  token_expired: "the stream did not connect within `TOKEN_TTL_S`",
  protocol_error: "the peer broke the protocol of its stream, or sent too many messages",
  audio_flood: "the peer sent audio far ahead of real time, or too much audio that had to be dropped",
  message_flood: "the peer sent more bytes of messages than the service parses",
  slow_consumer: "the peer did not read the audio that it was sent",
  provider_error: "the STT, LLM or TTS failed, and no retry and no fallback made up for it",
  drain_timeout: "the service was stopped, and the call was still live after `DRAIN_MS`",
  busy: "the line of the person that was called by telephone was busy",
  no_answer: "the person that was called by telephone did not answer within `ringTimeout`",
  declined: "the person that was called by telephone declined the call",
  invalid_number: "the carrier cannot reach the number that was called",
  carrier_failed: "the carrier did not place the call, or lost it",
  no_capacity: "no slot was free: for an inbound call, or for 15 minutes for an outbound one",
  unknown: "the carrier did not say whether it placed the call, or what became of it; the service never dials it again",
  worker_lost: "the media worker died, or a defect of the service ended the call",
} as const;
export type EndReason = keyof typeof END_REASON_MEANINGS;
export const END_REASONS = Object.keys(END_REASON_MEANINGS) as readonly EndReason[];

/** A call that ends for one of them before any audio has failed; any other call has ended. */
export const SERVICE_FAULT_REASONS: readonly EndReason[] = ["worker_lost", "provider_error", "drain_timeout"];

/**
 * Why a question to the corpora came to nothing. `late`: the answer to the caller waited no longer. `failed`: they gave no answer.
 * `cancelled`: the caller's words changed before one came. `unused`: they changed after it.
 */
export const RETRIEVAL_FAILURES = ["late", "failed", "cancelled", "unused"] as const;
export type RetrievalFailure = (typeof RETRIEVAL_FAILURES)[number];
