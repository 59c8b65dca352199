import { LOCAL_STT_WINDOW_MS, TURN_MODEL_WAIT_MS_MAX } from "../../core/limits/speech-providers/local-speech.ts";
import { FRAME_MS } from "../../core/limits/streams/media.ts";
import type { LocalSpeech, PendingJob } from "../../speech/local/jobs.ts";

export interface PauseModelOptions {
  /** The processes with the turn model. */
  speech: Pick<LocalSpeech, "submit">;
  /** The rate of the caller's frames, Hz: 8,000 or 16,000. */
  rateHz: number;
  /** How probable it is, 0 to 1, that the caller's turn is over at the present pause. */
  deliver: (probability: number) => void;
}

/** So many frames without voice are a pause: the model was trained with some silence after the words. */
const PAUSE_FRAMES = 5;

/**
 * Asks the turn model at each pause of the caller, with the last 8 s of the caller's audio, which it holds. An answer that comes after
 * the caller has gone on is dropped. A frame allocates nothing; a pause allocates the audio of its job.
 */
export class PauseModel {
  readonly #options: PauseModelOptions;
  /** The last 8 s, from `#next` on and around. */
  readonly #ring: Int16Array;
  #next = 0;
  #silentFrames = 0;
  #job: PendingJob | undefined;

  constructor(options: PauseModelOptions) {
    this.#options = options;
    this.#ring = new Int16Array((LOCAL_STT_WINDOW_MS / FRAME_MS) * ((options.rateHz * FRAME_MS) / 1_000));
  }

  /** One frame of the caller's audio, borrowed. `isWanted`: a pause that it makes is to be judged. */
  frame(samples: Int16Array, isSpeech: boolean, isWanted: boolean): void {
    // The ring holds whole frames.
    this.#ring.set(samples, this.#next);
    this.#next = (this.#next + samples.length) % this.#ring.length;
    this.#silentFrames = isSpeech ? 0 : this.#silentFrames + 1;
    if (isSpeech) this.#forget();
    if (this.#silentFrames === PAUSE_FRAMES && isWanted) this.#ask();
  }

  close(): void {
    this.#forget();
  }

  #ask(): void {
    const { speech, rateHz, deliver } = this.#options;
    this.#forget();
    const samples = new Int16Array(this.#ring.length);
    samples.set(this.#ring.subarray(this.#next));
    samples.set(this.#ring.subarray(0, this.#next), this.#ring.length - this.#next);
    // Later the call has ended the turn, or waits for words.
    const deadline = { delayMs: TURN_MODEL_WAIT_MS_MAX, pastDeadline: "fail" } as const;
    const job = speech.submit({ kind: "end-of-turn", samples, rateHz }, "turn", deadline);
    this.#job = job;
    void job.outcome.then((outcome) => {
      if (this.#job !== job) return;
      this.#job = undefined;
      if (outcome.outcome === "judged") deliver(outcome.probability);
    });
  }

  /** The caller has gone on: what is asked about the last pause is not needed any more. */
  #forget(): void {
    const job = this.#job;
    this.#job = undefined;
    job?.cancel();
  }
}
