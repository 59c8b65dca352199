import { describe, expect, test } from "vitest";
import { STREAM_RATES_HZ } from "../../../src/core/calls/spec.ts";
import { OPUS_PACKET_MS_MAX } from "../../../src/core/limits/streams/media.ts";
import { opusCodecs, rtpOpusCodecs } from "../../../src/media/opus/codecs.ts";
import { createWasmOpus, type LibopusModule, loadLibopusModule } from "../../../src/media/opus/wasm.ts";
import { opusContract } from "../../contract/media/opus.ts";
import { mutantPacket, packetsOfEveryKind } from "../../support/audio/opus-packets.ts";
import { vowelAt } from "../../support/audio/vowel.ts";
import { Random } from "../../support/random.ts";

const module = await loadLibopusModule();
/** Emscripten's own: the package sets no other. */
const STACK_BYTES = 64 * 1_024;
const PAINT = 0xa5;

describe("Opus by libopus-wasm", () => {
  opusContract({
    library: createWasmOpus(module),
    heldBytes: async () => module.HEAPU8.length,
    grownBytesMax: 0,
    decodeHeapBytesMax: 1,
    // The view of the packet.
    encodeHeapBytesMax: 200,
  });

  test("streams continue while the WebAssembly memory grows", () => {
    const growing = opusCodecs(createWasmOpus(module));
    const packetsOf = (open: () => void): Uint8Array[] => {
      const encoder = growing.encoder(16_000);
      const packets = Array.from({ length: 4 }, (_, n) => {
        if (n === 2) open();
        return encoder.encode(Int16Array.from({ length: 320 }, (__, i) => vowelAt((n * 320 + i) / 16_000))).slice();
      });
      encoder.close();
      return packets;
    };
    const expected = packetsOf(() => {});
    const before = module.HEAPU8.length;
    const opened: { close(): void }[] = [];
    expect(
      packetsOf(() => {
        while (module.HEAPU8.length === before) opened.push(growing.encoder(48_000));
      }),
    ).toEqual(expected);
    for (const encoder of opened) encoder.close();
  });

  test("the calls of this service use less than two thirds of its stack, whose overflow would not be detected", async () => {
    const fresh = await loadLibopusModule();
    // The stack ends where the heap begins, and grows down.
    const heapAt = fresh._malloc(16);
    const stackAt = heapAt - STACK_BYTES;
    const IN_USE_BYTES = 1_024;
    fresh.HEAPU8.fill(PAINT, stackAt, heapAt - IN_USE_BYTES);
    const codecs = opusCodecs(createWasmOpus(fresh));
    const random = new Random(5);
    for (const rateHz of STREAM_RATES_HZ) {
      const encoder = codecs.encoder(rateHz);
      const frame = new Int16Array(rateHz / 50);
      for (let n = 0; n < 100; n += 1) {
        for (let i = 0; i < frame.length; i += 1) {
          frame[i] = n < 50 ? 3 * vowelAt((n * frame.length + i) / rateHz) : random.whole(-32_768, 32_767);
        }
        encoder.encode(frame);
      }
    }
    const packets = packetsOfEveryKind();
    for (const rateHz of [8_000, 16_000] as const) {
      const decoder = rtpOpusCodecs(createWasmOpus(fresh), codecs).decoder(rateHz);
      const into = new Int16Array(1_920);
      const mutants = Array.from({ length: 2_000 }, () => mutantPacket(packets, random));
      for (const packet of [...packets, ...mutants]) {
        try {
          decoder.decodeLost(packet, OPUS_PACKET_MS_MAX, into);
          decoder.decode(packet, into);
        } catch (error) {
          expect(error).toMatchObject({ code: "wire_malformed" });
        }
      }
    }
    const untouched = fresh.HEAPU8.subarray(stackAt, heapAt).findIndex((byte) => byte !== PAINT);
    const usedBytes = STACK_BYTES - untouched;
    expect(usedBytes).toBeGreaterThan(IN_USE_BYTES);
    expect(usedBytes).toBeLessThan((2 / 3) * STACK_BYTES);
  });

  test("no memory for another stream is `unavailable`, at once", () => {
    const full: LibopusModule = {
      ...module,
      HEAP16: module.HEAP16,
      HEAPU8: module.HEAPU8,
      _oc_create_decoder: () => 0,
      _oc_create_encoder: () => 0,
    };
    const codecs = opusCodecs(createWasmOpus(full));
    const unavailable = expect.objectContaining({ code: "unavailable" });
    expect(() => codecs.decoder(8_000)).toThrow(unavailable);
    for (const rateHz of STREAM_RATES_HZ) expect(() => codecs.encoder(rateHz)).toThrow(unavailable);
    expect(() => createWasmOpus({ ...full, _malloc: () => 0 })).toThrow(unavailable);
  });
});
