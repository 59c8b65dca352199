import { isoEpochMs } from "../../core/clock.ts";
import { type EpochMs, epochMs, mediaMs } from "../../core/clocks.ts";
import { JITTER_BUFFER_WAIT_MS } from "../../core/limits/streams/caller-audio.ts";
import { CARRIER_RATE_HZ, OUTPUT_LEAD_MS } from "../../core/limits/streams/media.ts";
import { AUDIO, readDigit, STOP, UNKNOWN_EVENT } from "../../wire/events.ts";
import { Fields } from "../../wire/json.ts";
import type { G711Codec, InboundAudio, ParseCharge, Wire, WireEvent } from "../../wire/wire.ts";
import type { CarrierWireSettings } from "../descriptor.ts";
import { CHUNK, type MediaLayout, mediaLayout, NUMBER, PAYLOAD } from "../media-scanner.ts";
import { parseChargeBytes } from "../parse-charge.ts";
import { type GivenParameters, membersOf, readParameters } from "../start-parameters.ts";
import { CarrierStream, carrierError, GREETING, idFrom, isAbsentOr } from "../stream.ts";

// carrier_b speaks Telnyx media streaming, bidirectional, in its mode `rtp`:
// https://developers.telnyx.com/docs/voice/programmable-voice/media-streaming
// Counters are strings, and messages may arrive in any order. Inbound audio has the codec that `start` announces, that
// of the telephone leg. Outbound audio has the codec that was requested for the stream; no message contains it.

/** The carrier's name in the API, and in errors. */
export const WIRE = "carrier_b";
/**
 * The member of the start message that holds the carrier's own id of the call. With it the carrier's API identifies the
 * call.
 */
export const CALL_ID_FIELD = "call_control_id";
/** The member with what the commands of the account attached to the call, in base64; also the name of that parameter. */
const CLIENT_STATE_FIELD = "client_state";

/** By the carrier's names, which are case-sensitive. */
const CODECS: ReadonlyMap<unknown, G711Codec> = new Map([
  ["PCMU", "mulaw"],
  ["PCMA", "alaw"],
]);

/** The wire of one carrier_b stream. */
export const createTelnyxWire = (settings: CarrierWireSettings): Wire => new TelnyxWire(settings);

/** The two orders of members seen in the carrier's inbound audio. Its timestamp is ignored: see `TelnyxWire`. */
export function telnyxMediaLayouts(streamId: string): readonly MediaLayout[] {
  const stream = { own: `"stream_id":${JSON.stringify(streamId)}` };
  const begin = ['{"event":"media","sequence_number":"', NUMBER, '",'] as const;
  const media = [
    '"media":{"track":"inbound","chunk":"',
    CHUNK,
    '","timestamp":"',
    NUMBER,
    '","payload":"',
    PAYLOAD,
    '"}',
  ] as const;
  return [mediaLayout(...begin, ...media, ",", stream, "}"), mediaLayout(...begin, stream, ",", ...media, "}")];
}

/**
 * See `Wire`. It stores the stream's id and its codec. It ignores the telephone numbers.
 *
 * Audio has no timestamp, because the unit of the carrier's is not documented. `chunk` gives its order.
 */
export class TelnyxWire implements Wire {
  readonly #stream = new CarrierStream(WIRE);
  readonly inboundRateHz = CARRIER_RATE_HZ;
  readonly outboundRateHz = CARRIER_RATE_HZ;
  readonly binaryAudio = false;
  readonly outboundCodec: G711Codec;
  readonly playout = { leadMs: OUTPUT_LEAD_MS };
  readonly jitterBuffer = { waitMs: JITTER_BUFFER_WAIT_MS };
  readonly hasWallClockTimestamps = false;

  constructor({ outboundCodec }: CarrierWireSettings) {
    this.outboundCodec = outboundCodec;
  }

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
    this.#stream.checkStreamId(fields, "stream_id");
    switch (event) {
      case "media":
        return this.#media(fields.object("media"), into);
      case "mark":
        return { kind: "mark", name: fields.object("mark").text("name") };
      case "dtmf":
        return readDigit(fields.object("dtmf"), occurredAtMs(fields));
      case "error":
        return carrierError(fields.object("payload").get("code"), "error");
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
    this.#stream.requireStreamId("mark");
    return JSON.stringify({ event: "mark", mark: { name } });
  }

  encodeClear(): string {
    this.#stream.requireStreamId("clear");
    return '{"event":"clear"}';
  }

  #media(media: Fields, into: InboundAudio): WireEvent {
    const event = this.#stream.readMedia(media, into);
    into.timestampMs = mediaMs(Number.NaN);
    return event;
  }

  /** Every start is reported; only the first one sets the stream id of this wire. */
  #start(fields: Fields): WireEvent {
    const start = fields.object("start");
    const streamId = idFrom(fields, start, "stream_id");
    const carrierCallId = idFrom(start, fields, CALL_ID_FIELD);
    const format = start.object("media_format");
    // Without an encoding the codec would be a guess, and a wrong one is noise.
    const codec = CODECS.get(format.get("encoding"));
    const isFormatRight = isAbsentOr(CARRIER_RATE_HZ, format, "sample_rate") && isAbsentOr(1, format, "channels");
    if (codec === undefined || !isFormatRight) {
      const allowed = [...CODECS.keys()].join(" or ");
      throw fields.malformed(`media_format must be ${allowed}, ${CARRIER_RATE_HZ} Hz, 1 channel`);
    }
    this.#stream.begin({
      streamId,
      inboundCodec: codec,
      layouts: telnyxMediaLayouts(streamId),
      beforePayload: '{"event":"media","media":{"payload":"',
      afterPayload: '"}}',
    });
    return { kind: "start", streamId, carrierCallId, codec, ...readParameters(givenParameters(start)) };
  }
}

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** The client state first: a custom parameter of the same name does not replace what the account's own command set. */
function* givenParameters(start: Fields): GivenParameters {
  const state = start.get(CLIENT_STATE_FIELD);
  if (state !== "") yield [CLIENT_STATE_FIELD, typeof state === "string" ? decodedState(state) : state];
  yield* membersOf(start.get("custom_parameters"));
}

/** The text whose base64 the state is. A state that is no base64 of a text stays as it is. */
function decodedState(state: string): string {
  const bytes = Buffer.from(state, "base64");
  // Some leave out the padding.
  if (bytes.toString("base64") !== state.padEnd(4 * Math.ceil(state.length / 4), "=")) return state;
  try {
    return UTF8.decode(bytes);
  } catch {
    return state;
  }
}

function occurredAtMs(fields: Fields): EpochMs {
  const at = fields.get("occurred_at");
  return typeof at === "string" ? isoEpochMs(at) : epochMs(Number.NaN);
}
