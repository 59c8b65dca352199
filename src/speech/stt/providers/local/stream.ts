import { strict as assert } from "node:assert";
import { providerFailed } from "../../../../core/errors.ts";
import {
  LOCAL_STT_FINAL_MS_MAX,
  LOCAL_STT_FIRST_INTERVAL_MS_MIN,
  LOCAL_STT_INTERIM_INTERVAL_FACTOR,
  LOCAL_STT_INTERIM_INTERVAL_MS_MAX,
  LOCAL_STT_INTERIM_INTERVAL_MS_MIN,
  LOCAL_STT_INTERIM_WAIT_MS_MAX,
  LOCAL_STT_PAUSE_MS,
  LOCAL_STT_PENDING_MS_MAX,
  LOCAL_STT_PROMPT_INTERVAL_MS_MIN,
} from "../../../../core/limits/speech-providers/local-speech.ts";
import { FRAME_MS } from "../../../../core/limits/streams/media.ts";
import { NO_SPEECH, type SpeechActivity } from "../../../../media/voice-activity/speech-activity.ts";
import type { SttEvent, SttStream } from "../../../contracts.ts";
import { EventQueue } from "../../../event-queue.ts";
import type { Deadline, JobOutcome, LocalSpeech, PendingJob, Urgency } from "../../../local/jobs.ts";
import { TIMED_OUT } from "../../../resilience/provider-error.ts";
import { transcriptText } from "../../transcript-text.ts";
import { UtteranceBuffer } from "../../utterance-buffer.ts";
import { UtteranceText } from "./utterance-text.ts";
import { nextWindowStart, windowSamples } from "./windows.ts";

export const PROVIDER = "local";

export interface LocalSttStreamOptions {
  speech: LocalSpeech;
  /** A language of the model. */
  language: string;
  /** 8,000 or 16,000. */
  rateHz: number;
  /** A provider follows. Without one, a final that is not done in time comes late. */
  hasFallback: boolean;
  /** Somebody reads the interims. */
  promptInterims: boolean;
}

const PAUSE_FRAMES = LOCAL_STT_PAUSE_MS / FRAME_MS;
const FIRST_FRAMES_MIN = LOCAL_STT_FIRST_INTERVAL_MS_MIN / FRAME_MS;
const INTERIM_FRAMES_MIN = LOCAL_STT_INTERIM_INTERVAL_MS_MIN / FRAME_MS;
const PROMPT_FRAMES_MIN = LOCAL_STT_PROMPT_INTERVAL_MS_MIN / FRAME_MS;
const INTERIM_FRAMES_MAX = LOCAL_STT_INTERIM_INTERVAL_MS_MAX / FRAME_MS;
const INTERIM_DEADLINE: Deadline = { delayMs: LOCAL_STT_INTERIM_WAIT_MS_MAX, pastDeadline: "drop" };

/** An utterance: the one that is being spoken, and then until its final is there. */
interface Utterance {
  readonly text: UtteranceText;
  /** The samples that its final pass hears; undefined while it is being spoken: then they are in the buffer. */
  samples: Int16Array | undefined;
  /** What a pass over all of its speech has understood: its final, unless the caller goes on. */
  complete: { text: string; lateMs: number } | undefined;
}

/** A pass over audio of an utterance. `window` hears the first window of one that is longer than that. */
interface Pass {
  readonly purpose: "interim" | "pause" | "window" | "final";
  readonly utterance: Utterance;
  readonly job: PendingJob;
  /** The caller spoke after the audio of the pass. */
  isOutdated: boolean;
}

/**
 * The stream of one call. Utterances are divided by the call's own speech; one pass at a time hears the growing utterance: at
 * intervals for interims, at a pause, because it may be the end, and at the end unless the pass at the pause has heard everything.
 */
export class LocalSttStream implements SttStream {
  readonly events: EventQueue<SttEvent>;
  readonly #options: LocalSttStreamOptions;
  readonly #signal: AbortSignal;
  readonly #failed = new AbortController();
  readonly #buffer = new UtteranceBuffer();
  #current: Utterance;
  /** Utterances that are over, the oldest first. */
  readonly #ended: Utterance[] = [];
  #pass: Pass | undefined;
  /** Frames since the last pass has ended, or since the utterance began; and how many there have to be before the next one. */
  #frames = 0;
  #intervalFrames = FIRST_FRAMES_MIN;
  /**
   * The part of them that other calls cause, because the last pass waited for a child or was dropped. A new utterance begins with it
   * and not with what a pass over the end of the last one took.
   */
  #loadFrames = 0;
  /** The audio since the caller's last voiced frame was given to a pass. */
  #isPauseTranscribed = false;

  constructor(options: LocalSttStreamOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = AbortSignal.any([signal, this.#failed.signal]);
    this.#current = this.#newUtterance();
    this.events = new EventQueue(signal);
    this.#signal.addEventListener("abort", () => this.#end(), { once: true });
  }

  write(frame: Int16Array, activity: SpeechActivity = NO_SPEECH): void {
    if (this.#signal.aborted) return;
    const hadSpeech = this.#buffer.currentSamples > 0;
    const samples = this.#buffer.write(frame, activity);
    this.#frames = hadSpeech ? this.#frames + 1 : 0;
    if (activity.isSpeech && activity.isSpeaking) this.#onSpeech();
    if (samples !== undefined) this.#onUtteranceEnd(samples);
    else if (this.#buffer.currentSamples > 0) this.#transcribeCurrent(activity);
  }

  #newUtterance(): Utterance {
    return { text: new UtteranceText(this.#options.language), samples: undefined, complete: undefined };
  }

  #onSpeech(): void {
    this.#isPauseTranscribed = false;
    this.#current.complete = undefined;
    if (this.#pass !== undefined) this.#pass.isOutdated = true;
  }

  #transcribeCurrent({ silentFrames }: SpeechActivity): void {
    if (silentFrames >= PAUSE_FRAMES) {
      if (this.#isPauseTranscribed || this.#ended.length > 0) return;
      if (this.#pass?.purpose === "interim") this.#cancelPass();
      if (this.#pass === undefined) this.#startOnCurrent("pause");
    } else if (this.#pass === undefined && this.#frames > this.#intervalFrames) {
      this.#startOnCurrent("interim");
    }
  }

  /** A pass over the utterance that is being spoken, or over its first window. */
  #startOnCurrent(purpose: "interim" | "pause"): void {
    const whole = windowSamples(this.#options.rateHz);
    const isWindow = this.#buffer.currentSamples > whole;
    const samples = this.#buffer.current(whole);
    if (samples === undefined) return;
    if (purpose === "pause" && !isWindow) this.#isPauseTranscribed = true;
    const deadline = purpose === "interim" ? INTERIM_DEADLINE : undefined;
    this.#start(isWindow ? "window" : purpose, this.#current, samples, purpose, deadline);
  }

  #start(
    purpose: Pass["purpose"],
    utterance: Utterance,
    samples: Int16Array,
    urgency: Urgency,
    deadline: Deadline | undefined,
  ): void {
    const { speech, language, rateHz } = this.#options;
    const job = speech.submit({ kind: "transcribe", samples, rateHz, language }, urgency, deadline);
    const pass: Pass = { purpose, utterance, job, isOutdated: false };
    this.#pass = pass;
    void job.outcome.then((outcome) => {
      // A pass that was cancelled is not this stream's pass any more.
      if (this.#pass !== pass || this.#signal.aborted) return;
      this.#pass = undefined;
      this.#onPassEnd(pass, outcome, samples);
      this.#continue();
    });
  }

  #cancelPass(): void {
    const pass = this.#pass;
    this.#pass = undefined;
    pass?.job.cancel();
  }

  /** The call takes the speech as over, or the utterance has become too long. */
  #onUtteranceEnd(samples: Int16Array): void {
    const utterance = this.#current;
    utterance.samples = samples;
    this.#current = this.#newUtterance();
    this.#isPauseTranscribed = false;
    this.#frames = 0;
    this.#setInterval(this.#loadFrames);
    this.#ended.push(utterance);
    const pendingSamples = this.#ended.reduce((sum, ended) => sum + (ended.samples?.length ?? 0), 0);
    if (pendingSamples * 1_000 > LOCAL_STT_PENDING_MS_MAX * this.#options.rateHz) {
      this.#fail(providerFailed(PROVIDER, "transcribes slower than real time"));
      return;
    }
    const pass = this.#pass;
    if (pass?.utterance === utterance) {
      // Its result is the final, or the part of it that comes first.
      if (pass.purpose === "window" || (pass.purpose === "pause" && !pass.isOutdated))
        pass.job.raise(this.#finalDeadline);
      else this.#cancelPass();
    }
    this.#continue();
  }

  get #finalDeadline(): Deadline {
    return { delayMs: LOCAL_STT_FINAL_MS_MAX, pastDeadline: this.#options.hasFallback ? "fail" : "wait" };
  }

  /** Starts what the oldest utterance that is over needs next, unless a pass runs. */
  #continue(): void {
    while (this.#pass === undefined && !this.#signal.aborted) {
      const [oldest] = this.#ended;
      if (oldest?.samples === undefined) return;
      if (oldest.complete !== undefined) this.#emitFinal(oldest.complete);
      else {
        const whole = windowSamples(this.#options.rateHz);
        const isWindow = oldest.samples.length > whole;
        const samples = oldest.samples.slice(0, whole);
        this.#start(isWindow ? "window" : "final", oldest, samples, "final", this.#finalDeadline);
      }
    }
  }

  #emitFinal({ text, lateMs }: { text: string; lateMs: number }): void {
    this.#ended.shift();
    // An empty final says that there were no words.
    this.events.push({ kind: "final", text: transcriptText(text), ...(lateMs > 0 && { lateMs: Math.round(lateMs) }) });
  }

  #onPassEnd(pass: Pass, outcome: JobOutcome, samples: Int16Array): void {
    this.#frames = 0;
    const isNeeded = pass.purpose === "final" || pass.utterance.samples !== undefined;
    switch (outcome.outcome) {
      case "done":
        this.#loadFrames = framesAfter(outcome.waitMs);
        this.#onTranscript(pass, outcome.hypothesis.text, outcome.lateMs, samples);
        if (pass.utterance !== this.#current) this.#setInterval(this.#loadFrames);
        else this.#setInterval(this.#loadFrames + (this.#options.promptInterims ? 0 : framesAfter(outcome.passMs)));
        return;
      case "dropped":
        this.#loadFrames = 2 * this.#intervalFrames;
        this.#setInterval(this.#loadFrames);
        return;
      case "timed_out":
        this.#fail(providerFailed(PROVIDER, "did not transcribe in time", TIMED_OUT));
        return;
      case "failed":
        // An interim that fails says nothing yet: the final decides whether the provider works.
        if (isNeeded) this.#fail(providerFailed(PROVIDER, outcome.reason));
        return;
      case "judged":
        assert.fail("only the turn model judges");
    }
  }

  #setInterval(frames: number): void {
    this.#intervalFrames = Math.min(INTERIM_FRAMES_MAX, Math.max(this.#leastFrames, frames));
  }

  /** What there has to be at least before the next pass. */
  get #leastFrames(): number {
    if (this.#options.promptInterims) return PROMPT_FRAMES_MIN;
    return this.#current.text.hasEmitted ? INTERIM_FRAMES_MIN : FIRST_FRAMES_MIN;
  }

  #onTranscript({ purpose, utterance, isOutdated }: Pass, text: string, lateMs: number, samples: Int16Array): void {
    if (purpose === "final") {
      utterance.complete = { text: utterance.text.final(text), lateMs };
      return;
    }
    if (purpose === "window") this.#endWindow(utterance, text, samples);
    else if (purpose === "interim") this.#emitInterim(this.#interimText(utterance, text));
    else {
      if (!isOutdated) utterance.complete = { text: utterance.text.final(text), lateMs };
      if (utterance.samples === undefined) this.#emitInterim(this.#interimText(utterance, text, "pause"));
    }
  }

  #interimText({ text: own }: Utterance, text: string, pass: "interim" | "pause" = "interim"): string | undefined {
    return this.#options.promptInterims ? own.shown(text) : own[pass](text);
  }

  /** The utterance goes on with its next window. */
  #endWindow(utterance: Utterance, text: string, samples: Int16Array): void {
    const start = nextWindowStart(samples, this.#options.rateHz);
    if (utterance.samples === undefined) {
      this.#emitInterim(this.#interimText(utterance, text));
      this.#buffer.drop(start);
    } else {
      utterance.samples = utterance.samples.subarray(start);
    }
    utterance.text.endWindow(text, start / samples.length);
  }

  #emitInterim(text: string | undefined): void {
    if (text !== undefined) this.events.push({ kind: "interim", text: transcriptText(text) });
  }

  #fail(error: Error): void {
    this.events.fail(error);
    this.#failed.abort();
  }

  #end(): void {
    this.#cancelPass();
    this.#ended.length = 0;
  }
}

/** The next interim comes no sooner than a multiple of what the last pass took. */
const framesAfter = (tookMs: number): number => Math.ceil((LOCAL_STT_INTERIM_INTERVAL_FACTOR * tookMs) / FRAME_MS);
