import { strict as assert } from "node:assert";
import loadSpeex, { type SpeexResamplerWasm } from "@echogarden/speex-resampler-wasm/simd";
import { unavailable } from "../core/errors.ts";

/**
 * Turns one stream of signed 16-bit mono into another rate, in pieces of any length; how it is cut changes no sample.
 *
 * The filter's delay is taken out: sample k of the output belongs to the time of k / toHz of the input, so word times stay
 * true. Instead 40 samples of the lower rate (5 ms at 8 kHz) are held back until the audio behind them has come, or `flush`.
 */
export interface Resampler {
  /** Returns what is ready, perhaps nothing. The view is the resampler's own and valid until its next call. */
  process(samples: Int16Array): Int16Array;
  /**
   * Ends the stream and returns its rest, lent as by `process`: n samples in have become ceil(n * toHz / fromHz) out.
   * The next `process` begins a new stream.
   */
  flush(): Int16Array;
  /** Gives its memory back; after that it must not be used. */
  destroy(): void;
}

/** Throws `unavailable` when there is no memory for another one. Equal rates need no resampler and are refused. */
export type ResamplerFactory = (fromHz: number, toHz: number) => Resampler;

/** Loads the Speex resampler, once per process; the factory makes one for each stream. */
export async function loadResampler(): Promise<ResamplerFactory> {
  return resamplerFactory(await loadSpeex());
}

export function resamplerFactory(wasm: SpeexResamplerWasm): ResamplerFactory {
  const workbench = new Scratch(wasm);
  return (fromHz, toHz) => new SpeexResampler(workbench, fromHz, toHz);
}

/** No ripple up to 0.85 of the Nyquist frequency, -91 dB of aliases, 5 ms of delay at 8 kHz. */
const QUALITY = 5;
/** Longer pieces pass in several blocks. */
const BLOCK_SAMPLES = 2_048;
const BLOCK_BYTES = BLOCK_SAMPLES * Int16Array.BYTES_PER_ELEMENT;
const COUNT_BYTES = Uint32Array.BYTES_PER_ELEMENT;

/** The piece of the module's memory through which samples go in and out. All resamplers share it: each leaves it empty. */
class Scratch {
  readonly wasm: SpeexResamplerWasm;
  readonly #inputCount: number;
  readonly #outputCount: number;
  readonly #input: number;
  readonly #output: number;

  constructor(wasm: SpeexResamplerWasm) {
    this.wasm = wasm;
    this.#inputCount = wasm._malloc(2 * COUNT_BYTES + 2 * BLOCK_BYTES);
    assert.ok(this.#inputCount > 0);
    this.#outputCount = this.#inputCount + COUNT_BYTES;
    this.#input = this.#outputCount + COUNT_BYTES;
    this.#output = this.#input + BLOCK_BYTES;
  }

  /** Opens a resampler in the module's memory; 0 when there is no memory for it. */
  open(fromHz: number, toHz: number): number {
    return this.wasm._speex_resampler_init(1, fromHz, toHz, QUALITY, this.#inputCount);
  }

  /** Feeds all of `samples`; writes what comes out to the front of `into` and returns how much that was. */
  resample(state: number, samples: Int16Array, into: Int16Array): number {
    const { wasm } = this;
    let read = 0;
    let written = 0;
    while (read < samples.length) {
      // Of a piece that is no longer than a block, as a frame is, no view is made.
      const block =
        samples.length <= BLOCK_SAMPLES && read === 0 ? samples : samples.subarray(read, read + BLOCK_SAMPLES);
      wasm.HEAP16.set(block, this.#input / Int16Array.BYTES_PER_ELEMENT);
      wasm.HEAPU32[this.#inputCount / COUNT_BYTES] = block.length;
      wasm.HEAPU32[this.#outputCount / COUNT_BYTES] = BLOCK_SAMPLES;
      const code = wasm._speex_resampler_process_int(
        state,
        0,
        this.#input,
        this.#inputCount,
        this.#output,
        this.#outputCount,
      );
      assert.equal(code, 0);
      // The memory may have grown meanwhile, so its views are read again.
      const outputCount = wasm.HEAPU32[this.#outputCount / COUNT_BYTES] as number;
      const output = this.#output / Int16Array.BYTES_PER_ELEMENT;
      const memory = wasm.HEAP16;
      for (let i = 0; i < outputCount; i += 1) into[written + i] = memory[output + i] as number;
      read += wasm.HEAPU32[this.#inputCount / COUNT_BYTES] as number;
      written += outputCount;
    }
    return written;
  }
}

class SpeexResampler implements Resampler {
  readonly #scratch: Scratch;
  readonly #ratio: number;
  /** Silence as long as half the filter: it pushes the last samples out. */
  readonly #tail: Int16Array;
  /** 0 once destroyed. */
  #state: number;
  #output = new Int16Array(0);
  /** The part of it that was returned last: a stream of equal frames returns the same one again and again. */
  #returned = this.#output;

  constructor(workbench: Scratch, fromHz: number, toHz: number) {
    assert.ok(Number.isInteger(fromHz) && fromHz > 0 && Number.isInteger(toHz) && toHz > 0, "rates in whole Hz");
    assert.notEqual(fromHz, toHz, "two different rates");
    this.#scratch = workbench;
    this.#ratio = toHz / fromHz;
    this.#state = workbench.open(fromHz, toHz);
    if (this.#state === 0) throw unavailable("no memory for another resampler");
    this.#tail = new Int16Array(workbench.wasm._speex_resampler_get_input_latency(this.#state));
    workbench.wasm._speex_resampler_skip_zeros(this.#state);
  }

  process(samples: Int16Array): Int16Array {
    assert.ok(this.#state !== 0, "destroyed");
    const samplesMax = Math.ceil(samples.length * this.#ratio);
    if (this.#output.length < samplesMax) {
      this.#output = new Int16Array(samplesMax);
      this.#returned = this.#output;
    }
    const count = this.#scratch.resample(this.#state, samples, this.#output);
    if (this.#returned.length !== count) this.#returned = this.#output.subarray(0, count);
    return this.#returned;
  }

  flush(): Int16Array {
    const rest = this.process(this.#tail);
    this.#scratch.wasm._speex_resampler_reset_mem(this.#state);
    this.#scratch.wasm._speex_resampler_skip_zeros(this.#state);
    return rest;
  }

  destroy(): void {
    assert.ok(this.#state !== 0, "destroyed twice");
    this.#scratch.wasm._speex_resampler_destroy(this.#state);
    this.#state = 0;
  }
}
