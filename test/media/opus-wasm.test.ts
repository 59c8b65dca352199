import { describe, expect, test } from "vitest";
import { STREAM_RATES_HZ } from "../../src/core/call-spec.ts";
import { opusCodecs } from "../../src/media/opus.ts";
import { createWasmOpus, type LibopusModule, loadLibopusModule } from "../../src/media/opus-wasm.ts";
import { opusContract } from "../contract/opus-contract.ts";
import { vowelAt } from "../support/vowel.ts";

const module = await loadLibopusModule();

describe("Opus by libopus-wasm", () => {
  opusContract({
    library: createWasmOpus(module),
    heldBytes: async () => module.HEAPU8.length,
    grownBytesMax: 0,
    decodeHeapBytesMax: 1,
    // The view of the packet.
    encodeHeapBytesMax: 200,
  });

  test("streams go on while the memory grows under them", () => {
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
