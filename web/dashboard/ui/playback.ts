import { signal } from "@preact/signals";

/** Plays a recording, and says where it is: on every frame while it plays. */
export class Playback {
  /** The time of the call at which the recording is, ms. */
  readonly atMs = signal(0);
  readonly isPlaying = signal(false);
  readonly rate = signal(1);
  /** Why the recording cannot be played; undefined while it can. */
  readonly failure = signal<string | undefined>(undefined);
  #audio: HTMLAudioElement | undefined;
  #frame = 0;

  /** Takes over the element that plays, until the returned function is called. */
  attach(audio: HTMLAudioElement): () => void {
    this.#audio = audio;
    const left = new AbortController();
    const { signal: until } = left;
    audio.addEventListener("play", () => this.#onPlay(), { signal: until });
    audio.addEventListener("pause", () => this.#onPause(), { signal: until });
    audio.addEventListener("seeked", () => this.#read(), { signal: until });
    audio.addEventListener("error", () => this.#onError(audio), { signal: until });
    return () => {
      left.abort();
      cancelAnimationFrame(this.#frame);
      audio.pause();
      this.#audio = undefined;
      this.isPlaying.value = false;
    };
  }

  toggle(): void {
    if (this.#audio === undefined) return;
    if (this.#audio.paused) void this.#audio.play().catch(() => {});
    else this.#audio.pause();
  }

  /** Goes to a time of the call; without a recording the marker alone does. */
  seek(atMs: number): void {
    this.atMs.value = Math.max(0, atMs);
    if (this.#audio !== undefined) this.#audio.currentTime = Math.max(0, atMs) / 1_000;
  }

  setRate(rate: number): void {
    this.rate.value = rate;
    if (this.#audio !== undefined) this.#audio.playbackRate = rate;
  }

  #onPlay(): void {
    this.isPlaying.value = true;
    this.failure.value = undefined;
    const step = (): void => {
      this.#read();
      this.#frame = requestAnimationFrame(step);
    };
    cancelAnimationFrame(this.#frame);
    step();
  }

  #onPause(): void {
    cancelAnimationFrame(this.#frame);
    this.isPlaying.value = false;
    this.#read();
  }

  #read(): void {
    if (this.#audio !== undefined) this.atMs.value = this.#audio.currentTime * 1_000;
  }

  #onError({ error }: HTMLAudioElement): void {
    this.failure.value = error?.message || "the recording could not be loaded";
  }
}
