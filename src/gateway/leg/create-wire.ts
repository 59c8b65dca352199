import { strict as assert } from "node:assert";
import { createPlivoWire } from "../../carriers/plivo/wire.ts";
import { createTelnyxWire } from "../../carriers/telnyx/wire.ts";
import { createTwilioWire } from "../../carriers/twilio/wire.ts";
import type { CallSpec } from "../../core/calls/spec.ts";
import type { CallId } from "../../core/ids.ts";
import type { G711Codec } from "../../media/g711.ts";
import type { OpusCodecs } from "../../media/opus/codecs.ts";
import type { Vad } from "../../media/vad.ts";
import { createWebsocketWire } from "../../wire/websocket/wire.ts";
import type { Wire } from "../../wire/wire.ts";

export interface WireOptions {
  /** The codec that carrier_b was configured to receive. */
  telnyxOutboundCodec: G711Codec;
  opus: OpusCodecs;
}

/** The wire of a call's transport. Calls are created only for transports that have a wire. */
export function createWire(
  callId: CallId,
  { connectionType, websocket: format }: Pick<CallSpec, "connectionType" | "websocket">,
  { telnyxOutboundCodec, opus }: WireOptions,
): Wire {
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
}

/** Makes the VAD of a wire's call; closes the wire when there is no memory for a VAD. */
export function makeVadFor(wire: Pick<Wire, "close">, make: () => Vad): Vad {
  try {
    return make();
  } catch (error) {
    wire.close?.();
    throw error;
  }
}
