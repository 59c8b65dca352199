import type { Clock } from "../core/clock.ts";
import { providerFailed } from "../core/errors.ts";
import {
  EAR_GAP_MS_MAX,
  EAR_KEPT_MS_MAX,
  EAR_KEPT_SILENCE_MS,
  EAR_REOPEN_MS,
  EAR_STANDS_MS,
  EAR_UNHEARD_VOICE_MS_MAX,
  FRAME_MS,
} from "../core/limits.ts";
import type { Chained } from "./attempts.ts";
import { EventQueue } from "./event-queue.ts";
import { KeptAudio } from "./kept-audio.ts";
import type { Passage } from "./provider-line.ts";
import { retryWaitMs, SILENCE, switchCode } from "./refusal.ts";
import type { EngineWatch, ListenOptions, Stt, SttEvent, SttStream } from "./speech.ts";
import { Unanswered } from "./unanswered.ts";
import { VoiceGate } from "./voice-gate.ts";

export interface ChainedEar extends Chained {
  readonly stt: Stt;
}

/** A pause as long as that ends speech, for the call itself and for the ears that must be told. */
const HANGOVER_MS = 300;
const KEPT_SILENCE_FRAMES = EAR_KEPT_SILENCE_MS / FRAME_MS;

/** Kept in front of speech that the gate has found: it is sure only after its first sound. */
const ONSET_FRAMES = 10;
/** With a final that comes behind so many frames without voice nothing is left untold. */
const QUIET_FRAMES = 5;

/** What a stream is opened with, and who is told of what becomes of it. */
export interface ListeningOptions extends Omit<ListenOptions, "onOpened"> {
  watch: EngineWatch | undefined;
}

/** An ear that listens now. */
interface Current {
  ear: ChainedEar;
  stream: SttStream;
  life: AbortController;
  passage: Passage;
  sinceMs: number;
}

/**
 * One listening stream over several ears. What was said since the last final is kept, for the ear that takes over; that comes to the
 * present within moments, since nobody tells it to hear at the pace of speech. An ear fails when its stream does, and when somebody
 * speaks and it tells nothing: a call cannot know that, for which silence of an ear is silence of the caller. Where that was a few words,
 * or none at all but noise, another ear, or another stream of the only one, is told them too: if that hears words the first has failed.
 */
export class Listening implements SttStream {
  readonly events: EventQueue<SttEvent>;
  readonly #ears: readonly ChainedEar[];
  #options: ListeningOptions;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #gate = new VoiceGate(HANGOVER_MS);
  readonly #kept: KeptAudio;
  /** Ears that will not have this stream, whoever asks again. */
  readonly #refusing = new Set<ChainedEar>();
  #current: Current | undefined;
  /** The ear that listened last, or was to be the first. */
  #last: ChainedEar;
  /** Which ear is tried next. */
  #index = 0;
  /** Voiced frames since the ear told something; frames since somebody began or stopped speaking; and those in a row without voice. */
  #unheardFrames = 0;
  #frames = 0;
  #silentFrames = 0;
  readonly #unanswered = new Unanswered();
  /** Another ear is asked what the one before it did not hear, and nobody has heard a word since. */
  #isDoubted = false;
  /** Tells that the one before it has failed, for when it has. */
  #blame: () => void = () => {};
  /** Words were told of which there is no final yet. */
  #isTold = false;
  /** When the provider took the stream; NaN until then, and where that was counted. */
  #openedMs = Number.NaN;
  /** Something was said, and no final has come of it. */
  #isSaid = false;
  /** Since when no ear hears, and how often one has failed since; NaN while one does. */
  #deafMs = Number.NaN;
  #failures = 0;
  #isOver = false;
  #cancel: () => void = () => {};

  constructor(ears: readonly ChainedEar[], options: ListeningOptions, clock: Clock, signal: AbortSignal) {
    this.#ears = ears;
    this.#last = ears[0] as ChainedEar;
    this.#options = options;
    this.#clock = clock;
    this.#signal = signal;
    this.events = new EventQueue(signal);
    this.#kept = new KeptAudio((options.rateHz * FRAME_MS) / 1_000, EAR_KEPT_MS_MAX / FRAME_MS);
    if (signal.aborted) return;
    signal.addEventListener("abort", () => this.#end(), { once: true });
    this.#open(this.#last.line.refusal());
  }

  write(frame: Int16Array, voiced = false): void {
    if (this.#isOver || this.#signal.aborted) return;
    this.#keep(frame, voiced);
    this.#current?.stream.write(frame, voiced);
    if (voiced) this.#unheardFrames += 1;
    if (this.#current !== undefined) this.#attend(this.#current);
  }

  turnTo(language: string): void {
    this.#options = { ...this.#options, language };
  }

  /** Looks whether an ear does what ears do. */
  #attend(current: Current): void {
    const { partials } = current.ear.stt.capabilities;
    if (this.#clock.nowMs() - this.#openedMs >= EAR_STANDS_MS) this.#onWell(current);
    const isUnheard = partials && this.#unheardFrames * FRAME_MS >= EAR_UNHEARD_VOICE_MS_MAX;
    if (!isUnheard && !this.#unanswered.isOverdue) return;
    const error = providerFailed(current.ear.stt.provider, "tells nothing of somebody who speaks", SILENCE);
    // One that hears utterances tells something of each, and any tells something of so much voice.
    if (isUnheard || !partials) this.#onFailure(current, error);
    else if (this.#isDoubted) this.#dismiss();
    else this.#doubt(current, error);
  }

  /** It was some words or none: somebody else is asked. */
  #doubt({ passage, life }: Current, error: Error): void {
    this.#isDoubted = true;
    this.#blame = () => passage.failed(error);
    passage.leave();
    life.abort();
    this.#current = undefined;
    this.#index = (this.#index + 1) % this.#ears.length;
    this.#open(error);
  }

  /** Nobody has heard a word in it. */
  #dismiss(): void {
    this.#unanswered.answerAll();
    this.#blame = () => {};
  }

  #keep(frame: Int16Array, voiced: boolean): void {
    const change = this.#gate.frame(voiced);
    this.#frames = change === "same" ? this.#frames + 1 : 0;
    this.#silentFrames = voiced ? 0 : this.#silentFrames + 1;
    if (voiced && this.#gate.speaking) this.#isSaid = true;
    this.#unanswered.frame(voiced, change, this.#current?.ear.stt.capabilities.partials === false);
    this.#kept.push(frame, voiced);
    if (!this.#isSaid) this.#kept.keepLast(KEPT_SILENCE_FRAMES);
  }

  /** Has the next ear listen that may; while none may, looks again until the caller has waited long enough. */
  #open(failure: Error): void {
    const willing = this.#ears.filter((ear) => !this.#refusing.has(ear));
    for (let tried = 0; tried < this.#ears.length; tried += 1) {
      const ear = this.#ears[(this.#index + tried) % this.#ears.length] as ChainedEar;
      const passage = willing.includes(ear) ? ear.line.enter() : undefined;
      if (passage === undefined) continue;
      this.#index = (this.#index + tried) % this.#ears.length;
      if (ear !== this.#last) {
        this.#options.watch?.switched(this.#last.line.provider, ear.line.provider, switchCode(failure));
        this.#last = ear;
      }
      this.#listen(ear, passage);
      return;
    }
    if (Number.isNaN(this.#deafMs)) this.#deafMs = this.#clock.nowMs();
    this.#openLater(willing.length === 0 ? Number.POSITIVE_INFINITY : EAR_REOPEN_MS, failure);
  }

  #openLater(delayMs: number, failure: Error): void {
    if (this.#clock.nowMs() + delayMs - this.#deafMs > EAR_GAP_MS_MAX) {
      this.#end();
      this.events.fail(failure);
    } else {
      this.#cancel = this.#clock.after(delayMs, () => this.#open(failure));
    }
  }

  #listen(ear: ChainedEar, passage: Passage): void {
    const { watch, ...options } = this.#options;
    const life = new AbortController();
    this.#openedMs = Number.NaN;
    const onOpened = (): void => {
      if (!life.signal.aborted) this.#openedMs = this.#clock.nowMs();
    };
    const stream = ear.stt.open({ ...options, onOpened }, life.signal, watch);
    const current: Current = { ear, stream, life, passage, sinceMs: this.#clock.nowMs() };
    this.#current = current;
    this.#unheardFrames = 0;
    this.#unanswered.waitAnew();
    void this.#pump(current);
    this.#kept.replay((frame, voiced) => stream.write(frame, voiced));
  }

  async #pump(current: Current): Promise<void> {
    const { ear, stream, life } = current;
    try {
      for await (const event of stream.events) {
        if (life.signal.aborted) return;
        this.#onEvent(event, current);
      }
      if (!life.signal.aborted) this.#onFailure(current, providerFailed(ear.stt.provider, "ended its stream"));
    } catch (error) {
      if (!life.signal.aborted) this.#onFailure(current, error);
    }
  }

  /** The provider has shown that it is there. */
  #onWell({ passage }: Current): void {
    passage.answered();
    this.#openedMs = Number.NaN;
    this.#failures = 0;
    this.#deafMs = Number.NaN;
  }

  #onEvent(event: SttEvent, current: Current): void {
    this.#onWell(current);
    this.#unheardFrames = 0;
    if (event.text !== "") {
      this.#isDoubted = false;
      this.#blame();
    }
    this.#blame = () => {};
    if (event.kind === "final" && !current.ear.stt.capabilities.partials) this.#unanswered.answer();
    else this.#unanswered.answerAll();
    if (event.kind === "final") this.#forget();
    const isOfNothing = event.kind === "final" && event.text === "" && !this.#isTold;
    this.#isTold = event.kind === "partial";
    // That nothing was said concerns those alone who wait for an ear to tell so.
    if (!isOfNothing) this.events.push(event);
  }

  /** What a final has told. What somebody says since is of the next one; what he said before a pause was told with this. */
  #forget(): void {
    const { sinceFrames } = this.#unanswered;
    this.#isSaid = sinceFrames > 0 || (this.#gate.speaking && this.#silentFrames < QUIET_FRAMES);
    if (sinceFrames > 0) this.#kept.keepLast(sinceFrames);
    else if (this.#isSaid) this.#kept.keepLast(this.#frames + ONSET_FRAMES);
    else this.#kept.keepLast(Math.min(this.#silentFrames, KEPT_SILENCE_FRAMES));
  }

  #onFailure(current: Current, error: unknown): void {
    const { ear, life, passage, sinceMs } = current;
    const nowMs = this.#clock.nowMs();
    passage.failed(error);
    passage.leave();
    life.abort();
    this.#current = undefined;
    // One that has listened for a while was an ear, even if there was nothing to be heard.
    if (Number.isNaN(this.#deafMs) || nowMs - sinceMs > EAR_GAP_MS_MAX) {
      this.#deafMs = nowMs;
      this.#failures = 0;
    }
    this.#failures += 1;
    const waitMs = isSilence(error) ? 0 : (retryWaitMs(error) ?? Number.POSITIVE_INFINITY);
    if (waitMs > EAR_GAP_MS_MAX) this.#refusing.add(ear);
    this.#index = (this.#index + 1) % this.#ears.length;
    const failure = error instanceof Error ? error : providerFailed(ear.stt.provider, "failed");
    // Each is asked at once, the only one as well; and then again and again at a pace that it can bear.
    if (this.#failures <= this.#ears.length) this.#open(failure);
    else this.#openLater(EAR_REOPEN_MS, failure);
  }

  #end(): void {
    this.#isOver = true;
    this.#cancel();
    this.#current?.life.abort();
    this.#current?.passage.leave();
    this.#current = undefined;
  }
}

const isSilence = (error: unknown): boolean => error instanceof Error && error.cause === SILENCE;
