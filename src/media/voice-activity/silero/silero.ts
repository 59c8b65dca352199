import { strict as assert } from "node:assert";
import { unavailable } from "../../../core/errors.ts";

/** The network and its weights. All streams share them and one memory, and none depends on another. */
export interface Silero {
  /** A new stream that has heard nothing. Throws `unavailable` while `streamsMax` streams are open. */
  open(): SileroStream;
}

/** The speech detection of one call: what it finds depends on all that it has heard. */
export interface SileroStream {
  /**
   * The probability that the newest 32 ms hold speech, 0 to 1. `chunk` is SILERO_CHUNK_SAMPLES samples at SILERO_RATE_HZ, which follow
   * those of the call before; it is borrowed until the return. Allocates nothing. The same chunks give the same bits on every machine.
   */
  probability(chunk: Int16Array): number;
  /** Forgets everything heard, as if it had just been opened. */
  reset(): void;
  /** Returns its place to `open`; it must not be used afterwards. */
  destroy(): void;
}

export const SILERO_RATE_HZ = 8_000;
/** 32 ms. */
export const SILERO_CHUNK_SAMPLES = 256;

/** Names the network and our build of it, for journals: another version may give other probabilities. */
export const SILERO_VERSION = "silero-v5-8khz-4cb931ef";

/** The files that `loadSilero` needs. The caller reads them: `media` does no I/O. */
export const SILERO_FILES: { readonly network: URL; readonly weights: URL } = {
  network: new URL("./network.wasm", import.meta.url),
  weights: new URL("./weights.f32", import.meta.url),
};

const PAGE_BYTES = 65_536;

/** What network.c exports. A global's value is an address in `memory`, in bytes. */
interface Network {
  readonly memory: WebAssembly.Memory;
  /** The weights of all layers, in the order of `struct weights`. */
  readonly weights: WebAssembly.Global;
  /** SILERO_CHUNK_SAMPLES samples: the input of `probability`. */
  readonly chunk: WebAssembly.Global;
  /** The first address that the network does not use; the streams' states lie from here on. */
  readonly __heap_base: WebAssembly.Global;
  weight_bytes(): number;
  /** Bytes of one stream's state, a multiple of 16. */
  state_bytes(): number;
  /** Reads `chunk`, updates the state at that address, and returns the probability. */
  probability(state: number): number;
}

/**
 * Loads the network, once per worker, and reserves memory for `streamsMax` streams: 1,152 bytes each, and 0.9 MB for all.
 * `networkBytes` and `weightBytes` are the contents of SILERO_FILES, borrowed until the promise is settled. Throws `unavailable` when
 * there is no memory for them. Rejects weights of another length: they are those of another network.
 */
export async function loadSilero(
  networkBytes: Uint8Array,
  weightBytes: Uint8Array,
  streamsMax: number,
): Promise<Silero> {
  assert.ok(Number.isInteger(streamsMax) && streamsMax > 0, `streamsMax is a whole number above 0, not ${streamsMax}`);
  const { instance } = await WebAssembly.instantiate(networkBytes);
  const network = instance.exports as Network;
  const expectedBytes = network.weight_bytes();
  assert.equal(weightBytes.length, expectedBytes, `weights of ${weightBytes.length} bytes, not of ${expectedBytes}`);
  reserve(network, streamsMax);
  new Uint8Array(network.memory.buffer).set(weightBytes, network.weights.value);
  return new SharedSilero(network, streamsMax);
}

/** Grows the memory, once: afterwards it never grows, so that views of it stay valid. */
function reserve(network: Network, streamsMax: number): void {
  const neededBytes = network.__heap_base.value + streamsMax * network.state_bytes();
  const pages = Math.ceil((neededBytes - network.memory.buffer.byteLength) / PAGE_BYTES);
  if (pages <= 0) return;
  try {
    network.memory.grow(pages);
  } catch (error) {
    throw unavailable(`no memory for ${streamsMax} streams of speech detection`, error);
  }
}

class SharedSilero implements Silero {
  readonly network: Network;
  /** The network's input. All streams share it: it holds a chunk only while `probability` runs. */
  readonly chunk: Int16Array;
  readonly #stateBytes: number;
  /** Addresses of the states that no stream uses, a stack; the first `#freeCount` are valid. */
  readonly #free: Uint32Array;
  #freeCount: number;

  constructor(network: Network, streamsMax: number) {
    this.network = network;
    this.chunk = new Int16Array(network.memory.buffer, network.chunk.value, SILERO_CHUNK_SAMPLES);
    this.#stateBytes = network.state_bytes();
    this.#free = Uint32Array.from(
      { length: streamsMax },
      (_, i) => network.__heap_base.value + (streamsMax - 1 - i) * this.#stateBytes,
    );
    this.#freeCount = streamsMax;
  }

  open(): SileroStream {
    if (this.#freeCount === 0) throw unavailable(`all ${this.#free.length} streams of speech detection are in use`);
    this.#freeCount -= 1;
    const address = this.#free[this.#freeCount] as number;
    const state = new Float32Array(this.network.memory.buffer, address, this.#stateBytes / 4);
    return new NetworkStream(this, state);
  }

  /** Takes back a state from the stream that had it. */
  release(state: Float32Array): void {
    this.#free[this.#freeCount] = state.byteOffset;
    this.#freeCount += 1;
  }
}

class NetworkStream implements SileroStream {
  readonly #silero: SharedSilero;
  readonly #network: Network;
  readonly #state: Float32Array;
  #open = true;

  constructor(silero: SharedSilero, state: Float32Array) {
    this.#silero = silero;
    this.#network = silero.network;
    this.#state = state;
    state.fill(0);
  }

  probability(chunk: Int16Array): number {
    // Called only on failure: on Node 26 each call of `assert.equal` allocates 56 bytes for its message.
    if (!this.#open) assert.fail("destroyed");
    if (chunk.length !== SILERO_CHUNK_SAMPLES) assert.fail(`a chunk of ${chunk.length} samples, not of 256`);
    this.#silero.chunk.set(chunk);
    return this.#network.probability(this.#state.byteOffset);
  }

  reset(): void {
    assert.ok(this.#open, "destroyed");
    this.#state.fill(0);
  }

  destroy(): void {
    assert.ok(this.#open, "destroyed twice");
    this.#open = false;
    this.#silero.release(this.#state);
  }
}
