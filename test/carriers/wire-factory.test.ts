import { describe, expect, test } from "vitest";
import { A_LAW_CARRIERS, CARRIER_NAMES } from "../../src/carriers/list.ts";
import { wireFactory } from "../../src/carriers/wire-factory.ts";
import { asCallId } from "../../src/core/ids.ts";
import { loadOpus } from "../../src/media/opus/load.ts";

const opus = await loadOpus();
const outboundCodecs = Object.fromEntries(A_LAW_CARRIERS.map((name) => [name, "alaw" as const]));
const createWire = wireFactory({ outboundCodecs, opus });

describe("the wire of a call", () => {
  test.each(
    CARRIER_NAMES,
  )("of %s has the rate of telephones, and sends A-law where it can and shall", (connectionType) => {
    const wire = createWire(asCallId("call_1"), { connectionType });
    const codec = A_LAW_CARRIERS.includes(connectionType) ? "alaw" : "mulaw";
    expect([wire.inboundRateHz, wire.outboundRateHz, wire.outboundCodec]).toEqual([8_000, 8_000, codec]);
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
