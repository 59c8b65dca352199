import type { EndReason } from "./spec.ts";

/**
 * The meaning of each end reason, in Markdown. The OpenAPI document and docs/errors.md show these texts; their links are
 * relative to docs/.
 */
export const END_REASON_MEANINGS: Readonly<Record<EndReason, string>> = {
  caller_hangup: "the caller hung up: the carrier or the client closed the stream",
  connection_lost: "the peer sent nothing for too long, not even a pong; or no audio, where `MEDIA_TIMEOUT_S` is set",
  agent_hangup: "the agent hung up, by its tool `hang_up`",
  api_hangup: "`POST /calls/{id}/end` ended the call",
  max_duration: "the call reached its `maxDuration`",
  inactivity: "the caller was silent for `inactivityTimeout`, and did not answer the prompts",
  spend_limit: "`maxCost` or a limit per minute of the call or the account was reached",
  transferred: "the agent transferred the caller, by its tool `transfer`",
  token_expired: "the stream did not connect within `TOKEN_TTL_S`",
  protocol_error: "the peer broke the protocol of its stream, or sent too many messages",
  audio_flood: "the peer sent audio far ahead of real time, or too much audio that had to be dropped",
  message_flood: "the peer sent more bytes of messages than the service parses",
  slow_consumer: "the peer did not read the audio that it was sent",
  provider_error: "the STT, LLM or TTS failed, and no retry and no fallback made up for it",
  drain_timeout: "the service was stopped, and the call was still live after `DRAIN_MS`",
  worker_lost: "the media worker died, or a defect of the service ended the call",
};
