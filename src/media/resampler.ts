import { strict as assert } from "node:assert";
import loadSpeex, { type SpeexResamplerWasm } from "@echogarden/speex-resampler-wasm/simd";
import { unavailable } from "../core/errors.ts";

/**
 * Resamples one stream of signed 16-bit mono audio, in chunks of any length; chunk boundaries change no sample.
 *
 * The filter's delay is removed: output sample k belongs to the time k / toHz of the input, so word times stay correct.
 * In return 40 samples of the lower rate (5 ms at 8 kHz) are held until the audio after them arrives, or until `flush`.
 */
export interface Resampler {
  /** Returns the samples that are ready, possibly none. Borrowed: valid until the resampler's next call. */
  process(samples: Int16Array): Int16Array;
  /**
   * Ends the stream and returns the rest, borrowed as from `process`: n input samples give ceil(n * toHz / fromHz)
   * output samples in total. The next `process` starts a new stream.
   */
  flush(): Int16Array;
  /** Frees its memory; it must not be used afterwards. */
  destroy(): void;
}

/** Throws `unavailable` when there is no memory for one. Equal rates need no resampler and are refused. */
export type ResamplerFactory = (fromHz: number, toHz: number) => Resampler;

/** Loads the Speex resampler, once per process; the factory makes one for each stream. */
export async function loadResampler(): Promise<ResamplerFactory> {
  return resamplerFactory(await loadSpeex());
}

/** The factory over a loaded module, which all its resamplers share. */
export function resamplerFactory(wasm: SpeexResamplerWasm): ResamplerFactory {
  const workbench = new Scratch(wasm);
  return (fromHz, toHz) => new SpeexResampler(workbench, fromHz, toHz);
}

/** No ripple up to 0.85 of the Nyquist frequency, -91 dB of aliases, 5 ms of delay at 8 kHz. */
const QUALITY = 5;
/** Longer chunks are processed in several blocks. */
const BLOCK_SAMPLES = 2_048;
const BLOCK_BYTES = BLOCK_SAMPLES * Int16Array.BYTES_PER_ELEMENT;
const COUNT_BYTES = Uint32Array.BYTES_PER_ELEMENT;

/**
 * The module's memory through which samples go in and out. All resamplers share it; none leaves data in it between
 * calls.
 */
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

  /** Resamples all of `samples` into the front of `into` and returns the number of output samples. */
  resample(state: number, samples: Int16Array, into: Int16Array): number {
    const { wasm } = this;
    let read = 0;
    let written = 0;
    while (read < samples.length) {
      // For a chunk of at most one block, such as a frame, no view is made.
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
      // The memory may have grown, so its views are read again.
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
  /** Silence of half the filter's length: it flushes the last samples. */
  readonly #tail: Int16Array;
  /** 0 once destroyed. */
  #state: number;
  #output = new Int16Array(0);
  /** The part of it that was returned last: a stream of equal frames gets the same view each time. */
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
