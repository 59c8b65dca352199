import { strict as assert } from "node:assert";
import type { StreamRateHz } from "../../core/calls/spec.ts";
import { unavailable } from "../../core/errors.ts";
import {
  FRAME_MS,
  OPUS_FRAME_BYTES_MAX,
  OPUS_PACKET_BYTES_MAX,
  OPUS_PACKET_MS_MAX,
} from "../../core/limits/streams/media.ts";
import {
  APPLICATION_VOIP,
  CORRUPTED,
  encoderControls,
  type LibraryEncoder,
  type LossyLibraryDecoder,
  type LossyOpusLibrary,
  type OpusDecoderRateHz,
} from "./codecs.ts";

/**
 * The part of libopus-wasm's Emscripten module that we use; it has no types. Pointers are byte offsets into the
 * module's memory. The HEAP views are replaced when that memory grows, so they are read from the module for every
 * access.
 */
export interface LibopusModule {
  readonly HEAP16: Int16Array;
  readonly HEAPU8: Uint8Array;
  /** Returns 0 when there is no memory. */
  _malloc(bytes: number): number;
  _free(pointer: number): void;
  /** Writes an error code (32 bits) to `error`, and returns 0 when there is one. */
  _oc_create_decoder(rateHz: number, channels: number, error: number): number;
  _oc_destroy_decoder(decoder: number): void;
  /** Returns samples per channel, or an error code below 0. */
  _oc_decode(
    decoder: number,
    packet: number,
    packetBytes: number,
    pcm: number,
    samplesMax: number,
    decodeFec: 0 | 1,
  ): number;
  /** As `_oc_create_decoder`. */
  _oc_create_encoder(rateHz: number, channels: number, application: number, error: number): number;
  _oc_destroy_encoder(encoder: number): void;
  /** Returns the packet's bytes, or an error code below 0. */
  _oc_encode(encoder: number, pcm: number, samples: number, packet: number, packetBytesMax: number): number;
  /** Returns 0, or an error code below 0. */
  _oc_encoder_ctl(encoder: number, control: number, value: number): number;
}

/**
 * Instantiates libopus. The package's own classes copy every packet and frame into fresh memory and open a codec only
 * asynchronously, so we use the module below them. The package does not export it: the path is valid for the version
 * that package.json pins.
 */
export async function loadLibopusModule(): Promise<LibopusModule> {
  const url = new URL("./generated/libopus.generated.mjs", import.meta.resolve("libopus-wasm"));
  const { default: instantiate }: { default: () => Promise<LibopusModule> } = await import(/* @vite-ignore */ url.href);
  return await instantiate();
}

/**
 * Opus from libopus-wasm. All streams share one WebAssembly memory, which grows and never shrinks. An overflow of its
 * stack of 64 KiB is not detected; decoding to mono and encoding 20 ms of mono take at most half of it, while 40 ms of
 * stereo at 48 kHz would not fit.
 */
export function createWasmOpus(module: LibopusModule): LossyOpusLibrary {
  const scratch = new Scratch(module);
  return {
    implementation: "wasm",
    openDecoder: (rateHz) => new WasmDecoder(module, scratch, rateHz),
    openEncoder: (rateHz, complexity) => new WasmEncoder(module, scratch, rateHz, complexity),
  };
}

const MONO = 1;
/** The TOC byte and one frame. */
const ENCODED_BYTES_MAX = 1 + OPUS_FRAME_BYTES_MAX;
const ERROR_BYTES = 4;
const RATE_HZ_MAX = 48_000;

/** The memory through which packets and samples pass, one for all streams: calls are synchronous. */
class Scratch {
  readonly packet: number;
  readonly pcm: number;
  readonly error: number;

  constructor(module: LibopusModule) {
    this.packet = allocate(module, OPUS_PACKET_BYTES_MAX);
    this.pcm = allocate(module, (RATE_HZ_MAX / 1_000) * OPUS_PACKET_MS_MAX * Int16Array.BYTES_PER_ELEMENT);
    this.error = allocate(module, ERROR_BYTES);
  }
}

class WasmDecoder implements LossyLibraryDecoder {
  readonly #module: LibopusModule;
  readonly #scratch: Scratch;
  readonly #samplesMax: number;
  readonly #pointer: number;

  constructor(module: LibopusModule, scratch: Scratch, rateHz: OpusDecoderRateHz) {
    this.#module = module;
    this.#scratch = scratch;
    this.#samplesMax = (rateHz / 1_000) * OPUS_PACKET_MS_MAX;
    this.#pointer = assertAllocated(module._oc_create_decoder(rateHz, MONO, scratch.error));
  }

  decode(packet: Uint8Array, into: Int16Array): number {
    return this.#decode(packet, this.#samplesMax, 0, into);
  }

  /** `opus_decode` with `decode_fec`: conceals everything before the part of which `next` may have redundancy. */
  decodeLost(next: Uint8Array, lostSamples: number, into: Int16Array): number {
    return this.#decode(next, lostSamples, 1, into);
  }

  #decode(packet: Uint8Array, samplesMax: number, decodeFec: 0 | 1, into: Int16Array): number {
    const { packet: packetAt, pcm: pcmAt } = this.#scratch;
    this.#module.HEAPU8.set(packet, packetAt);
    const count = this.#module._oc_decode(this.#pointer, packetAt, packet.length, pcmAt, samplesMax, decodeFec);
    if (count < 0) return CORRUPTED;
    const heap = this.#module.HEAP16;
    const from = pcmAt / Int16Array.BYTES_PER_ELEMENT;
    // Copying with `set` would need a view of the heap, which is garbage.
    for (let i = 0; i < count; i += 1) into[i] = heap[from + i] as number;
    return count;
  }

  close(): void {
    this.#module._oc_destroy_decoder(this.#pointer);
  }
}

class WasmEncoder implements LibraryEncoder {
  readonly #module: LibopusModule;
  readonly #scratch: Scratch;
  readonly #frameSamples: number;
  readonly #pointer: number;

  constructor(module: LibopusModule, scratch: Scratch, rateHz: StreamRateHz, complexity: number) {
    this.#module = module;
    this.#scratch = scratch;
    this.#frameSamples = (rateHz / 1_000) * FRAME_MS;
    this.#pointer = assertAllocated(module._oc_create_encoder(rateHz, MONO, APPLICATION_VOIP, scratch.error));
    for (const [control, value] of encoderControls(complexity)) {
      assert.equal(module._oc_encoder_ctl(this.#pointer, control, value), 0, `Opus takes control ${control}`);
    }
  }

  encode(samples: Int16Array): Uint8Array {
    const { packet: packetAt, pcm: pcmAt } = this.#scratch;
    this.#module.HEAP16.set(samples, pcmAt / Int16Array.BYTES_PER_ELEMENT);
    const bytes = this.#module._oc_encode(this.#pointer, pcmAt, this.#frameSamples, packetAt, ENCODED_BYTES_MAX);
    if (bytes < 0) assert.fail(`libopus encodes every frame, but answered ${bytes}`);
    return this.#module.HEAPU8.subarray(packetAt, packetAt + bytes);
  }

  close(): void {
    this.#module._oc_destroy_encoder(this.#pointer);
  }
}

/** Checks what libopus or the allocator returns for an object; 0 means that there was no memory for it. */
function assertAllocated(pointer: number): number {
  if (pointer === 0) throw unavailable("no memory for another Opus stream");
  return pointer;
}

const allocate = (module: LibopusModule, bytes: number): number => assertAllocated(module._malloc(bytes));
