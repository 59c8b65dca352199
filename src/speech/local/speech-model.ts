/** A speech recognition model, loaded in a child process. It transcribes one utterance at a time. */
export interface SpeechModel {
  /** A short name for logs, metrics and records: `moonshine-tiny-en`. */
  readonly name: string;
  /** The languages that it transcribes, codes as in `GET /languages`. */
  readonly languages: readonly string[];
  /**
   * Transcribes `samples`, 16,000 Hz, -1 to 1, at most LOCAL_STT_WINDOW_MS; borrowed until the promise settles. `shouldStop` is asked
   * between tokens: the pass then ends early, with what there is.
   */
  transcribe(samples: Float32Array, options: TranscribeOptions): Promise<Hypothesis>;
}

export interface TranscribeOptions {
  /** A code of `languages`. */
  readonly language: string;
  readonly shouldStop: () => boolean | Promise<boolean>;
}

/** What a pass has understood. */
export interface Hypothesis {
  /** Empty where there are no words, and where the guard against invented words refused them. */
  readonly text: string;
  /** The mean natural logarithm of the tokens' probabilities; 0 for an empty text. */
  readonly averageLogProbability: number;
  /** The pass was stopped before its end. */
  readonly isStopped: boolean;
}
