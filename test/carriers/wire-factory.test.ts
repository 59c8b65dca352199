import { describe, expect, test } from "vitest";
import { wireFactory } from "../../src/carriers/wire-factory.ts";
import { asCallId } from "../../src/core/ids.ts";
import { loadOpus } from "../../src/media/opus/load.ts";

const opus = await loadOpus();
const createWire = wireFactory({ outboundCodecs: { carrier_b: "alaw" }, opus });

describe("the wire of a call", () => {
  test.each([
    ["carrier_a", "mulaw"],
    ["carrier_b", "alaw"],
    ["carrier_c", "mulaw"],
  ] as const)("of %s has the rate of telephones and sends %s", (connectionType, outboundCodec) => {
    const wire = createWire(asCallId("call_1"), { connectionType });
    expect([wire.inboundRateHz, wire.outboundRateHz, wire.outboundCodec]).toEqual([8_000, 8_000, outboundCodec]);
  });

  test("of websocket has the codec and the rates of the call, and begins with its id", () => {
    const format = { codec: "pcm_s16le", inputRateHz: 24_000, outputRateHz: 16_000 } as const;
    const wire = createWire(asCallId("call_1"), { connectionType: "websocket", websocket: format });
    expect([wire.inboundRateHz, wire.outboundRateHz, wire.outboundCodec]).toEqual([24_000, 16_000, "pcm_s16le"]);
    expect(wire.implicitStart?.streamId).toBe("call_1");
  });

  test("does not exist for webrtc, of which no call is created", () => {
    expect(() => createWire(asCallId("call_1"), { connectionType: "webrtc" })).toThrow(
      "no wire for connectionType webrtc",
    );
  });
});
