/** The policy of turn taking, in one place. Every value is milliseconds unless its name says otherwise. */
export interface TurnParameters {
  /** Speech has begun when `onsetVoicedFrames` of the last `onsetWindowFrames` frames are voiced. */
  onsetVoicedFrames: number;
  onsetWindowFrames: number;
  /** Speech has ended after this much media without voice. */
  hangoverMs: number;
  /** No voice is believed this long after the stream began: the detector's noise model has not settled. */
  settleMs: number;
  /** A carrier that stops sending (silence suppression, loss) while somebody speaks: the speech is over this much later than usual. */
  frameLossMs: number;
  /** The caller's turn is over this long after the last voiced frame, when a final transcript is there. */
  endpointMs: number;
  /** How long a final transcript is waited for after the voice ended; then the partial one counts, or nothing was said. */
  finalWaitMs: number;
  /** Where the ear tells partial words: voice that goes on without a new one for this long does not keep the turn open. */
  wordlessVoiceMs: number;
  /** Where the ear tells no partial words, voice that lasts this long interrupts the agent. */
  sustainedVoiceMs: number;
  /** A mark that has not come back this long after its audio must have been played is not waited for any more. */
  markGraceMs: number;
}

/** Measured: onset, hangover and settle for the WebRTC detector in mode 3 over G.711; the rest is the field's usual. */
export const DEFAULT_TURN_PARAMETERS: Readonly<TurnParameters> = {
  onsetVoicedFrames: 3,
  onsetWindowFrames: 5,
  hangoverMs: 300,
  settleMs: 300,
  frameLossMs: 500,
  endpointMs: 500,
  finalWaitMs: 3_000,
  wordlessVoiceMs: 2_000,
  sustainedVoiceMs: 700,
  markGraceMs: 500,
};
