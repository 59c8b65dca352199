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
  /** Returns its place to `open`; it must not be used afterwards. */
  destroy(): void;
}

export const SILERO_RATE_HZ = 8_000;
/** 32 ms. */
export const SILERO_CHUNK_SAMPLES = 256;

/**
 * Names the network and our build of it, for journals: another version may give other probabilities. It ends with the first digits of the
 * SHA-256 of both files, one after the other.
 */
export const SILERO_VERSION = "silero-v5-8khz-df7fe864";

/** The files that `loadSilero` needs. The caller reads them: `media` does no I/O. */
export const SILERO_FILES: { readonly network: URL; readonly weights: URL } = {
  network: new URL("./network.wasm", import.meta.url),
  weights: new URL("./weights.f32", import.meta.url),
};

/**
 * A stream begins anew when it has heard no speech for 10 s: after minutes of steady noise, the network would not detect the first words.
 * README.md has figures. A chunk is quiet if its probability is below this.
 */
const QUIET_BELOW = 0.1;
const QUIET_CHUNKS = 312;
/** The new state hears 2 s of quiet chunks before it is used: in its first chunks it takes some music for speech. */
const WARM_UP_CHUNKS = 62;
/** The state in use, and the one that warms up. */
const STATES_PER_STREAM = 2;

const PAGE_BYTES = 65_536;

/** What network.c exports. A global's value is an address in `memory`, in bytes. */
interface Network {
  readonly memory: WebAssembly.Memory;
  /** The weights of all layers, in the order of `struct weights`. */
  readonly weights: WebAssembly.Global;
  /** SILERO_CHUNK_SAMPLES samples: the input of `listen`. */
  readonly chunk: WebAssembly.Global;
  /** Its output, a float. */
  readonly probability: WebAssembly.Global;
  /** The first address that the network does not use; the streams' states lie from here on. */
  readonly __heap_base: WebAssembly.Global;
  weight_bytes(): number;
  /** Bytes of one stream's state, a multiple of 16. */
  state_bytes(): number;
  /** Makes `state` one that has heard nothing, except for the samples of `previous` that the next chunk continues. */
  begin(state: number, previous: number): void;
  /** Reads `chunk`, updates the state at that address, and writes `probability`. */
  listen(state: number): void;
}

/**
 * Loads the network, once per worker, and reserves memory for `streamsMax` streams: 2,304 bytes each, and 0.9 MB for all.
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

const streamBytesOf = (network: Network): number => STATES_PER_STREAM * network.state_bytes();

/** Grows the memory, once: afterwards it never grows, so that views of it stay valid. */
function reserve(network: Network, streamsMax: number): void {
  const neededBytes = network.__heap_base.value + streamsMax * streamBytesOf(network);
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
  /** The network's input and output. All streams share them: they are in use only while `probability` runs. */
  readonly chunk: Int16Array;
  readonly probability: Float32Array;
  readonly #streamBytes: number;
  /** Addresses of the memory that no stream uses, a stack; the first `#freeCount` are valid. */
  readonly #free: Uint32Array;
  #freeCount: number;

  constructor(network: Network, streamsMax: number) {
    this.network = network;
    this.chunk = new Int16Array(network.memory.buffer, network.chunk.value, SILERO_CHUNK_SAMPLES);
    this.probability = new Float32Array(network.memory.buffer, network.probability.value, 1);
    this.#streamBytes = streamBytesOf(network);
    this.#free = Uint32Array.from(
      { length: streamsMax },
      (_, i) => network.__heap_base.value + (streamsMax - 1 - i) * this.#streamBytes,
    );
    this.#freeCount = streamsMax;
  }

  open(): SileroStream {
    if (this.#freeCount === 0) throw unavailable(`all ${this.#free.length} streams of speech detection are in use`);
    this.#freeCount -= 1;
    const address = this.#free[this.#freeCount] as number;
    const states = new Float32Array(this.network.memory.buffer, address, this.#streamBytes / 4);
    return new NetworkStream(this, states);
  }

  /** Takes back the memory of a stream. */
  release(states: Float32Array): void {
    this.#free[this.#freeCount] = states.byteOffset;
    this.#freeCount += 1;
  }
}

class NetworkStream implements SileroStream {
  readonly #silero: SharedSilero;
  readonly #network: Network;
  readonly #probability: Float32Array;
  readonly #states: Float32Array;
  /** Addresses of the state in use, and of the one that warms up. */
  #state: number;
  #nextState: number;
  /** Quiet chunks in a row, at most QUIET_CHUNKS. */
  #quietChunks = 0;
  /** Quiet chunks in a row by the next state. */
  #warmUpChunks = 0;
  #open = true;

  constructor(silero: SharedSilero, states: Float32Array) {
    this.#silero = silero;
    this.#network = silero.network;
    this.#probability = silero.probability;
    this.#states = states;
    this.#state = states.byteOffset;
    this.#nextState = this.#state + states.byteLength / STATES_PER_STREAM;
    states.fill(0);
  }

  // So short that V8 always inlines it: otherwise it would allocate the number that it returns.
  probability(chunk: Int16Array): number {
    this.#listen(chunk);
    return this.#probability[0] as number;
  }

  #listen(chunk: Int16Array): void {
    // Called only on failure: on Node 26 each call of `assert.equal` allocates 56 bytes for its message.
    if (!this.#open) assert.fail("destroyed");
    if (chunk.length !== SILERO_CHUNK_SAMPLES) assert.fail(`a chunk of ${chunk.length} samples, not of 256`);
    this.#silero.chunk.set(chunk);
    this.#network.listen(this.#state);
    if ((this.#probability[0] as number) >= QUIET_BELOW) this.#quietChunks = 0;
    else if (this.#quietChunks === QUIET_CHUNKS) this.#warmUp();
    else this.#countQuietChunk();
  }

  #countQuietChunk(): void {
    this.#quietChunks += 1;
    if (this.#quietChunks < QUIET_CHUNKS) return;
    this.#network.begin(this.#nextState, this.#state);
    this.#warmUpChunks = 0;
  }

  /** Lets the next state hear the same chunk, and takes it into use when it is warm. The probability stays that of the state in use. */
  #warmUp(): void {
    const probability = this.#probability[0] as number;
    this.#network.listen(this.#nextState);
    this.#warmUpChunks = (this.#probability[0] as number) < QUIET_BELOW ? this.#warmUpChunks + 1 : 0;
    this.#probability[0] = probability;
    if (this.#warmUpChunks < WARM_UP_CHUNKS) return;
    const previous = this.#state;
    this.#state = this.#nextState;
    this.#nextState = previous;
    this.#quietChunks = 0;
  }

  destroy(): void {
    assert.ok(this.#open, "destroyed twice");
    this.#open = false;
    this.#silero.release(this.#states);
  }
}
