/**
 * How the caller's voice went into a pause, and what became of the pause. Whole milliseconds, because they are journaled. Pitch and
 * the length of the last syllable were measured, too, and say nothing: see bench/README.md.
 */
export interface Prosody {
  /** For how long the caller had been quiet when the last voiced frame was there: detectors hear speech for longer than it lasts. */
  readonly quietMs: number;
  /** How long after that frame a sound came back, which may be speech that is not detected yet; 0 where none did. */
  readonly soundMs: number;
}
