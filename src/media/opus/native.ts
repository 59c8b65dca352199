import type { NativeOpus, OpusPackage } from "@discordjs/opus";
import { unavailable } from "../../core/errors.ts";
import { pcmBytes } from "../frame-codec.ts";
import {
  APPLICATION_VOIP,
  CORRUPTED,
  encoderControls,
  type LibraryDecoder,
  type LibraryEncoder,
  type OpusLibrary,
} from "./codecs.ts";

/**
 * Opus from @discordjs/opus, an optional package with a compiled binary. Rejects with the loader's error when the
 * package or its binary for this system and version of Node cannot be loaded.
 */
export async function loadNativeOpus(
  importPackage: () => Promise<{ default: OpusPackage }> = () => import("@discordjs/opus"),
): Promise<OpusLibrary> {
  const { default: opus } = await importPackage();
  const library: OpusLibrary = {
    implementation: "native",
    openDecoder: (rateHz) => new NativeDecoder(opus, rateHz),
    openEncoder: (rateHz, complexity) => new NativeEncoder(opus, rateHz, complexity),
  };
  // Detects here, not in a call, that a loaded package does not work.
  library.openDecoder(8_000).close();
  return library;
}

const MONO = 1;
// `opus_defines.h`: controls that set a value.
const SET_APPLICATION = 4_000;
const SET_GAIN = 4_034;

class NativeDecoder implements LibraryDecoder {
  readonly #native: NativeOpus;

  constructor(opus: OpusPackage, rateHz: number) {
    this.#native = open(opus, rateHz, (native) => native.applyDecoderCTL(SET_GAIN, 0));
  }

  decode(packet: Uint8Array, into: Int16Array): number {
    let pcm: Uint8Array;
    try {
      pcm = this.#native.decode(packet);
    } catch {
      return CORRUPTED;
    }
    pcmBytes(into).set(pcm);
    return pcm.length / Int16Array.BYTES_PER_ELEMENT;
  }

  /** The package frees an object's memory when the object is collected; there is no other way. */
  close(): void {}
}

class NativeEncoder implements LibraryEncoder {
  readonly #native: NativeOpus;

  constructor(opus: OpusPackage, rateHz: number, complexity: number) {
    this.#native = open(opus, rateHz, (native) => {
      native.applyEncoderCTL(SET_APPLICATION, APPLICATION_VOIP);
      for (const [control, value] of encoderControls(complexity)) native.applyEncoderCTL(control, value);
    });
  }

  encode(samples: Int16Array): Uint8Array {
    return this.#native.encode(pcmBytes(samples));
  }

  /** See `NativeDecoder.close`. */
  close(): void {}
}

/**
 * Opens the package's object and, with its first control, the codec: otherwise that could fail in the middle of a
 * stream.
 */
function open({ OpusEncoder }: OpusPackage, rateHz: number, control: (native: NativeOpus) => void): NativeOpus {
  const native = new OpusEncoder(rateHz, MONO);
  try {
    control(native);
  } catch (error) {
    throw unavailable("no memory for another Opus stream", error);
  }
  return native;
}
