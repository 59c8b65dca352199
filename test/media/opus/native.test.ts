import type { NativeOpus } from "@discordjs/opus";
import { describe, expect, test } from "vitest";
import { STREAM_RATES_HZ } from "../../../src/core/calls/spec.ts";
import { type OpusCodecs, type OpusLibrary, opusCodecs } from "../../../src/media/opus/codecs.ts";
import { loadNativeOpus } from "../../../src/media/opus/native.ts";
import { createWasmOpus, loadLibopusModule } from "../../../src/media/opus/wasm.ts";
import { opusContract } from "../../contract/media/opus.ts";
import { vowelAt } from "../../support/audio/vowel.ts";
import { collectGarbage } from "../../support/heap.ts";

/** Undefined where there is no binary of the optional package for this version of Node, nor a compiler to make one. */
const library: OpusLibrary | undefined = await loadNativeOpus().catch(() => undefined);

describe.skipIf(library === undefined)("Opus by @discordjs/opus (only where it is installed)", () => {
  if (library === undefined) return;

  opusContract({
    library,
    async heldBytes() {
      collectGarbage();
      // What a native object holds is freed in a turn of its own.
      await new Promise((resolve) => setImmediate(resolve));
      return process.memoryUsage.rss();
    },
    // A twentieth of what they had, some 60 KiB each: V8 and the allocator vary by some megabytes of their own.
    grownBytesMax: 30 * 1024 * 1024,
    decodeHeapBytesMax: 1_000,
    encodeHeapBytesMax: 1_000,
  });

  test("its packets are those of libopus-wasm: the same coder, frame length and bandwidth, and as many bits", async () => {
    const wasm = opusCodecs(createWasmOpus(await loadLibopusModule()));
    for (const rateHz of STREAM_RATES_HZ) {
      const [native, other] = [opusCodecs(library), wasm].map((codecs) => packetsOf(codecs, rateHz));
      expect(native?.map(([toc]) => toc)).toEqual(other?.map(([toc]) => toc));
      const bytes = [native, other].map((packets) => packets?.reduce((sum, { length }) => sum + length, 0) ?? 0);
      expect((bytes[0] as number) / (bytes[1] as number)).toBeCloseTo(1, 1);
    }
  });
});

function packetsOf(codecs: OpusCodecs, rateHz: (typeof STREAM_RATES_HZ)[number]): Uint8Array[] {
  const encoder = codecs.encoder(rateHz);
  const frame = new Int16Array(rateHz / 50);
  return Array.from({ length: 100 }, (_, n) => {
    for (let i = 0; i < frame.length; i += 1) frame[i] = vowelAt((n * frame.length + i) / rateHz);
    return encoder.encode(frame).slice();
  });
}

describe("a native package without memory for another stream", () => {
  class Full implements NativeOpus {
    static opened = 0;
    applyEncoderCTL(): void {
      throw new Error("Could not create encoder. Check the encoder parameters");
    }
    applyDecoderCTL(): void {
      // The first is the one that loading tries.
      Full.opened += 1;
      if (Full.opened > 1) throw new Error("Could not create decoder. Check the decoder parameters");
    }
    encode = (): Uint8Array => new Uint8Array();
    decode = (): Uint8Array => new Uint8Array();
  }

  test("is `unavailable`, at once", async () => {
    const codecs = opusCodecs(await loadNativeOpus(async () => ({ default: { OpusEncoder: Full } })));
    const unavailable = expect.objectContaining({ code: "unavailable" });
    expect(() => codecs.decoder(8_000)).toThrow(unavailable);
    expect(() => codecs.encoder(8_000)).toThrow(unavailable);
  });
});
