import type { SpendAction, SpendLimit, SpendScope } from "../core/billing/spend.ts";
import type { Usage } from "../core/billing/usage.ts";
import type { HoldEnd } from "../core/calls/hold.ts";
import type { NetworkReport } from "../core/calls/network.ts";
import type { TransferFailure } from "../core/calls/phone-requests.ts";
import type {
  CancelReason,
  EndReason,
  IgnoreReason,
  ResumeReason,
  RetrievalFailure,
  SpeakReason,
} from "../core/calls/reasons.ts";
import type { Stage } from "../core/calls/stages.ts";
import type { StartParameters } from "../core/calls/start-parameters.ts";
import type {
  InterimUpdate,
  TranscriptTurn,
  TranscriptUpdate,
  TurnLatency,
  UtteranceUpdate,
} from "../core/calls/transcript.ts";
import type { CallMs, MediaMs } from "../core/clocks.ts";
import type { CarrierCallId, ToolCallId, TurnId } from "../core/ids.ts";
import type { PassageReference, ReplyPassages } from "../core/knowledge/call-knowledge.ts";
import type { Passage } from "../core/knowledge/passages.ts";
import type { Phrases } from "../core/phrases/names.ts";
import type { PhraseOrigin } from "../core/phrases/phrases.ts";
import type { FrameCodec } from "../media/frame-codec.ts";
import type { Prosody } from "../media/prosody/prosody.ts";
import type { FailoverCode, Message, TimedWord, ToolDescription } from "../speech/contracts.ts";
import type { TurnEnd } from "./turn-taking/turn-events.ts";

/**
 * All inputs of a call. They enter through `Call.handle(event, nowMs)` and are journaled, so that the call can be
 * replayed. None holds samples.
 */
export type CallEvent =
  /**
   * 20 ms of the caller's audio were received. `mediaMs` is their position on the carrier's clock. The object is
   * reused: do not retain it.
   */
  | { kind: "frame-in"; isSpeech: boolean; mediaMs: MediaMs }
  /** A frame of reply `turnId`, or of hold audio or DTMF tones (NO_REPLY_TURN_ID), was sent, `samples` long. The object is reused. */
  | { kind: "frame-out"; turnId: TurnId; samples: number }
  /** A deadline (`Call.nextDeadlineMs`) is due. */
  | { kind: "tick" }
  /**
   * The media stream has started, the first of the call or the one after a `leg-detached`: audio can be sent from now on. `codec` is the codec of the recorded caller frames,
   * `carrierCallId` the carrier's id of the call, `parameters` what its start handed to the call; both absent where the
   * start has none.
   */
  | { kind: "leg-started"; codec: FrameCodec; carrierCallId?: CarrierCallId; parameters?: StartParameters }
  /**
   * The leg is lost, and the call may go on with another one: nothing is received and sent until the next
   * `leg-started`.
   */
  | { kind: "leg-detached" }
  /** The leg was closed or must be closed: the caller hung up, or the peer violated the protocol. */
  | { kind: "leg-closed"; reason: EndReason }
  /** The call is to end at once, at the request of the API or the service. */
  | { kind: "end-requested"; reason: EndReason }
  /** The same, after a goodbye. */
  | { kind: "goodbye-requested"; reason: EndReason }
  /** The service failed to handle an earlier event, and the call ends. `code` is stable. */
  | { kind: "internal-error"; code: string }
  /** A mark was returned: its audio was played, or flushed by a clear. */
  | { kind: "mark"; name: string }
  /** The peer answered a ping: it has received everything that was sent before the ping. */
  | { kind: "pong" }
  /** A clear was carried out. `playedMs` is the audio played since the stream started, as counted by the peer. */
  | { kind: "cleared"; playedMs: number }
  | { kind: "dtmf"; digit: string }
  /** The caller has typed a complete text. */
  | { kind: "typed"; text: string }
  /**
   * From the STT. Texts are the whole utterance since the last final transcript. Empty ones of an STT without interim
   * transcripts say that there are no words in the speech so far, or in an utterance. `endOfTurn` is how sure the STT is
   * that the caller's turn is over, 0 to 1; absent from STT without such a signal. `lateMs`: how much
   * later than its deadline a final came.
   */
  | { kind: "stt-interim"; text: string; language?: string; endOfTurn?: number }
  | { kind: "stt-final"; text: string; language?: string; endOfTurn?: number; lateMs?: number }
  | { kind: "stt-failed"; code: string }
  /** How the caller's voice sounded before the current pause. */
  | ({ kind: "prosody" } & Prosody)
  /** How sure the local turn model is at the current pause that the caller's turn is over, 0 to 1. */
  | { kind: "turn-model"; probability: number }
  /** From the LLM, in answer to `generate-reply`. */
  | { kind: "reply-text"; turnId: TurnId; text: string }
  | { kind: "reply-tool-call"; turnId: TurnId; id: string; name: string; argumentsJson: string }
  | { kind: "reply-end"; turnId: TurnId }
  | { kind: "reply-failed"; turnId: TurnId; code: string }
  /**
   * The voice after a `language` command. Without `supportsLanguage` no voice speaks the language, and the previous one
   * stays.
   */
  | { kind: "voice-chosen"; language: string; voiceId: string; supportsLanguage: boolean }
  /**
   * Service phrases while the call is in `language`: the operator's (`file`), translated by an LLM, or English as the
   * last resort. Built-in phrases need no event.
   */
  | { kind: "phrases-chosen"; language: string; origin: PhraseOrigin; phrases: Phrases }
  /** The voice activity detector of this version decides from now on: `version` of a `VoiceActivityDetection`. */
  | { kind: "detector-changed"; detector: string }
  /** Another provider serves the call from now on, or serves this one request. */
  | { kind: "provider-switched"; stage: Stage; from: string; to: string; code: FailoverCode }
  /**
   * An LLM provider refused a prompt as longer than its model's context. From now on prompts have at most `tokensMax`
   * estimated tokens. `retried`: the request was repeated at once with a shorter prompt.
   */
  | { kind: "context-exceeded"; provider: string; tokensMax: number; retried: boolean }
  /**
   * Usage that a provider bills. The last of it may follow the call's end. `preemptive`: it is of the reply that the
   * `preemptive-start` of that number requested, from 1.
   */
  | { kind: "usage"; stage: Stage; provider: string; usage: Usage; preemptive?: number }
  /** What was measured of the network of a leg on RTP since its report before. The last one may follow the call's end. */
  | ({ kind: "network" } & NetworkReport)
  /**
   * The call or its account (`scope`) has reached `limit`, and no request was sent to the provider. The agent says so,
   * and the call ends or continues without the answer (`action`).
   */
  | { kind: "limit-reached"; scope: SpendScope; limit: SpendLimit; action: SpendAction }
  /** The carrier is about to ring the target of a transfer. The agent is silent, and its leg may be lost, until it is over. */
  | { kind: "transfer-started"; target: string }
  /** The transfer led to nothing: the agent says so, on the leg that is there or on the next one. */
  | { kind: "transfer-failed"; target: string; outcome: TransferFailure }
  /** The answer to a `transfer` command that is not carried out. `text` says why, for the LLM: a sentence. */
  | { kind: "transfer-refused"; text: string }
  /** The API puts the caller on hold, for `msMax` at most. No effect where `Call.holdRefusal` gives a reason. */
  | { kind: "hold-requested"; msMax: number }
  /** The API ends the hold. No effect where there is none. */
  | { kind: "resume-requested" }
  /** The API sends digits to the other end, as tones in the agent's audio. */
  | { kind: "dtmf-requested"; digits: string }
  /** A program pauses or resumes the recording. No effect where `Call.recordingRefusal` gives a reason. */
  | { kind: "recording-pause-requested" }
  | { kind: "recording-resume-requested" }
  /**
   * Only of a live transcription. What was said until now is to become an utterance at once; with `endReason` the transcription ends
   * with it.
   */
  | { kind: "finalize-requested"; endReason?: EndReason }
  /** The result of a `run-tool` command. With `retrieval` where corpora were asked: what was found, and in which time. */
  | {
      kind: "tool-result";
      turnId: TurnId;
      toolCallId: ToolCallId;
      result: string;
      failed: boolean;
      retrieval?: ReplyPassages;
    }
  /** The answer to a `retrieve` command, the best first; it took `tookMs`. */
  | { kind: "passages"; retrieval: number; tookMs: number; passages: readonly Passage[] }
  /** There is none. */
  | { kind: "retrieval-failed"; retrieval: number; code: string }
  /**
   * From the TTS, in answer to `speak`. `samples` counts at the leg's rate and includes the padding of a segment's last
   * frame.
   */
  | { kind: "segment-audio"; turnId: TurnId; segment: number; samples: number; words: readonly TimedWord[] }
  | { kind: "segment-end"; turnId: TurnId; segment: number; samples: number }
  | { kind: "segment-failed"; turnId: TurnId; segment: number; code: string };

/** All outputs of a call. They are passed to the sink that was given at construction. */
export type CallCommand =
  /** Request a reply from the LLM; its events carry this `turnId`. */
  | {
      kind: "generate-reply";
      turnId: TurnId;
      messages: readonly Message[];
      tools: readonly ToolDescription[];
      language: string;
    }
  /**
   * The prompt of the next `generate-reply` would exceed `tokensMax` estimated tokens: the oldest turns were dropped
   * for good, and tool results were truncated where that was not enough. `tokens` is the size after trimming.
   */
  | {
      kind: "conversation-trimmed";
      turnId: TurnId;
      droppedTurns: number;
      droppedMessages: number;
      truncatedResults: number;
      tokens: number;
      tokensMax: number;
    }
  /**
   * Request a reply to what may be the caller's complete turn, and buffer it for the next `generate-reply`. Nothing of
   * it may be used before that. `preemptive-cancel` discards it.
   */
  | { kind: "preemptive-start"; messages: readonly Message[]; tools: readonly ToolDescription[]; language: string }
  /** The caller's turn became a different one. */
  | { kind: "preemptive-cancel" }
  /**
   * Ask the corpora of the call for what the caller has said so far; `passages` or `retrieval-failed` follows, with the same number.
   * It takes the place of an earlier question that has no answer yet.
   */
  | { kind: "retrieve"; retrieval: number; question: string; language: string }
  /** The turn is over, and its answer waits for the passages, for `waitMsMax` at most. */
  | { kind: "await-passages"; turnId: TurnId; retrieval: number; waitMsMax: number }
  /** The next `generate-reply` of this reply has these passages, the best first. It has waited for them for `waitMs`. */
  | {
      kind: "passages-used";
      turnId: TurnId;
      retrieval: number;
      tookMs: number;
      waitMs: number;
      passages: readonly PassageReference[];
    }
  /** A question to the corpora came to nothing. What has no answer yet is to be aborted. */
  | { kind: "retrieval-ended"; retrieval: number; outcome: RetrievalFailure }
  /** Run a tool; its `tool-result` carries the same `toolCallId`. */
  | {
      kind: "run-tool";
      turnId: TurnId;
      toolCallId: ToolCallId;
      name: string;
      arguments: Readonly<Record<string, unknown>>;
    }
  /**
   * Send DTMF to the peer, where the wire or the telephone network supports it. With `inBand` as tones in the agent's audio, at once:
   * a reply or hold audio that is being sent waits, and goes on after them.
   */
  | { kind: "send-dtmf"; digits: string; inBand?: true }
  /** From now on the call is in this language: for the TTS, and for an STT that needs to know the language. */
  | { kind: "language"; language: string; reason: "detected" | "tool" }
  /**
   * Transfer the caller. The call ends with that; or, with `phoneControl` in its spec, `transfer-started` or `transfer-refused`
   * follows.
   */
  | { kind: "transfer"; target: string }
  /** The caller is on hold from now on: send hold audio in place of replies, and give the STT nothing. For `msMax` at most. */
  | { kind: "held"; msMax: number }
  /**
   * The hold is over after `heldMs`: send no more hold audio, and have the peer drop what it has not played; not with `clear: false`,
   * where DTMF tones are among it.
   */
  | { kind: "resumed"; reason: HoldEnd; heldMs: number; clear?: false }
  /** From now on neither audio nor words of the call are stored. */
  | { kind: "recording-paused" }
  /** They are stored again, after `pausedMs`. */
  | { kind: "recording-resumed"; pausedMs: number }
  /** Synthesize a segment after the segments before it, and send it in order. Service phrases have a `reason`. */
  | { kind: "speak"; turnId: TurnId; segment: number; text: string; reason?: SpeakReason }
  /** Send a mark directly after the last frame sent. */
  | { kind: "mark"; name: string }
  /**
   * Abort the LLM and the TTS of this reply and drop what has not been sent. `clear` also drops what the peer has not
   * played, and is false while DTMF tones are among it. `heardText` is what the caller heard of it. `speechMs` is how long the caller had been speaking when speech
   * interrupted it.
   */
  | { kind: "cancel-reply"; turnId: TurnId; clear: boolean; reason: CancelReason; speechMs: number; heardText: string }
  /** Stop sending this reply for now: the caller makes a sound, and it is not clear yet whether it interrupts. */
  | { kind: "pause"; turnId: TurnId }
  /** It was no interruption: continue with the sample after the last one sent. */
  | { kind: "resume"; turnId: TurnId; reason: ResumeReason }
  /**
   * The caller has not heard the last `samples` samples that were sent of this reply, whole frames, because the leg was
   * lost: send them again, before the rest.
   */
  | { kind: "rewind"; turnId: TurnId; samples: number }
  /**
   * Ask an STT without interim transcripts for the words of the caller's speech so far. It answers by `stt-interim`,
   * with an empty text where there are none, or not at all.
   */
  | { kind: "request-interim" }
  /**
   * The caller's turn is over after a pause of `pauseMs` since the last voiced frame, and is answered. `waitMs`,
   * `probability` and `reasons` are the decision; `summary` is the same for people. Until the answer is audible, further
   * words reopen the turn.
   */
  | ({ kind: "turn-ended"; summary: string } & TurnEnd)
  /** These words over the agent need no answer: a back-channel, or with `reason` something else. */
  | { kind: "ignore"; text: string; startMs: CallMs; endMs: CallMs; reason?: IgnoreReason }
  /** The agent's state from now on. For the first audio of an answer, `latency` says where the time was spent. */
  | { kind: "state"; state: CallState; latency?: TurnLatency }
  /** A turn is complete and final: the transcript is these turns, in order. */
  | { kind: "turn"; turn: TranscriptTurn }
  | TranscriptUpdate
  | InterimUpdate
  | UtteranceUpdate
  /** Only of a live transcription: have the STT send the final of what it was given. */
  | { kind: "finalize-stt" }
  /** The last command of a call, emitted once. `audioMs`: how much audio a live transcription has had. */
  | { kind: "end"; reason: EndReason; audioMs?: number };

/** What the agent is doing, for wires that can show it. `held`: the caller is on hold. */
export type CallState = "listening" | "thinking" | "speaking" | "held";

export type CallSink = (command: CallCommand) => void;
