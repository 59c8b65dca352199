import { systemClock } from "../../../src/core/clock.ts";
import { CARRIER_RATE_HZ } from "../../../src/core/limits/streams/media.ts";
import { primaryLanguage } from "../../../src/core/text/language-tags.ts";
import type { ResamplerFactory } from "../../../src/media/resampler.ts";
import type { ClosableTts, TimedWord } from "../../../src/speech/contracts.ts";
import { createEspeak } from "../../../src/speech/tts/providers/espeak/adapter.ts";
import { clearRunsOf } from "../../hearing/truth.ts";
import { aligned } from "./alignment.ts";
import { STEP_SAMPLES, spectraOf } from "./spectra.ts";

// When each word of a recording was spoken, from its text alone: eSpeak says the text, and its word times are warped onto the
// recording. npm run bench:turns states the error.

/** A word of a recording, in samples at 8,000 Hz from the recording's first. */
export interface SpokenWord {
  /** As written, with its punctuation. */
  text: string;
  from: number;
  to: number;
}

/** Between these there is silence within a recording. */
export interface SilentRun {
  from: number;
  to: number;
}

/** Each pause of this length is between two words. */
const PAUSE_SAMPLES_MIN = 0.15 * CARRIER_RATE_HZ;
/** A word whose end is this near to a pause ends at the pause. */
const SNAP_SAMPLES = 0.25 * CARRIER_RATE_HZ;

export class WordTimes {
  readonly #tts: ClosableTts;
  readonly #makeResampler: ResamplerFactory;
  readonly #voices = new Map<string, string>();

  constructor(makeResampler: ResamplerFactory) {
    this.#tts = createEspeak({ children: 1, clock: systemClock });
    this.#makeResampler = makeResampler;
  }

  close(): void {
    this.#tts.close();
  }

  /**
   * The words of `text` in `samples`, 8,000 Hz; empty where one of them has nothing in it. With `snaps`, words next to a pause end
   * at it.
   */
  async of(samples: Float32Array, text: string, language: string, snaps = true): Promise<SpokenWord[]> {
    const said = await this.#say(text, language);
    const own = spectraOf(samples);
    const other = spectraOf(said.samples);
    if (own.audible.length === 0 || other.audible.length === 0 || said.words.length === 0) return [];
    const path = aligned(own, other);
    const at = (ms: number): number => {
      const step = Math.round((ms * CARRIER_RATE_HZ) / 1_000 / STEP_SAMPLES);
      return (path[Math.min(path.length - 1, Math.max(0, step - 1))] as number) * STEP_SAMPLES;
    };
    const ends = said.words.map(({ startMs }, index) => (index === 0 ? 0 : Math.min(samples.length, at(startMs))));
    const words = said.words.map(({ text: word }, index) => ({
      text: word,
      from: ends[index] as number,
      to: ends[index + 1] ?? samples.length,
    }));
    return snaps ? snapped(words, pausesOf(samples, PAUSE_SAMPLES_MIN), samples) : words;
  }

  async #say(text: string, language: string): Promise<{ samples: Float32Array; words: TimedWord[] }> {
    const voiceId = await this.#voiceOf(language);
    const words: TimedWord[] = [];
    const parts: Int16Array[] = [];
    let rateHz = CARRIER_RATE_HZ;
    for await (const chunk of this.#tts.speak({ text, voiceId, language }, new AbortController().signal)) {
      words.push(...chunk.words);
      parts.push(chunk.samples);
      rateHz = chunk.rateHz;
    }
    const resampler = this.#makeResampler(rateHz, CARRIER_RATE_HZ);
    const narrow = [...parts.flatMap((part) => [...resampler.process(part)]), ...resampler.flush()];
    resampler.destroy();
    return { samples: Float32Array.from(narrow), words };
  }

  async #voiceOf(language: string): Promise<string> {
    const known = this.#voices.get(language);
    if (known !== undefined) return known;
    const voices = await this.#tts.voices();
    const voice =
      voices.find((each) => each.language === language) ??
      voices.find((each) => primaryLanguage(each.language) === language);
    if (voice === undefined) throw new Error(`eSpeak has no voice for ${language}`);
    this.#voices.set(language, voice.id);
    return voice.id;
  }
}

/** The pauses within a recording of at least so many samples. */
export function pausesOf(samples: Float32Array, least: number): SilentRun[] {
  const runs = clearRunsOf(samples);
  return runs.slice(1).flatMap(({ from: to }, index) => {
    const from = runs[index]?.to ?? 0;
    return to - from >= least ? [{ from, to }] : [];
  });
}

/** Each pause moves the word boundary that is nearest to it; the last word ends with the recording's last clear sample. */
function snapped(words: readonly SpokenWord[], pauses: readonly SilentRun[], samples: Float32Array): SpokenWord[] {
  const moved = words.map((word) => ({ ...word }));
  for (const { from, to } of pauses) {
    let nearest = -1;
    let least = SNAP_SAMPLES;
    for (const [index, { to: end }] of moved.slice(0, -1).entries()) {
      const away = end < from ? from - end : Math.max(0, end - to);
      if (away >= least) continue;
      least = away;
      nearest = index;
    }
    const before = moved[nearest];
    const after = moved[nearest + 1];
    if (before === undefined || after === undefined) continue;
    before.to = from;
    after.from = to;
    // Others that the warping left on the wrong side of the pause.
    for (const word of moved.slice(0, nearest)) word.to = Math.min(word.to, from);
    for (const word of moved.slice(nearest + 1)) word.to = Math.max(word.to, to + STEP_SAMPLES);
  }
  const last = moved.at(-1);
  if (last !== undefined) last.to = clearRunsOf(samples).at(-1)?.to ?? last.to;
  return moved;
}
