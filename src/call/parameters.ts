/** The policy of turn taking, in one place. Every value is milliseconds unless its name says otherwise. */
export interface TurnParameters {
  /** Speech has begun when `onsetVoicedFrames` of the last `onsetWindowFrames` frames are voiced. */
  onsetSpeechFrames: number;
  onsetWindowFrames: number;
  /** Speech has ended after this much media without voice. */
  hangoverMs: number;
  /** No voice is believed this long after the stream began: the detector's noise model has not settled. */
  settleMs: number;
  /** A carrier that stops sending (silence suppression, loss) while somebody speaks: the speech is over this much later than usual. */
  frameLossMs: number;
  /** The caller's turn is over this long after the last voiced frame, when a final transcript is there. */
  endpointMs: number;
  /** The same where that transcript ends a sentence. Less than `hangoverMs` changes nothing. */
  endpointSentenceMs: number;
  /** The same where it trails off: with a comma, an "and", an "um". */
  endpointTrailingMs: number;
  /** How long a final transcript is waited for after the voice ended; then the partial one counts, or nothing was said. */
  finalWaitMs: number;
  /** Where the ear tells partial words: voice that goes on without a new one for this long does not keep the turn open. */
  wordlessSpeechMs: number;
  /**
   * Where the ear tells no partial words, voice that lasts this long interrupts the agent. The detector's own tail and `hangoverMs`
   * count with it: of a sound that is over they are some 400 ms.
   */
  sustainedSpeechMs: number;
  /** Voice that has gone on for this long without a word is a noise of the line, and stops no reply that begins behind it. */
  steadyNoiseMs: number;
  /** Voice alone pauses one reply so often at most: babble must not stall the agent. A count. */
  speechPausesMax: number;
  /** A paused reply goes on this long after the voice that paused it, unless a word has cut it. */
  resumeMs: number;
  /** It goes on in any case after this long, when the voice goes on and tells no word. */
  pauseMsMax: number;
  /** A back-channel that ended no longer than this before the agent did is an answer to it ("shall I?", "yes"). */
  backChannelAnswerMs: number;
  /**
   * The model is asked ahead when the caller's words have not changed, and no voice was heard, for this long, or twice as long where
   * the last words came before the voice ended; what it answers is kept only if they are the same when the turn is over. 0: never.
   */
  preemptiveMs: number;
  /** The first piece of a reply is spoken as soon as a clause of so many characters is there, not the whole sentence. A count. */
  firstClauseChars: number;
  /** An entry of keys is over this long after its last one. */
  dtmfGapMs: number;
  /** A reply that is not audible by then begins with a few words of our own. */
  fillerMs: number;
  /** Tools that run for so long, with nothing to be heard meanwhile, are excused likewise. */
  toolFillerMs: number;
  /** A model that tells nothing for so long has failed. */
  llmSilenceMs: number;
  /** A voice that has a piece to speak and tells nothing for so long has failed. */
  ttsSilenceMs: number;
  /** A mark that has not come back this long after its audio must have been played is not waited for any more. */
  markGraceMs: number;
  /**
   * The playback clock is believed for this long after the last confirmation: a frame, mark or pong of the peer. What it says was
   * played later is not counted as heard until the next confirmation.
   */
  confirmationMs: number;
}

/** Measured: onset, hangover and settle for the WebRTC detector in mode 3 over G.711; the rest is the field's usual. */
export const DEFAULT_TURN_PARAMETERS: Readonly<TurnParameters> = {
  onsetSpeechFrames: 3,
  onsetWindowFrames: 5,
  hangoverMs: 300,
  settleMs: 300,
  frameLossMs: 500,
  endpointMs: 500,
  endpointSentenceMs: 350,
  endpointTrailingMs: 1_000,
  finalWaitMs: 3_000,
  wordlessSpeechMs: 2_000,
  sustainedSpeechMs: 1_100,
  steadyNoiseMs: 4_000,
  speechPausesMax: 2,
  resumeMs: 800,
  pauseMsMax: 2_000,
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

/** The same, with replies that are begun before it is certain that the caller is done. */
export const PREEMPTIVE_TURN_PARAMETERS: Readonly<TurnParameters> = { ...DEFAULT_TURN_PARAMETERS, preemptiveMs: 200 };
