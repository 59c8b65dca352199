import { strict as assert } from "node:assert";
import type { G711Codec } from "../media/g711.ts";
import type { OpusCodecs } from "../media/opus/codecs.ts";
import { createWebsocketWire } from "../wire/websocket/wire.ts";
import type { WireFactory } from "../wire/wire.ts";
import { createPlivoWire } from "./plivo/wire.ts";
import { createTelnyxWire } from "./telnyx/wire.ts";
import { createTwilioWire } from "./twilio/wire.ts";

export interface WireOptions {
  /** The codec that carrier_b was configured to receive. */
  telnyxOutboundCodec: G711Codec;
  opus: OpusCodecs;
}

/** Makes the wires of all transports that calls are created for. The gateway is given it, and knows no carrier. */
export function wireFactory({ telnyxOutboundCodec, opus }: WireOptions): WireFactory {
  return (callId, { connectionType, websocket: format }) => {
    switch (connectionType) {
      case "carrier_a":
        return createTwilioWire();
      case "carrier_b":
        return createTelnyxWire({ outboundCodec: telnyxOutboundCodec });
      case "carrier_c":
        return createPlivoWire();
      case "websocket":
        assert.ok(format !== undefined, "a websocket call has a negotiated format");
        return createWebsocketWire({ format, callId, opus });
      case "webrtc":
        throw new Error(`no wire for connectionType ${connectionType}: such calls must not be created`);
    }
  };
}
