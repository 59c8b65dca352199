import type { UsageUnit } from "../billing/usage.ts";
import type { LatencyStep } from "../calls/latency.ts";
import { CANCEL_REASONS, IGNORE_REASONS, RETRIEVAL_FAILURES } from "../calls/reasons.ts";
import type { Stage } from "../calls/stages.ts";
import { TOOL_FAULTS, type ToolFault } from "../tools/outcome.ts";

export const REDEMPTION_OUTCOMES = ["redeemed", "refused", "failed", "unsigned"] as const;
/**
 * `refused`: used or expired. `failed`: the store did not answer. `unsigned`: malformed, or signed with none of the token keys; such
 * tokens never reach the control process.
 */
export type RedemptionOutcome = (typeof REDEMPTION_OUTCOMES)[number];

/**
 * What becomes of a stream that has reached another node than that of its call: it was `relayed`; the call's node did not take it
 * (`refused`) or did not answer (`unreachable`); or this one relays as many as it may (`full`).
 */
export const NODE_RELAY_OUTCOMES = ["relayed", "refused", "unreachable", "full"] as const;
export type NodeRelayOutcome = (typeof NODE_RELAY_OUTCOMES)[number];

/** The kinds of tools that the call machine does not carry out by itself. */
export const RAN_TOOL_KINDS = ["http", "client", "mcp"] as const;
export type RanToolKind = (typeof RAN_TOOL_KINDS)[number];

export const TOOL_RUN_OUTCOMES = ["completed", ...TOOL_FAULTS] as const;
export type ToolRunOutcome = "completed" | ToolFault;

export const OPUS_REFUSALS = ["too_large", "too_long", "no_frames", "corrupted"] as const;
/**
 * Why an Opus packet of a client was refused. `too_large`: more than 7,664 bytes. `too_long`: more than 120 ms.
 * `no_frames`: it says that it has none. `corrupted`: the library cannot decode it.
 */
export type OpusRefusal = (typeof OPUS_REFUSALS)[number];

/**
 * Why an LLM request was aborted before its response was complete. `superseded`: the next request was sent. `preemptive_cancelled`: it
 * was preemptive, and the caller's words changed. `overlong`: its response was too long for a turn. All others: why its reply was
 * interrupted or cancelled.
 */
export const LLM_ABORT_REASONS = ["superseded", "preemptive_cancelled", "overlong", ...CANCEL_REASONS] as const;
export type LlmAbortReason = (typeof LLM_ABORT_REASONS)[number];

/** A transcript that is ignored without a reason of its own. */
export const BACK_CHANNEL = "back_channel";
export const TRANSCRIPT_IGNORE_REASONS = [BACK_CHANNEL, ...IGNORE_REASONS] as const;

export const PROMPT_TRIM_CAUSES = ["bound", "context_exceeded"] as const;
/** Why a prompt was trimmed: it exceeded its bound, or an LLM refused it as longer than its context. */
export type PromptTrimCause = (typeof PROMPT_TRIM_CAUSES)[number];

/** What became of a question to the corpora of a call. */
export const CALL_RETRIEVAL_OUTCOMES = ["used", ...RETRIEVAL_FAILURES] as const;
export type CallRetrievalOutcome = (typeof CALL_RETRIEVAL_OUTCOMES)[number];

export const LISTENER_ENDS = ["call_ended", "left", "slow", "sent", "failed"] as const;
/** Why a connection that listened to a call ended. `slow`: its peer did not keep up. `sent`: its peer sent something. */
export type ListenerEnd = (typeof LISTENER_ENDS)[number];

/** The milestones of a reply, each measured from the caller's last voiced frame. */
export const TURN_MILESTONES = ["end_of_turn", "first_text", "first_audio", "first_frame"] as const;

/** The steps of a reply whose duration depends on a provider, and the stage of that provider. */
export const PROVIDER_STEPS: Readonly<Record<string, readonly [step: LatencyStep, stage: Stage]>> = {
  final_transcript: ["finalTranscript", "stt"],
  llm_first_token: ["llmFirstToken", "llm"],
  first_segment: ["firstSegment", "llm"],
  tts_first_byte: ["ttsFirstByte", "tts"],
  first_frame: ["firstFrame", "tts"],
};
export const TURN_STEPS: readonly string[] = Object.keys(PROVIDER_STEPS);

/** The names of provider usage in metrics. */
export const UNIT_LABELS: Readonly<Record<UsageUnit, string>> = {
  audioSeconds: "audio_seconds",
  inputTokens: "input_tokens",
  outputTokens: "output_tokens",
  characters: "characters",
};
export const USAGE_UNIT_LABELS: readonly string[] = Object.values(UNIT_LABELS);
export const UNITS_OF_STAGE: Readonly<Record<Stage, readonly UsageUnit[]>> = {
  stt: ["audioSeconds"],
  llm: ["inputTokens", "outputTokens"],
  tts: ["characters"],
};
