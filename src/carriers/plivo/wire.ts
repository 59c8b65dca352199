import { elapsedMs, epochMs, mediaMs, millisecondsOf } from "../../core/clocks.ts";
import { parseObject } from "../../core/json.ts";
import { PARAMETERS_BYTES_MAX } from "../../core/limits/calls/calls.ts";
import { CARRIER_RATE_HZ, OUTPUT_LEAD_MS } from "../../core/limits/streams/media.ts";
import { EXTRA_HEADERS_CHARS_MAX } from "../../core/limits/streams/messages.ts";
import { AUDIO, CLEARED, readDigit, STOP, UNKNOWN_EVENT } from "../../wire/events.ts";
import { Fields } from "../../wire/json.ts";
import type { InboundAudio, ParseCharge, Wire, WireEvent } from "../../wire/wire.ts";
import { CHUNK, type MediaLayout, mediaLayout, NUMBER, PAYLOAD, TIMESTAMP } from "../media-scanner.ts";
import { parseChargeBytes } from "../parse-charge.ts";
import { type GivenParameters, membersOf, readParameters } from "../start-parameters.ts";
import { CarrierStream, carrierError, idFrom } from "../stream.ts";

// carrier_c speaks Plivo audio streaming, bidirectional:
// https://www.plivo.com/docs/voice/audio-streaming/audio-streaming
// Audio is mu-law in both directions. Counters are JSON numbers, timestamps are strings of ms since the Unix epoch.

/** The carrier's name in the API, and in errors. */
export const WIRE = "carrier_c";
/** The member of the start message that holds the carrier's own id of the call. */
export const CALL_ID_FIELD = "callId";
const ENCODING = "audio/x-mulaw";
/** Longer extra headers are too long for parameters even where each byte is percent-encoded; the carrier allows 512. */
const HEADERS_CHARS_MAX = 3 * PARAMETERS_BYTES_MAX;
const ENCODED = /(?:%[0-9a-f]{2})+/gi;

/** The wire of one carrier_c stream. */
export const createPlivoWire = (): Wire => new PlivoWire();

/**
 * The two orders of members in which the carrier writes inbound audio. Every message repeats the `extraHeaders` of the
 * start; where they are no text, or a long one, there is no fast reader.
 */
export function plivoMediaLayouts(streamId: string, extraHeaders: unknown): readonly MediaLayout[] {
  const repeated = extraHeaders ?? "";
  if (typeof repeated !== "string" || repeated.length > EXTRA_HEADERS_CHARS_MAX) return [];
  const stream = { own: `"streamId":${JSON.stringify(streamId)}` };
  const media = [
    '"media":{"track":"inbound","timestamp":"',
    TIMESTAMP,
    '","chunk":',
    CHUNK,
    ',"payload":"',
    PAYLOAD,
    '"}',
  ] as const;
  const end = extraHeaders === undefined ? "}" : { own: `,"extra_headers":${JSON.stringify(repeated)}}` };
  return [
    mediaLayout('{"event":"media","sequenceNumber":', NUMBER, ",", stream, ",", ...media, end),
    mediaLayout('{"sequenceNumber":', NUMBER, ",", stream, ',"event":"media",', ...media, end),
  ];
}

/**
 * See `Wire`. It stores the stream's id and the time of the first audio, from which all times are counted.
 *
 * A cleared mark is never returned; the event `cleared` reports that the clear was carried out.
 */
export class PlivoWire implements Wire {
  readonly #stream = new CarrierStream(WIRE);
  readonly inboundRateHz = CARRIER_RATE_HZ;
  readonly outboundRateHz = CARRIER_RATE_HZ;
  readonly binaryAudio = false;
  readonly outboundCodec = "mulaw";
  readonly playout = { leadMs: OUTPUT_LEAD_MS };
  readonly jitterBuffer = undefined;
  readonly hasWallClockTimestamps = true;
  /** Ms since the Unix epoch, by the carrier's clock. */
  #firstAudioEpochMs = epochMs(Number.NaN);

  decode(message: Uint8Array, into: InboundAudio, _isBinary = false, charge?: ParseCharge): WireEvent {
    if (this.#stream.scan(message, into)) {
      this.#makeRelativeToFirst(into);
      return AUDIO;
    }
    charge?.(parseChargeBytes(message));
    return this.decodeFully(message, into);
  }

  /** The result of `decode`, by a full parse. `decode` uses the scanner where the result is the same. */
  decodeFully(message: Uint8Array, into: InboundAudio): WireEvent {
    const fields = Fields.parse(WIRE, message);
    const event = fields.get("event");
    if (typeof event !== "string") throw fields.malformed("event must be a string");
    if (event === "start") return this.#start(fields);
    this.#stream.checkStreamId(fields, "streamId");
    switch (event) {
      case "media":
        return this.#media(fields.object("media"), into);
      case "playedStream":
        return { kind: "mark", name: fields.text("name") };
      case "clearedAudio":
        return CLEARED;
      case "dtmf":
        return readDigit(fields.object("dtmf"), epochMs(Number.NaN));
      case "playFailed":
      case "error":
        return carrierError(fields.get("reason"), event);
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
    return JSON.stringify({ event: "checkpoint", streamId: this.#stream.requireStreamId("mark"), name });
  }

  encodeClear(): string {
    return JSON.stringify({ event: "clearAudio", streamId: this.#stream.requireStreamId("clear") });
  }

  encodeDtmf(digits: string): string {
    return JSON.stringify({ event: "sendDTMF", dtmf: digits });
  }

  #media(media: Fields, into: InboundAudio): WireEvent {
    const event = this.#stream.readMedia(media, into);
    if (event === AUDIO) this.#makeRelativeToFirst(into);
    return event;
  }

  #makeRelativeToFirst(into: InboundAudio): void {
    // The carrier sends wall-clock time where other carriers send media time.
    const sentMs = epochMs(millisecondsOf(into.timestampMs));
    if (Number.isNaN(this.#firstAudioEpochMs)) this.#firstAudioEpochMs = sentMs;
    into.timestampMs = mediaMs(elapsedMs(this.#firstAudioEpochMs, sentMs));
  }

  /** Every start is reported; only the first one sets the stream id of this wire. */
  #start(fields: Fields): WireEvent {
    const start = fields.object("start");
    const streamId = idFrom(start, fields, "streamId");
    const carrierCallId = idFrom(start, fields, CALL_ID_FIELD);
    const extraHeaders = fields.get("extra_headers");
    checkFormat(start);
    if ((fields.get("streamId") ?? streamId) !== streamId) throw fields.malformed("start of two streams");
    this.#stream.begin({
      streamId,
      inboundCodec: "mulaw",
      layouts: plivoMediaLayouts(streamId, extraHeaders),
      beforePayload: `{"event":"playAudio","media":{"contentType":"${ENCODING}","sampleRate":${CARRIER_RATE_HZ},"payload":"`,
      afterPayload: '"}}',
    });
    const parameters = readParameters(givenParameters(extraHeaders));
    return { kind: "start", streamId, carrierCallId, codec: "mulaw", ...parameters };
  }
}

/**
 * The extra headers of a start: JSON where the text begins with a brace, otherwise `name=value` with percent-encoding,
 * divided by semicolons, or by commas where there is no semicolon. The carrier's pages differ.
 */
function givenParameters(extraHeaders: unknown): GivenParameters {
  if (typeof extraHeaders !== "string") return membersOf(extraHeaders);
  if (extraHeaders.length > HEADERS_CHARS_MAX) return [[undefined, extraHeaders]];
  const text = extraHeaders.trim();
  if (text.startsWith("{")) return membersOf(parseObject(text) ?? text);
  const parts = text.split(text.includes(";") ? ";" : ",").filter((part) => part.trim() !== "");
  return parts.map((part) => {
    const at = part.indexOf("=");
    return at === -1 ? [undefined, part] : [decoded(part.slice(0, at)), decoded(part.slice(at + 1))];
  });
}

/** Percent-encoding that stands for no UTF-8 becomes U+FFFD, as in a browser's form. Never throws: that takes time. */
const decoded = (text: string): string =>
  text.trim().replace(ENCODED, (run) => Buffer.from(run.replaceAll("%", ""), "hex").toString());

/**
 * The format may be absent, and its members have two names each. A format that is given must be one that we can read.
 */
function checkFormat(start: Fields): void {
  if (start.get("mediaFormat") === undefined) return;
  const format = start.object("mediaFormat");
  const encoding = format.get("encoding") ?? format.get("type") ?? ENCODING;
  const rateKey = ["sampleRate", "rate"].find((key) => format.get(key) !== undefined);
  if (encoding !== ENCODING || (rateKey !== undefined && format.number(rateKey) !== CARRIER_RATE_HZ)) {
    throw start.malformed(`mediaFormat must be ${ENCODING}, ${CARRIER_RATE_HZ} Hz`);
  }
}
