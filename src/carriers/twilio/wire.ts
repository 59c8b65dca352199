import { epochMs } from "../../core/clocks.ts";
import { CARRIER_RATE_HZ, OUTPUT_LEAD_MS } from "../../core/limits/streams/media.ts";
import { AUDIO, readDigit, STOP, UNKNOWN_EVENT } from "../../wire/events.ts";
import { Fields } from "../../wire/json.ts";
import type { InboundAudio, ParseCharge, Wire, WireEvent } from "../../wire/wire.ts";
import { CHUNK, type MediaLayout, mediaLayout, NUMBER, PAYLOAD, TIMESTAMP } from "../media-scanner.ts";
import { parseChargeBytes } from "../parse-charge.ts";
import { membersOf, readParameters } from "../start-parameters.ts";
import { CarrierStream, GREETING, idFrom, isAbsentOr } from "../stream.ts";

// carrier_a speaks Twilio Media Streams, bidirectional:
// https://www.twilio.com/docs/voice/media-streams/websocket-messages
// Audio is mu-law in both directions. Counters are strings.

/** The carrier's name in the API, and in errors. */
export const WIRE = "carrier_a";
/** The member of the start message that holds the carrier's own id of the call. */
export const CALL_ID_FIELD = "callSid";
const ENCODING = "audio/x-mulaw";

/** The wire of one carrier_a stream. */
export const createTwilioWire = (): Wire => new TwilioWire();

/** The two orders of members in which the carrier writes inbound audio. */
export function twilioMediaLayouts(streamId: string): readonly MediaLayout[] {
  const stream = { own: `"streamSid":${JSON.stringify(streamId)}` };
  const begin = ['{"event":"media","sequenceNumber":"', NUMBER, '",'] as const;
  const media = [
    '"media":{"track":"inbound","chunk":"',
    CHUNK,
    '","timestamp":"',
    TIMESTAMP,
    '","payload":"',
    PAYLOAD,
    '"}',
  ] as const;
  return [mediaLayout(...begin, ...media, ",", stream, "}"), mediaLayout(...begin, stream, ",", ...media, "}")];
}

/**
 * See `Wire`. The carrier sends connected, start, media, ..., stop, in this order. The wire stores only the stream's
 * id.
 */
export class TwilioWire implements Wire {
  readonly #stream = new CarrierStream(WIRE);
  readonly inboundRateHz = CARRIER_RATE_HZ;
  readonly outboundRateHz = CARRIER_RATE_HZ;
  readonly binaryAudio = false;
  readonly outboundCodec = "mulaw";
  readonly playout = { leadMs: OUTPUT_LEAD_MS };
  readonly jitterBuffer = undefined;
  readonly hasWallClockTimestamps = false;

  decode(message: Uint8Array, into: InboundAudio, _isBinary = false, charge?: ParseCharge): WireEvent {
    if (this.#stream.scan(message, into)) return AUDIO;
    charge?.(parseChargeBytes(message));
    return this.decodeFully(message, into);
  }

  /** The result of `decode`, by a full parse. `decode` uses the scanner where the result is the same. */
  decodeFully(message: Uint8Array, into: InboundAudio): WireEvent {
    const fields = Fields.parse(WIRE, message);
    const event = fields.get("event");
    if (typeof event !== "string") throw fields.malformed("event must be a string");
    if (event === "connected") return GREETING;
    if (event === "start") return this.#start(fields);
    this.#stream.checkStreamId(fields, "streamSid");
    switch (event) {
      case "media":
        return this.#stream.readMedia(fields.object("media"), into);
      case "mark":
        return { kind: "mark", name: fields.object("mark").text("name") };
      case "dtmf":
        return readDigit(fields.object("dtmf"), epochMs(Number.NaN));
      case "stop":
        return STOP;
      default:
        return UNKNOWN_EVENT;
    }
  }

  encodeAudio(frame: Uint8Array): Uint8Array {
    return this.#stream.encodeAudio(frame);
  }

  encodeMark(name: string): string {
    return JSON.stringify({ event: "mark", streamSid: this.#stream.requireStreamId("mark"), mark: { name } });
  }

  encodeClear(): string {
    return JSON.stringify({ event: "clear", streamSid: this.#stream.requireStreamId("clear") });
  }

  /** Every start is reported; only the first one sets the stream id of this wire. */
  #start(fields: Fields): WireEvent {
    const start = fields.object("start");
    const streamId = idFrom(start, fields, "streamSid");
    const carrierCallId = idFrom(start, fields, CALL_ID_FIELD);
    checkFormat(start);
    if ((fields.get("streamSid") ?? streamId) !== streamId) throw fields.malformed("start of two streams");
    this.#stream.begin({
      streamId,
      inboundCodec: "mulaw",
      layouts: twilioMediaLayouts(streamId),
      // Only these members: the carrier warns about others.
      beforePayload: `{"event":"media","streamSid":${JSON.stringify(streamId)},"media":{"payload":"`,
      afterPayload: '"}}',
    });
    const parameters = readParameters(membersOf(start.get("customParameters")));
    return { kind: "start", streamId, carrierCallId, codec: "mulaw", ...parameters };
  }
}

/** The carrier has one format. It may be absent, in part or whole; what is given must be that. */
function checkFormat(start: Fields): void {
  if (start.get("mediaFormat") === undefined) return;
  const format = start.object("mediaFormat");
  const isEncodingRight = (format.get("encoding") ?? ENCODING) === ENCODING;
  if (!isEncodingRight || !isAbsentOr(CARRIER_RATE_HZ, format, "sampleRate") || !isAbsentOr(1, format, "channels")) {
    throw start.malformed(`mediaFormat must be ${ENCODING}, ${CARRIER_RATE_HZ} Hz, 1 channel`);
  }
}
