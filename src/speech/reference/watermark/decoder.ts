import { strict as assert } from "node:assert";
import { WordFrameReader } from "./frame.ts";
import { lowPassTap } from "./low-pass.ts";
import { BAUD, BYTE_BITS, CARRIER_PEAK, MARK_HZ, PREAMBLE_BITS, SPACE_HZ } from "./modulation.ts";

/** The rates at which words can be decoded. */
export const WATERMARK_DECODER_RATES_HZ = [8_000, 16_000] as const;

/** Callbacks of a decoder. Times are ms of the audio written, up to the sample that completed the decision. */
interface WatermarkListener {
  onWord(word: string, atMs: number): void;
  /** There have been words, and no watermark for `quietMs` since. */
  onQuiet(atMs: number): void;
}

/** The receiver's rate after its filter: 3.3 hops a bit. */
const HOP_HZ = 2_000;
const BIT_HOPS = HOP_HZ / BAUD;
/** The energy of a tone is measured over one bit's length. */
const WINDOW_HOPS = Math.round(BIT_HOPS);
/** The period of both tones, which are multiples of 100 Hz. */
const TURN_HOPS = HOP_HZ / 100;
/** Weaker tones are ignored: 20 dB below the carrier as it is sent. */
const TONE_PEAK_MIN = CARRIER_PEAK / 10;
const TONE_ENERGY_MIN = (TONE_PEAK_MIN * WINDOW_HOPS) ** 2;
/** Audio that stays below this cannot contain such a tone and is not filtered. */
const LOUD_PEAK = 32;
/** The shortest mark before the first byte of a frame. */
const MARK_HOPS_MIN = (PREAMBLE_BITS / 2) * BIT_HOPS;
/** With this width (low-pass.ts) the filter passes nothing below 2.25 kHz, where the speech is. */
const FILTER_S = 0.0074;
const FILTER_CUTOFF_HZ = 560;

/**
 * Decodes the words that a WatermarkEncoder has put into audio, from the audio alone. Damage to a word loses only that
 * word. The result does not depend on how the audio was divided into buffers. `write` allocates nothing but the words.
 *
 * A complex band-pass around both tones, at 3.3 hops a bit; the energy of each tone over one bit; and a UART on the
 * difference of the two, which synchronises to each start bit.
 */
export class WatermarkDecoder {
  readonly #rateHz: number;
  readonly #hopSamples: number;
  readonly #taps: ComplexTable;
  readonly #windowSamples: number;
  readonly #quietHops: number;
  readonly #listener: WatermarkListener;
  readonly #reader = new WordFrameReader();

  /** Input from sample `#first` on; its first `#held` samples are filled. */
  readonly #input: Float64Array;
  #first: number;
  #held: number;
  /** The hop that comes next. */
  #hop = 0;
  /** The last sample above LOUD_PEAK. */
  #loudAt = Number.NEGATIVE_INFINITY;
  /** Consecutive hops whose window had no sample above LOUD_PEAK. */
  #stillHops = 0;

  /** The last hops, demodulated by each tone, so that their sum over the window is that tone's strength. */
  readonly #mark = new ToneWindow(MARK_TURN);
  readonly #space = new ToneWindow(SPACE_TURN);
  /** Above 0 is mark; of this hop and of the previous one. */
  #level = 0;
  #levelBefore = 0;

  /** `idle` waits for mark, `mark` for a start bit; in a `byte` the bits are read at their middles. */
  #state: "idle" | "mark" | "byte" = "idle";
  #markHops = 0;
  #bit = 0;
  #bitHop = 0;
  #byte = 0;
  /** The distance of the level from zero at each bit of the byte. */
  readonly #certainty = new Float64Array(BYTE_BITS - 2);
  /** The last stop bit of the frame was wrong. */
  #stopWasWrong = false;

  /** The hop of the last byte of a frame. */
  #dataHop = 0;
  #isQuietPending = false;

  constructor(rateHz: (typeof WATERMARK_DECODER_RATES_HZ)[number], quietMs: number, listener: WatermarkListener) {
    this.#rateHz = rateHz;
    this.#hopSamples = rateHz / HOP_HZ;
    this.#taps = BAND_PASS[rateHz];
    this.#quietHops = (quietMs * HOP_HZ) / 1_000;
    this.#listener = listener;
    this.#windowSamples = 2 * this.#taps.re.length - 1;
    const before = this.#windowSamples - 1;
    this.#input = new Float64Array(before + rateHz / 50);
    this.#first = -before;
    this.#held = before;
  }

  /** Takes any number of samples at the decoder's rate. The buffer is borrowed: it is read before this returns. */
  write(samples: Int16Array): void {
    const input = this.#input;
    for (let from = 0; from < samples.length; ) {
      const count = Math.min(samples.length - from, input.length - this.#held);
      for (let n = 0; n < count; n += 1) input[this.#held + n] = samples[from + n] as number;
      from += count;
      this.#held += count;
      this.#takeHops();
    }
  }

  #takeHops(): void {
    const length = this.#windowSamples;
    let start = this.#hop * this.#hopSamples - (length - 1) - this.#first;
    for (; start + length <= this.#held; start += this.#hopSamples) {
      this.#filter(start);
      this.#demodulate();
      this.#hop += 1;
    }
    this.#input.copyWithin(0, start, this.#held);
    this.#first += start;
    this.#held -= start;
  }

  /** Computes one hop of the filter, whose window begins at `start` of the input. */
  #filter(start: number): void {
    const input = this.#input;
    const end = start + this.#windowSamples;
    for (let n = end - this.#hopSamples; n < end; n += 1) {
      if (Math.abs(input[n] as number) > LOUD_PEAK) this.#loudAt = this.#first + n;
    }
    const isStill = this.#loudAt < this.#first + start;
    this.#stillHops = isStill ? this.#stillHops + 1 : 0;
    this.#levelBefore = this.#level;
    if (this.#stillHops > WINDOW_HOPS) return; // The windows contain only silence: the level is NaN and stays NaN.
    let re = 0;
    let im = 0;
    if (!isStill) {
      const { re: tapsRe, im: tapsIm } = this.#taps;
      const middle = tapsRe.length - 1;
      re = (tapsRe[middle] as number) * (input[start + middle] as number);
      for (let tap = 0; tap < middle; tap += 1) {
        const before = input[start + tap] as number;
        const after = input[start + 2 * middle - tap] as number;
        re += (before + after) * (tapsRe[tap] as number);
        im += (after - before) * (tapsIm[tap] as number);
      }
    }
    const mark = this.#mark.push(this.#hop, re, im);
    const space = this.#space.push(this.#hop, re, im);
    this.#level = Math.max(mark, space) < TONE_ENERGY_MIN ? Number.NaN : mark - space;
  }

  #demodulate(): void {
    if (Number.isNaN(this.#level)) this.#loseSignal();
    else if (this.#state === "idle") this.#awaitMark();
    else if (this.#state === "mark") this.#awaitStart();
    else if (this.#hop >= this.#bitHop) this.#readBit();
    if (this.#isQuietPending && this.#hop - this.#dataHop >= this.#quietHops) {
      this.#isQuietPending = false;
      this.#listener.onQuiet(this.#nowMs());
    }
  }

  #loseSignal(): void {
    this.#state = "idle";
    this.#markHops = 0;
    this.#reader.lost();
  }

  #awaitMark(): void {
    this.#markHops = this.#level > 0 ? this.#markHops + 1 : 0;
    if (this.#markHops >= MARK_HOPS_MIN) this.#state = "mark";
  }

  #awaitStart(): void {
    if (this.#level > 0) return;
    // The edge is where the level crossed zero, between the previous hop and this one.
    const edge = this.#hop - 1 + this.#levelBefore / (this.#levelBefore - this.#level);
    this.#state = "byte";
    this.#bit = 0;
    this.#byte = 0;
    this.#bitHop = edge + BIT_HOPS / 2;
  }

  #readBit(): void {
    const lateHops = this.#hop - this.#bitHop;
    const level = this.#level + (this.#levelBefore - this.#level) * lateHops;
    if (this.#bit === 0) this.#readStart(level);
    else if (this.#bit === BYTE_BITS - 1) this.#readStop(level);
    else this.#readData(level);
  }

  #readStart(level: number): void {
    if (level <= 0) this.#toBit(1);
    // A short dip of the mark within a frame is noise. Outside a frame there may be no carrier at all.
    else if (this.#reader.inFrame) this.#state = "mark";
    else this.#loseSignal();
  }

  #readData(level: number): void {
    if (level > 0) this.#byte |= 1 << (this.#bit - 1);
    this.#certainty[this.#bit - 1] = Math.abs(level);
    this.#toBit(this.#bit + 1);
  }

  /** One wrong stop bit within a frame is tolerated: the next byte is read without an edge, at its expected start. */
  #readStop(level: number): void {
    const isWrong = level <= 0;
    if (isWrong && (!this.#reader.inFrame || this.#stopWasWrong)) {
      this.#loseSignal();
      return;
    }
    this.#stopWasWrong = isWrong;
    this.#takeByte();
    this.#byte = 0;
    if (isWrong) this.#toBit(0);
    else this.#state = "mark";
  }

  #toBit(bit: number): void {
    this.#bit = bit;
    this.#bitHop += BIT_HOPS;
  }

  #takeByte(): void {
    const word = this.#reader.read(this.#byte, this.#certainty);
    if (word !== undefined) {
      this.#isQuietPending = true;
      this.#listener.onWord(word, this.#nowMs());
    }
    // Bytes outside a frame are noise and do not postpone `onQuiet`.
    if (word !== undefined || this.#reader.inFrame) this.#dataHop = this.#hop;
  }

  #nowMs(): number {
    return ((this.#hop * this.#hopSamples + 1) * 1_000) / this.#rateHz;
  }
}

/** The energy of one tone over the last bit's length. */
class ToneWindow {
  readonly #turn: ComplexTable;
  readonly #re = new Float64Array(WINDOW_HOPS);
  readonly #im = new Float64Array(WINDOW_HOPS);

  /** `turn` is the tone itself, hop by hop. */
  constructor(turn: ComplexTable) {
    this.#turn = turn;
  }

  /** Takes the filter's output at `hop`; returns the tone's energy. */
  push(hop: number, re: number, im: number): number {
    const cos = this.#turn.re[hop % TURN_HOPS] as number;
    const sin = this.#turn.im[hop % TURN_HOPS] as number;
    this.#re[hop % WINDOW_HOPS] = re * cos + im * sin;
    this.#im[hop % WINDOW_HOPS] = im * cos - re * sin;
    let sumRe = 0;
    let sumIm = 0;
    for (let at = 0; at < WINDOW_HOPS; at += 1) {
      sumRe += this.#re[at] as number;
      sumIm += this.#im[at] as number;
    }
    return sumRe * sumRe + sumIm * sumIm;
  }
}

interface ComplexTable {
  re: Float64Array;
  im: Float64Array;
}

function toneTurn(hz: number): ComplexTable {
  const angles = Array.from({ length: TURN_HOPS }, (_, hop) => (2 * Math.PI * hz * hop) / HOP_HZ);
  return { re: Float64Array.from(angles, Math.cos), im: Float64Array.from(angles, Math.sin) };
}

/**
 * The first half and the middle of a complex band-pass, in the order of its input. The second half mirrors the first,
 * with the sign of the imaginary part inverted. A tone in the pass band keeps its peak.
 */
function bandPass(rateHz: number): ComplexTable {
  const half = Math.floor((FILTER_S / 2) * rateHz);
  const atS = Array.from({ length: half + 1 }, (_, tap) => (tap - half) / rateHz);
  const shape = atS.map((at) => lowPassTap(at, FILTER_CUTOFF_HZ, FILTER_S));
  const middle = shape[half] as number;
  const gain = 2 / (2 * shape.reduce((sum, tap) => sum + tap, 0) - middle);
  const turn = 2 * Math.PI * ((MARK_HZ + SPACE_HZ) / 2);
  return {
    re: Float64Array.from(shape, (tap, at) => gain * tap * Math.cos(turn * (atS[at] as number))),
    im: Float64Array.from(shape, (tap, at) => gain * tap * Math.sin(turn * (atS[at] as number))),
  };
}

const MARK_TURN = toneTurn(MARK_HZ);
const SPACE_TURN = toneTurn(SPACE_HZ);
const BAND_PASS = { 8000: bandPass(8_000), 16000: bandPass(16_000) };

assert.ok(
  LOUD_PEAK *
    BAND_PASS[16_000].re.reduce((sum, tap, at) => sum + Math.hypot(tap, BAND_PASS[16_000].im[at] as number), 0) <
    TONE_PEAK_MIN,
  "audio that is skipped can hold no tone",
);
