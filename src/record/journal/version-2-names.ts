import type { JournalNames, ObjectNames } from "./names.ts";

const STAGES = { ear: "stt", model: "llm", voice: "tts" };
const LATENCY: ObjectNames["members"] = {
  "latency.finalMs": "finalTranscriptMs",
  "latency.askedMs": "llmRequestedMs",
  "latency.firstPieceMs": "firstSegmentMs",
};
const SEGMENT: ObjectNames = { members: { piece: "segment" } };

/** What version 3 calls by another name than version 2. */
export const VERSION_2_NAMES: JournalNames = {
  header: {
    members: {
      earHasPartials: "sttHasInterim",
      "parameters.onsetVoicedFrames": "onsetSpeechFrames",
      "parameters.wordlessVoiceMs": "wordlessSpeechMs",
      "parameters.sustainedVoiceMs": "sustainedSpeechMs",
      "parameters.steadyVoiceMs": "steadyNoiseMs",
      "parameters.voicePausesMax": "speechPausesMax",
      "parameters.digitGapMs": "dtmfGapMs",
      "parameters.modelSilenceMs": "llmSilenceMs",
      "parameters.voiceSilenceMs": "ttsSilenceMs",
    },
  },
  events: {
    "ear-partial": { kind: "stt-interim" },
    "ear-final": { kind: "stt-final" },
    "ear-failed": { kind: "stt-failed" },
    "reply-tool": { kind: "reply-tool-call" },
    "voice-chosen": { members: { speaksIt: "supportsLanguage" } },
    "provider-switched": {
      members: { engine: "stage" },
      values: { engine: STAGES, code: { silent: "timed_out", left_alone: "skipped" } },
    },
    used: { kind: "usage", members: { engine: "stage" }, values: { engine: STAGES } },
    "tool-result": { members: { key: "toolCallId" } },
    "piece-audio": { kind: "segment-audio", ...SEGMENT },
    "piece-end": { kind: "segment-end", ...SEGMENT },
    "piece-failed": { kind: "segment-failed", ...SEGMENT },
  },
  commands: {
    ask: { kind: "generate-reply" },
    "ask-ahead": { kind: "preemptive-start" },
    "forget-ahead": { kind: "preemptive-cancel" },
    "conversation-trimmed": { members: { cutResults: "truncatedResults" } },
    tool: { kind: "run-tool", members: { key: "toolCallId" } },
    language: { values: { reason: { heard: "detected" } } },
    speak: SEGMENT,
    cut: {
      kind: "cancel-reply",
      members: { voicedMs: "speechMs" },
      values: {
        reason: { voice: "sustained_speech", key: "dtmf", silence: "inactivity", model_failed: "llm_failed" },
      },
    },
    resume: { values: { reason: { voice_goes_on: "pause_timeout" } } },
    "pass-over": { kind: "ignore" },
    state: { members: LATENCY },
    turn: {
      members: {
        "turn.latency.finalMs": "finalTranscriptMs",
        "turn.latency.askedMs": "llmRequestedMs",
        "turn.latency.firstPieceMs": "firstSegmentMs",
      },
    },
  },
};
