import type { SpendAction, SpendLimit, SpendScope } from "../core/billing/spend.ts";
import type { Usage } from "../core/billing/usage.ts";
import type {
  CancelReason,
  EndReason,
  ResumeReason,
  SpeakReason,
  TranscriptTurn,
  TurnLatency,
} from "../core/calls/spec.ts";
import type { Stage } from "../core/metrics/worker-metrics.ts";
import type { PhraseOrigin, Phrases } from "../core/phrases/phrases.ts";
import type { FrameCodec } from "../media/frame-codec.ts";
import type { FailoverCode, Message, TimedWord, ToolDescription } from "../speech/contracts.ts";

/**
 * Everything that may happen to a call. All of it enters by `Call.handle(event, nowMs)` and all of it is journaled,
 * so that a call can be replayed. None of it holds samples.
 */
export type CallEvent =
  /** 20 ms of the caller's audio went over the bus. `mediaMs` is its place on the carrier's own clock. Reused: read, don't keep. */
  | { kind: "frame-in"; isSpeech: boolean; mediaMs: number }
  /** A frame of reply `turnId` was sent, `samples` long. Reused. */
  | { kind: "frame-out"; turnId: number; samples: number }
  /** A deadline (`Call.nextDeadlineMs`) has come. */
  | { kind: "tick" }
  /**
   * The carrier's stream has begun: from here on audio can be sent. `codec` is what the caller's frames are kept in, `carrierCallId`
   * the carrier's own id for the call.
   */
  | { kind: "leg-started"; codec: FrameCodec; carrierCallId?: string }
  /** The leg is gone, or must go: the caller hung up, or the peer broke a rule. */
  | { kind: "leg-closed"; reason: EndReason }
  /** Somebody other than the two speakers wants the call to end. */
  | { kind: "end-requested"; reason: EndReason }
  /** The same, but the caller is to hear us say goodbye first. */
  | { kind: "goodbye-requested"; reason: EndReason }
  /** The service itself failed at what came before: the call ends. `code` is stable. */
  | { kind: "internal-error"; code: string }
  /** A mark came back: played, or flushed by a clear. */
  | { kind: "mark"; name: string }
  /** The peer answered a ping: all that was sent before the ping has reached it. */
  | { kind: "pong" }
  /** A clear was carried out: so much was played since the stream began, by the far end's own count. */
  | { kind: "cleared"; playedMs: number }
  | { kind: "dtmf"; digit: string }
  /** The caller typed something, and is done with it. */
  | { kind: "typed"; text: string }
  /** The ear. Texts are the whole utterance since the last final. */
  | { kind: "stt-interim"; text: string; language?: string }
  | { kind: "stt-final"; text: string; language?: string }
  | { kind: "stt-failed"; code: string }
  /** The model, answering `ask`. */
  | { kind: "reply-text"; turnId: number; text: string }
  | { kind: "reply-tool-call"; turnId: number; id: string; name: string; argumentsJson: string }
  | { kind: "reply-end"; turnId: number }
  | { kind: "reply-failed"; turnId: number; code: string }
  /** Which voice speaks from here on, after a `language`: where none `speaksIt`, the one there was. */
  | { kind: "voice-chosen"; language: string; voiceId: string; supportsLanguage: boolean }
  /**
   * Service phrases from here on, while the call is in `language`: an operator's own phrases (`file`), those
   * that an LLM translated, or English where there is nothing else. Built-in phrases as they are need no such event.
   */
  | { kind: "phrases-chosen"; language: string; origin: PhraseOrigin; phrases: Phrases }
  /** Another provider serves the call from here on, or for this one answer. */
  | { kind: "provider-switched"; stage: Stage; from: string; to: string; code: FailoverCode }
  /**
   * An LLM provider refused a prompt as longer than its model's context. From here on prompts are at most `tokensMax` estimated tokens;
   * `retried` when the same question was asked again at once, that much shorter.
   */
  | { kind: "context-exceeded"; provider: string; tokensMax: number; retried: boolean }
  /** A provider did so much for the call. The last of it may stand behind the call's end. */
  | { kind: "usage"; stage: Stage; provider: string; usage: Usage }
  /**
   * The call, or its account (`scope`), may spend no more of `limit`, and a provider was not asked: the agent says so, and the call
   * ends or goes on without the answer (`action`).
   */
  | { kind: "limit-reached"; scope: SpendScope; limit: SpendLimit; action: SpendAction }
  /** What came of a `tool`. */
  | { kind: "tool-result"; turnId: number; toolCallId: string; result: string; failed: boolean }
  /** The voice, answering `speak`. `samples` counts at the leg's rate, padding of a piece's last frame included. */
  | { kind: "segment-audio"; turnId: number; segment: number; samples: number; words: readonly TimedWord[] }
  | { kind: "segment-end"; turnId: number; segment: number; samples: number }
  | { kind: "segment-failed"; turnId: number; segment: number; code: string };

/** Everything a call may ask of the world. Commands leave through the sink that was given at construction. */
export type CallCommand =
  /** Ask the model; its events come back with this `turnId`. */
  | {
      kind: "generate-reply";
      turnId: number;
      messages: readonly Message[];
      tools: readonly ToolDescription[];
      language: string;
    }
  /**
   * The prompt of the next `ask` would have come to more than `tokensMax` estimated tokens: the oldest turns are gone for good, and
   * results of tools are cut where that was not enough. `tokens` is what it comes to now.
   */
  | {
      kind: "conversation-trimmed";
      turnId: number;
      droppedTurns: number;
      droppedMessages: number;
      truncatedResults: number;
      tokens: number;
      tokensMax: number;
    }
  /**
   * Ask the model for what may turn out to be the caller's turn, and keep what it answers: the next `ask` is answered with that. Until
   * then, or `preemptive-cancel`, nothing of it may be seen.
   */
  | { kind: "preemptive-start"; messages: readonly Message[]; tools: readonly ToolDescription[]; language: string }
  /** It turned out otherwise. */
  | { kind: "preemptive-cancel" }
  /** Carry out a tool; `key` comes back with what came of it. */
  | { kind: "run-tool"; turnId: number; toolCallId: string; name: string; arguments: Readonly<Record<string, unknown>> }
  /** Press keys towards the far end, where the wire can. */
  | { kind: "send-dtmf"; digits: string }
  /** From here on the call is in this language: what is spoken, and what is listened for where the ear must be told. */
  | { kind: "language"; language: string; reason: "detected" | "tool" }
  /** The caller is to be handed on; the call ends with that. */
  | { kind: "transfer"; target: string }
  /** Synthesise a piece behind the pieces before it, and send it in its turn. Words of our own have a `reason`. */
  | { kind: "speak"; turnId: number; segment: number; text: string; reason?: SpeakReason }
  /** Send a mark right behind the last frame that was sent. */
  | { kind: "mark"; name: string }
  /**
   * Abort the model and the synthesis of this reply and drop what has not been sent; `clear` also drops what the carrier has
   * not played. `heardText` is what the caller heard of it, `voicedMs` for how long there was voice when voice did it.
   */
  | { kind: "cancel-reply"; turnId: number; clear: boolean; reason: CancelReason; speechMs: number; heardText: string }
  /** Send no more of this reply for now: the caller makes a sound, and it is not known yet what it is. */
  | { kind: "pause"; turnId: number }
  /** It was nothing: go on from the sample behind the last one that was sent. */
  | { kind: "resume"; turnId: number; reason: ResumeReason }
  /** The caller said this over the agent, and it asks for no answer. */
  | { kind: "ignore"; text: string; startMs: number; endMs: number }
  /** What the agent does from here on. An answer that begins to be heard tells where the time before it went. */
  | { kind: "state"; state: CallState; latency?: TurnLatency }
  /** A turn is over and will not change any more: the transcript is these, in order. */
  | { kind: "turn"; turn: TranscriptTurn }
  /** The last command of a call, once. */
  | { kind: "end"; reason: EndReason };

/** What the agent does, for wires that can show it. */
export type CallState = "listening" | "thinking" | "speaking";

export type CallSink = (command: CallCommand) => void;
