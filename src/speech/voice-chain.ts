import { strict as assert } from "node:assert";
import type { Clock } from "../core/clock.ts";
import { providerFailed } from "../core/errors.ts";
import { VOICE_CHOICE_MS_MAX, VOICE_FIRST_MS_MAX, VOICE_IDLE_MS_MAX, VOICE_WAITED_MS_MAX } from "../core/limits.ts";
import { spendRefusalOf } from "../core/spend.ts";
import { type Attempt, Attempts, type Chained, tried } from "./attempts.ts";
import { LATE, within } from "./deadlines.ts";
import type { Passage, ProviderLine } from "./provider-line.ts";
import { SILENCE } from "./refusal.ts";
import type { ClosableTts, EngineWatch, SpeechRequest, Tts, TtsChunk, Voice } from "./speech.ts";
import type { SpeechCache } from "./speech-cache.ts";
import { SpeechSoFar } from "./speech-so-far.ts";
import { chooseVoice } from "./voice-choice.ts";

export interface ChainedVoice extends Chained {
  readonly tts: ClosableTts;
}

/** One of them for one piece. */
class Speaker implements Chained {
  readonly voice: ChainedVoice;
  /** What it speaks with; comes to undefined where it has no voice for the piece. */
  readonly voiceId: Promise<string | undefined>;
  /** The same, as far as it is known. */
  knownId: string | undefined | typeof LATE = LATE;

  constructor(voice: ChainedVoice, voiceId: Promise<string | undefined>) {
    this.voice = voice;
    this.voiceId = voiceId;
    void voiceId.then((id) => (this.knownId = id));
  }

  get line(): ProviderLine {
    return this.voice.line;
  }

  get isUnsure(): boolean {
    return this.knownId === LATE;
  }
}

/** What was chosen of a provider's voices, for which piece. */
interface Choice extends Pick<SpeechRequest, "voiceId" | "language"> {
  from: readonly Voice[];
  chosenId: string | undefined;
}

/**
 * The voices of one call: its own, and those of other providers that speak the same language, for when that fails. Whoever has taken
 * over keeps the call: a voice that came and went from sentence to sentence would be worse than another one. What breaks off in the
 * middle of a piece is gone on with by the next.
 */
export class VoiceChain implements Tts {
  readonly provider: string;
  readonly capabilities: Tts["capabilities"];
  readonly #own: ChainedVoice;
  /** All of them, the one that speaks first. */
  #voices: readonly ChainedVoice[];
  /** The choices that were made last: to look through thousands of voices for every piece would take long. */
  readonly #choices = new Map<ChainedVoice, Choice>();
  readonly #cache: SpeechCache;
  readonly #clock: Clock;

  /** The call's own first. */
  constructor(voices: readonly ChainedVoice[], cache: SpeechCache, clock: Clock) {
    const [own] = voices;
    assert.ok(own !== undefined, "at least one voice");
    this.provider = own.tts.provider;
    this.capabilities = own.tts.capabilities;
    this.#own = own;
    this.#voices = voices;
    this.#cache = cache;
    this.#clock = clock;
  }

  voices(): Promise<readonly Voice[]> {
    return this.#own.tts.voices();
  }

  /** The call's own voice alone; of the others the lists of voices are at hand by the time that they are needed. */
  prepare(voice: Omit<SpeechRequest, "text">, signal: AbortSignal): void {
    for (const { tts } of this.#voices.slice(1)) tts.voices().catch(() => {});
    if (this.#own.line.mayEnter) this.#own.tts.prepare?.(voice, signal);
  }

  async *speak(request: SpeechRequest, signal: AbortSignal, watch?: EngineWatch): AsyncGenerator<TtsChunk> {
    const speakers = await this.#speakersFor(request);
    if (signal.aborted) return;
    const kept = this.#keptOf(speakers, request);
    if (kept !== undefined) {
      for (const chunk of kept) {
        if (signal.aborted) return;
        yield chunk;
      }
      return;
    }
    const attempts = new Attempts(speakers, VOICE_FIRST_MS_MAX, this.#clock, watch);
    const soFar = new SpeechSoFar(request.text);
    for (let next = await attempts.next(signal); next !== undefined; next = await attempts.next(signal)) {
      const { provider, passage } = next;
      const voiceId = await provider.voiceId;
      if (voiceId === undefined || signal.aborted) {
        passage.leave();
        attempts.pass();
        continue;
      }
      attempts.asks(provider);
      let hasBegun = false;
      let rateHz = 0;
      try {
        for await (const chunk of this.#spoken(next, { ...request, voiceId, text: soFar.text }, signal, watch)) {
          hasBegun ||= isContent(chunk);
          ({ rateHz } = chunk);
          this.#keepTo(provider.voice);
          const told = soFar.take(chunk);
          if (isContent(told)) yield told;
          if (signal.aborted) return;
        }
        const words = soFar.end();
        if (words.length > 0 && !signal.aborted) yield { samples: new Int16Array(0), rateHz, words };
        return;
      } catch (error) {
        // No other provider may be asked either.
        if (spendRefusalOf(error) !== undefined) throw error;
        attempts.failed(error, hasBegun);
        if (hasBegun && !soFar.breakOff()) return;
      }
    }
    if (signal.aborted) return;
    throw attempts.failure ?? providerFailed(this.provider, "did not begin in time", SILENCE);
  }

  /** Those who have a voice for it, and those of whom that cannot be told at once, the one that speaks first. */
  async #speakersFor(request: SpeechRequest): Promise<readonly Speaker[]> {
    const speakers = this.#voices.map(
      (voice) =>
        new Speaker(voice, voice === this.#own ? Promise.resolve(request.voiceId) : this.#voiceOf(voice, request)),
    );
    await within(Promise.all(speakers.map(({ voiceId }) => voiceId)), 0, this.#clock);
    return speakers.filter(({ knownId }) => knownId !== undefined);
  }

  /** The piece in the voice of the one that speaks first, where it is at hand: for that nobody needs a stream. */
  #keptOf([first]: readonly Speaker[], request: SpeechRequest): Iterable<TtsChunk> | undefined {
    const voiceId = first?.knownId;
    return typeof voiceId === "string" ? this.#cache.kept({ ...request, voiceId }) : undefined;
  }

  /** The others stay behind it, those before it last. */
  #keepTo(provider: ChainedVoice): void {
    const index = this.#voices.indexOf(provider);
    if (index > 0) this.#voices = [...this.#voices.slice(index), ...this.#voices.slice(0, index)];
  }

  #spoken(
    { provider, passage, firstMs }: Attempt<Speaker>,
    request: SpeechRequest,
    signal: AbortSignal,
    watch: EngineWatch | undefined,
  ): AsyncIterable<TtsChunk> {
    const { tts } = provider.voice;
    const speak = () =>
      tried(
        passage,
        (either) => tts.speak(request, either, watch),
        {
          provider: tts.provider,
          clock: this.#clock,
          firstMs,
          idleMs: VOICE_IDLE_MS_MAX,
          totalMs: VOICE_WAITED_MS_MAX,
          isContent,
        },
        signal,
      );
    return leaving(passage, this.#cache.speak(request, speak, signal));
  }

  /** The voice of another provider that comes nearest to the one that was asked for. */
  async #voiceOf(voice: ChainedVoice, { voiceId, language }: SpeechRequest): Promise<string | undefined> {
    try {
      const from = await within(voice.tts.voices(), VOICE_CHOICE_MS_MAX, this.#clock);
      if (from === LATE) return undefined;
      const last = this.#choices.get(voice);
      if (last?.from === from && last.voiceId === voiceId && last.language === language) return last.chosenId;
      const chosenId = chooseVoice(from, voiceId, language)?.id;
      this.#choices.set(voice, { from, voiceId, language, chosenId });
      return chosenId;
    } catch {
      // Whoever cannot list his voices cannot be chosen from; the list tells of that where it is asked for itself.
      return undefined;
    }
  }
}

/** What is at hand needs no stream. */
async function* leaving(passage: Passage, speech: AsyncIterable<TtsChunk>): AsyncGenerator<TtsChunk> {
  try {
    yield* speech;
  } finally {
    passage.leave();
  }
}

const isContent = ({ samples, words }: TtsChunk): boolean => samples.length > 0 || words.length > 0;
