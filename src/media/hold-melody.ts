/** One beat of the melody; it is slow. */
const BEAT_S = 0.4;

/** The melody, made for this service: MIDI notes with their beats, 0 for a rest. It uses the middle of the telephone's band. */
const MELODY: readonly (readonly [note: number, beats: number])[] = [
  ...([
    [67, 1],
    [71, 1],
    [74, 1],
    [76, 1],
    [74, 2],
    [71, 2],
  ] as const),
  ...([
    [69, 1],
    [72, 1],
    [76, 1],
    [74, 1],
    [71, 3],
    [0, 1],
  ] as const),
  ...([
    [64, 1],
    [67, 1],
    [71, 1],
    [72, 1],
    [71, 2],
    [67, 2],
  ] as const),
  ...([
    [66, 1],
    [69, 1],
    [72, 1],
    [69, 1],
    [67, 3],
    [0, 1],
  ] as const),
];
/** A soft note below it for every bar of four beats. */
const HARMONY: readonly number[] = [62, 62, 64, 62, 60, 62, 60, 59];
const BEATS_PER_BAR = 4;

/** Of full scale: softer than speech. */
const MELODY_LEVEL = 0.09;
const HARMONY_LEVEL = 0.045;
/** How much of the octave above is in each note. */
const OCTAVE_SHARE = 0.2;
const ATTACK_S = 0.015;
/** The time in which a note falls to 37 % of its level. */
const MELODY_DECAY_S = 0.35;
const HARMONY_DECAY_S = 0.6;
const FULL_SCALE = 32_767;
/** Notes that sound at once: a note that has faded makes room for the next. */
const MELODY_VOICES = 4;
const HARMONY_VOICES = 2;
const VOICES = MELODY_VOICES + HARMONY_VOICES;

interface Note {
  /** Samples from the start of the melody. */
  readonly at: number;
  /** Radians a sample. */
  readonly step: number;
  readonly isHarmony: boolean;
}

/**
 * The melody that a caller hears on hold, over and over. It is synthesized, at any sample rate, so that no file is needed. Allocates
 * nothing after construction; the same calls always give the same samples.
 */
export class HoldMelody {
  readonly #notes: readonly Note[];
  readonly #lengthSamples: number;
  readonly #attackStep: number;
  readonly #melodyDecay: number;
  readonly #harmonyDecay: number;
  // The notes that sound; the voices of the melody come first.
  // Sine and cosine of each one's phase, turned by its step with every sample: four products cost less than a sine.
  readonly #sines = new Float64Array(VOICES);
  readonly #cosines = new Float64Array(VOICES);
  readonly #stepSines = new Float64Array(VOICES);
  readonly #stepCosines = new Float64Array(VOICES);
  readonly #levels = new Float64Array(VOICES);
  /** 0 to 1, so that a note does not begin with a click. */
  readonly #attacks = new Float64Array(VOICES);
  #at = 0;
  #nextNote = 0;
  #melodyVoice = 0;
  #harmonyVoice = 0;

  constructor(rateHz: number) {
    this.#notes = notesAt(rateHz);
    this.#lengthSamples = Math.round(HARMONY.length * BEATS_PER_BAR * BEAT_S * rateHz);
    this.#attackStep = 1 / (ATTACK_S * rateHz);
    this.#melodyDecay = Math.exp(-1 / (MELODY_DECAY_S * rateHz));
    this.#harmonyDecay = Math.exp(-1 / (HARMONY_DECAY_S * rateHz));
  }

  /** Fills `into` with the next samples. */
  fill(into: Int16Array): void {
    for (let i = 0; i < into.length; i += 1) {
      this.#startNotes();
      let sum = 0;
      for (let voice = 0; voice < VOICES; voice += 1) sum += this.#sampleOf(voice);
      into[i] = Math.round(sum * FULL_SCALE);
      this.#at += 1;
      if (this.#at < this.#lengthSamples) continue;
      this.#at = 0;
      this.#nextNote = 0;
    }
  }

  #startNotes(): void {
    for (let note = this.#notes[this.#nextNote]; note?.at === this.#at; note = this.#notes[this.#nextNote]) {
      this.#nextNote += 1;
      if (note.isHarmony) this.#harmonyVoice = (this.#harmonyVoice + 1) % HARMONY_VOICES;
      else this.#melodyVoice = (this.#melodyVoice + 1) % MELODY_VOICES;
      const voice = note.isHarmony ? MELODY_VOICES + this.#harmonyVoice : this.#melodyVoice;
      this.#sines[voice] = 0;
      this.#cosines[voice] = 1;
      this.#attacks[voice] = 0;
      this.#stepSines[voice] = Math.sin(note.step);
      this.#stepCosines[voice] = Math.cos(note.step);
      this.#levels[voice] = note.isHarmony ? HARMONY_LEVEL : MELODY_LEVEL;
    }
  }

  #sampleOf(voice: number): number {
    const sine = this.#sines[voice] as number;
    const cosine = this.#cosines[voice] as number;
    const stepSine = this.#stepSines[voice] as number;
    const stepCosine = this.#stepCosines[voice] as number;
    const level = this.#levels[voice] as number;
    const attack = Math.min(1, (this.#attacks[voice] as number) + this.#attackStep);
    this.#sines[voice] = sine * stepCosine + cosine * stepSine;
    this.#cosines[voice] = cosine * stepCosine - sine * stepSine;
    this.#levels[voice] = level * (voice < MELODY_VOICES ? this.#melodyDecay : this.#harmonyDecay);
    this.#attacks[voice] = attack;
    // The sine of the double angle is the octave.
    return level * attack * sine * (1 + 2 * OCTAVE_SHARE * cosine);
  }
}

function notesAt(rateHz: number): readonly Note[] {
  const stepOf = (note: number): number => (2 * Math.PI * 440 * 2 ** ((note - 69) / 12)) / rateHz;
  const samplesOf = (beats: number): number => Math.round(beats * BEAT_S * rateHz);
  const notes: Note[] = HARMONY.map((note, bar) => ({
    at: samplesOf(bar * BEATS_PER_BAR),
    step: stepOf(note),
    isHarmony: true,
  }));
  let beat = 0;
  for (const [note, beats] of MELODY) {
    if (note > 0) notes.push({ at: samplesOf(beat), step: stepOf(note), isHarmony: false });
    beat += beats;
  }
  return notes.sort((a, b) => a.at - b.at);
}
