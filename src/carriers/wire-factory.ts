import { strict as assert } from "node:assert";
import type { OpusCodecs } from "../media/opus/codecs.ts";
import { createWebsocketWire } from "../wire/websocket/wire.ts";
import type { WireFactory } from "../wire/wire.ts";
import { carrierOf, type OutboundCodecs } from "./list.ts";

interface WireOptions {
  outboundCodecs: OutboundCodecs;
  opus: OpusCodecs;
}

/** Makes the wire of every connection type that calls can have. The gateway is given it, and knows no carrier. */
export function wireFactory({ outboundCodecs, opus }: WireOptions): WireFactory {
  return (callId, { connectionType, websocket: format, mode, language }) => {
    if (connectionType === "websocket") {
      assert.ok(format !== undefined, "a websocket call has a negotiated format");
      return createWebsocketWire({
        format,
        callId,
        opus,
        transcribes: mode === "transcription" ? language : undefined,
      });
    }
    const carrier = carrierOf(connectionType);
    if (carrier !== undefined) {
      return carrier.createWire({ outboundCodec: outboundCodecs[carrier.connectionType] ?? "mulaw" });
    }
    throw new Error(`no wire for connectionType ${connectionType}: such calls must not be created`);
  };
}
