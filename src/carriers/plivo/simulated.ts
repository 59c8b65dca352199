import { addMs, epochMs, roundedMs } from "../../core/clocks.ts";
import { CARRIER_RATE_HZ } from "../../core/limits/streams/media.ts";
import { CARRIER_MESSAGE_BYTES_MAX } from "../../core/limits/streams/messages.ts";
import {
  type CarrierOptions,
  encodeBase64,
  MULAW_CODECS,
  reversedId,
  SimulatedCarrier,
  uuidOf,
} from "../../simulator/peers/carrier.ts";
import { type Fields, hasOnly, isFields, parseFields } from "../../simulator/peers/json-fields.ts";
import type { Violation } from "../../simulator/peers/peer.ts";
import type { SimulateCarrier } from "../descriptor.ts";

// The carrier's end of Plivo Audio Streaming, bidirectional, with contentType audio/x-mulaw;rate=8000:
// https://www.plivo.com/docs/voice/xml/audio-streaming
// JSON text messages; audio is base64 G.711 mu-law, 8000 Hz, mono. Numbers are JSON numbers, but times are strings.

const BUFFER_MS_MAX = 60_000;
const ENCODING = "audio/x-mulaw";
/** The attribute `extraHeaders` with which the stream was created, as every message repeats it. */
function extraHeadersOf(parameters: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(parameters).map((pair) => pair.map(encodeURIComponent).join("="));
  return pairs.length === 0 ? "{}" : pairs.join(";");
}

/** The carrier's end of one carrier_c stream. */
export const simulatePlivo: SimulateCarrier = (options) => new SimulatedPlivo(options);

/**
 * carrier_c. Its first message is `start`, and its timestamps are Unix milliseconds. It confirms a clear with `clearedAudio`
 * and never reports the checkpoints before it. It sends nothing when it hangs up: the socket closes.
 */
export class SimulatedPlivo extends SimulatedCarrier {
  override readonly streamId: string;
  readonly callId: string;
  readonly #extraHeaders: string;
  #startedEpochMs = epochMs(0);
  #sequenceNumber = 0;
  #chunk = 0;

  constructor(options: CarrierOptions) {
    super(options, MULAW_CODECS, BUFFER_MS_MAX);
    this.streamId = uuidOf(options.id);
    this.callId = uuidOf(reversedId(options.call?.id ?? options.id));
    this.#extraHeaders = extraHeadersOf(options.parameters ?? {});
  }

  protected override sendStart(): void {
    const { clock, id, call } = this.options;
    this.#startedEpochMs = clock.epochMs();
    this.#sequenceNumber += 1;
    const start = {
      callId: this.callId,
      streamId: this.streamId,
      accountId: call?.accountId ?? `MA${id.slice(0, 18).toUpperCase()}`,
      tracks: ["inbound"],
      mediaFormat: { encoding: ENCODING, sampleRate: CARRIER_RATE_HZ },
    };
    const message = { event: "start", sequenceNumber: this.#sequenceNumber, start, extra_headers: this.#extraHeaders };
    this.options.send(JSON.stringify(message));
  }

  protected override sendAudio(frame: Uint8Array, sinceStartMs: number): void {
    this.#chunk += 1;
    const timestamp = String(roundedMs(addMs(this.#startedEpochMs, sinceStartMs)));
    const media = { track: "inbound", timestamp, chunk: this.#chunk, payload: encodeBase64(frame) };
    this.#send("media", { media, extra_headers: this.#extraHeaders });
  }

  protected override sendDtmf(digit: string): void {
    const timestamp = String(this.options.clock.epochMs());
    this.#send("dtmf", { dtmf: { track: "inbound", digit, timestamp }, extra_headers: this.#extraHeaders });
  }

  protected override sendPlayedMark(mark: string): void {
    this.#send("playedStream", { name: mark });
  }

  protected override sendStop(): void {}

  protected override handleText(message: string): Violation | undefined {
    if (Buffer.byteLength(message) > CARRIER_MESSAGE_BYTES_MAX) return "too_large";
    const fields = parseFields(message);
    if (fields === undefined) return "not_json";
    switch (fields.event) {
      case "playAudio":
        return this.#onPlayAudio(fields);
      case "checkpoint":
        if (fields.streamId !== this.streamId) return "wrong_stream";
        return hasOnly(fields, "event", "streamId", "name") ? this.mark(fields.name) : "unknown_field";
      case "clearAudio":
        return this.#onClearAudio(fields);
      case "sendDTMF":
        // The DTMF tones are not played: nothing in the simulation detects them.
        if (!hasOnly(fields, "event", "dtmf")) return "unknown_field";
        return typeof fields.dtmf === "string" && /^[0-9A-D*#]+$/.test(fields.dtmf) ? undefined : "bad_digit";
      default:
        return "unknown_event";
    }
  }

  #onPlayAudio(fields: Fields): Violation | undefined {
    if (!this.#isOwn(fields)) return "wrong_stream";
    const { media } = fields;
    if (!isFields(media)) return "bad_payload";
    if (!hasOnly(fields, "event", "streamId", "media")) return "unknown_field";
    if (!hasOnly(media, "contentType", "sampleRate", "payload")) return "unknown_field";
    const { contentType, sampleRate, payload } = media;
    const isPlayable = sampleRate === CARRIER_RATE_HZ || sampleRate === String(CARRIER_RATE_HZ);
    return contentType === ENCODING && isPlayable ? this.playBase64(payload) : "wrong_format";
  }

  #onClearAudio(fields: Fields): Violation | undefined {
    if (!this.#isOwn(fields)) return "wrong_stream";
    if (!hasOnly(fields, "event", "streamId")) return "unknown_field";
    this.clear();
    this.#send("clearedAudio", {});
    return undefined;
  }

  /** The socket has only one stream, so its id is optional. */
  #isOwn({ streamId }: Fields): boolean {
    return streamId === undefined || streamId === this.streamId;
  }

  #send(event: string, body: Fields): void {
    this.#sequenceNumber += 1;
    this.options.send(
      JSON.stringify({ event, sequenceNumber: this.#sequenceNumber, streamId: this.streamId, ...body }),
    );
  }
}
