import { MAX_WORDLESS_S_DEFAULT } from "../core/limits/calls/calls.ts";
import { DEFAULT_SEGMENTATION, type SegmentationParameters } from "../media/voice-activity/segmentation.ts";

/** The parameters of turn taking. Every value is in milliseconds unless its name says otherwise. */
export interface TurnParameters extends SegmentationParameters {
  /** Without a score: the caller's turn ends this long after the last voiced frame, when a final transcript is there. */
  endpointMs: number;
  /** The same where that transcript ends a sentence. Values below `hangoverMs` have no effect. */
  endpointSentenceMs: number;
  /** The same where that sentence is a question. */
  endpointQuestionMs: number;
  /** The same where the transcript trails off: with a comma, an "and", an "um". */
  endpointTrailingMs: number;
  /**
   * The caller's turn ends with a pause between this and `turnWaitMsMax`, as what is known of it makes probable: see
   * `decideEndOfTurn`.
   */
  turnWaitMsMin: number;
  /** 0: turns end by the four pauses above, as in calls of older builds, and whatever else is known of them. */
  turnWaitMsMax: number;
  /**
   * How long to wait for a final transcript after speech has ended; then the interim one counts, or nothing was said.
   */
  finalWaitMs: number;
  /** With interim transcripts: speech that goes on without a new word for this long does not keep the turn open. */
  wordlessSpeechMs: number;
  /**
   * Without interim transcripts: the STT is asked for the words of speech over the agent when it has lasted this long,
   * which is enough for a word.
   */
  interimRequestMs: number;
  /** It is asked again no sooner than this, while the speech goes on. */
  interimIntervalMs: number;
  /** How often it is asked over one reply. A count. */
  interimRequestsMax: number;
  /**
   * Speech that has gone on for this long without a word is background noise, and does not interrupt a reply that
   * starts after it.
   */
  steadyNoiseMs: number;
  /** How often speech without words may pause one reply: babble must not stall the agent. A count. */
  speechPausesMax: number;
  /** A paused reply resumes this long after the speech that paused it, unless a word has interrupted it. */
  resumeMs: number;
  /** It resumes after this long in any case, when the speech goes on without a word. */
  pauseMsMax: number;
  /**
   * Without interim transcripts: while the caller speaks, the STT is asked for words from this long before the
   * inactivity timeout expires.
   */
  inactivityRequestMs: number;
  /** An expired inactivity timeout waits at most this long for speech that may still become words. */
  inactivityGraceMs: number;
  /**
   * The call ends when the caller has given no words, DTMF or typed text for this long, whatever else is heard; or for
   * the call's `inactivityTimeout`, where that is longer. Set by `MAX_WORDLESS_S`.
   */
  wordlessCallMsMax: number;
  /**
   * A transcript is compared with what the agent played in the last `echoWindowMs`, to tell an echo of it from the
   * caller's words. 0: never.
   */
  echoWindowMs: number;
  /** A back-channel that ended no longer than this before the agent did is an answer to it ("shall I?", "yes"). */
  backChannelAnswerMs: number;
  /**
   * Preemptive generation starts when, for this long, the caller's words have not changed and no speech was detected;
   * or twice as long where the last words came before speech ended. The reply is used only if the words are the same at
   * the end of the turn. 0: never.
   */
  preemptiveMs: number;
  /**
   * The first segment of a reply is spoken once a clause of this many characters is there, before the sentence is
   * complete. A count.
   */
  firstClauseChars: number;
  /** A DTMF entry is complete this long after its last digit. */
  dtmfGapMs: number;
  /** A reply that is not audible after this time starts with a filler. */
  fillerMs: number;
  /** Tools that run for this long while nothing is played get a filler, too. */
  toolFillerMs: number;
  /** An LLM that sends nothing for this long has failed. */
  llmSilenceMs: number;
  /** A TTS that has a segment to speak and sends nothing for this long has failed. */
  ttsSilenceMs: number;
  /** A mark that is not returned this long after the end of its audio's playout is not awaited any more. */
  markGraceMs: number;
  /**
   * The playback clock is trusted for this long after the last confirmation: a frame, mark or pong from the peer. What
   * it reports as played later is not counted as heard until the next confirmation.
   */
  confirmationMs: number;
}

/** Those of turn taking itself are common values. */
export const DEFAULT_TURN_PARAMETERS: Readonly<TurnParameters> = {
  ...DEFAULT_SEGMENTATION,
  endpointMs: 500,
  endpointSentenceMs: 500,
  endpointQuestionMs: 350,
  endpointTrailingMs: 1_000,
  turnWaitMsMin: 60,
  turnWaitMsMax: 1_000,
  finalWaitMs: 3_000,
  wordlessSpeechMs: 2_000,
  interimRequestMs: 500,
  interimIntervalMs: 1_000,
  interimRequestsMax: 8,
  steadyNoiseMs: 4_000,
  speechPausesMax: 2,
  resumeMs: 800,
  pauseMsMax: 2_000,
  inactivityRequestMs: 2_000,
  inactivityGraceMs: 1_500,
  wordlessCallMsMax: MAX_WORDLESS_S_DEFAULT * 1_000,
  echoWindowMs: 20_000,
  backChannelAnswerMs: 1_000,
  preemptiveMs: 0,
  firstClauseChars: 24,
  dtmfGapMs: 2_500,
  fillerMs: 2_500,
  toolFillerMs: 1_500,
  llmSilenceMs: 8_000,
  ttsSilenceMs: 8_000,
  markGraceMs: 500,
  confirmationMs: 100,
};

/** The same, with preemptive generation. */
export const PREEMPTIVE_TURN_PARAMETERS: Readonly<TurnParameters> = { ...DEFAULT_TURN_PARAMETERS, preemptiveMs: 200 };
