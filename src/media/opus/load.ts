import { type OpusCodecs, type OpusLibrary, opusCodecs, type RtpOpusCodecs, rtpOpusCodecs } from "./codecs.ts";
import { loadNativeOpus } from "./native.ts";
import { createWasmOpus, loadLibopusModule } from "./wasm.ts";

/** The codecs of the library that was loaded. */
export interface LoadedOpus extends OpusCodecs {
  /** The loader's error code where the native library could not be loaded: not installed, or broken. */
  readonly nativeFailure: string | undefined;
}

/** Loads Opus: the native library where possible, libopus-wasm otherwise. */
export async function loadOpus(loadNative: () => Promise<OpusLibrary> = loadNativeOpus): Promise<LoadedOpus> {
  try {
    return { ...opusCodecs(await loadNative()), nativeFailure: undefined };
  } catch (error) {
    const library = createWasmOpus(await loadLibopusModule());
    return { ...opusCodecs(library), nativeFailure: failureCode(error) };
  }
}

/** Loads the codecs of RTP streams: decoders of libopus-wasm, which copes with loss, and the encoders of `opus`. */
export const loadRtpOpus = async (opus: Pick<OpusCodecs, "encoder">): Promise<RtpOpusCodecs> =>
  rtpOpusCodecs(createWasmOpus(await loadLibopusModule()), opus);

const failureCode = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : String(error);
