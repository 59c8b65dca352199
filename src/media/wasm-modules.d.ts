/**
 * The parts that we use of two Emscripten modules, which have no types. Pointers are byte offsets into the module's
 * memory. The HEAP views are replaced when that memory grows, so they are read from the module for every access.
 */

declare module "@echogarden/fvad-wasm" {
  /** https://github.com/dpirch/libfvad, `include/fvad.h`. */
  export interface Fvad {
    readonly HEAP16: Int16Array;
    _malloc(bytes: number): number;
    _free(pointer: number): void;
    /** Returns 0 when there is no memory. */
    _fvad_new(): number;
    _fvad_free(vad: number): void;
    /** Returns 0, or -1 for a mode that is not 0 to 3. */
    _fvad_set_mode(vad: number, mode: number): number;
    /** Returns 0, or -1 for a rate that is not 8, 16, 32 or 48 kHz. */
    _fvad_set_sample_rate(vad: number, rateHz: number): number;
    /** Returns 1 for voice activity, 0 for none, -1 for a length that is not 10, 20 or 30 ms. */
    _fvad_process(vad: number, samples: number, count: number): number;
  }
  // biome-ignore lint/style/noDefaultExport: the package has no other export.
  export default function load(): Promise<Fvad>;
}

declare module "@echogarden/speex-resampler-wasm/simd" {
  /** https://github.com/xiph/speexdsp, `include/speex/speex_resampler.h`. */
  export interface SpeexResamplerWasm {
    readonly HEAP16: Int16Array;
    readonly HEAPU32: Uint32Array;
    _malloc(bytes: number): number;
    _free(pointer: number): void;
    /** Returns 0 and writes an error code when it cannot. */
    _speex_resampler_init(channels: number, fromHz: number, toHz: number, quality: number, error: number): number;
    _speex_resampler_destroy(resampler: number): void;
    /** Skips the silence that the filter's delay would put at the beginning. */
    _speex_resampler_skip_zeros(resampler: number): number;
    _speex_resampler_reset_mem(resampler: number): number;
    /** Half the filter's length, in input samples. */
    _speex_resampler_get_input_latency(resampler: number): number;
    /** The two counts are read as capacity and written as the amount used. Returns 0, or an error code. */
    _speex_resampler_process_int(
      resampler: number,
      channel: number,
      input: number,
      inputCount: number,
      output: number,
      outputCount: number,
    ): number;
  }
  // biome-ignore lint/style/noDefaultExport: the package has no other export.
  export default function load(): Promise<SpeexResamplerWasm>;
}
