import { CARRIER_RATE_HZ } from "../../core/limits/streams/media.ts";
import { type CarrierOptions, encodeBase64, MULAW_CODECS, SimulatedCarrier } from "../../simulator/peers/carrier.ts";
import { type Fields, hasOnly, isFields, parseFields } from "../../simulator/peers/json-fields.ts";
import type { Violation } from "../../simulator/peers/peer.ts";
import type { SimulateCarrier } from "../descriptor.ts";

// The carrier's end of Twilio Media Streams, bidirectional:
// https://www.twilio.com/docs/voice/media-streams/websocket-messages
// JSON text messages; audio is base64 G.711 mu-law, 8000 Hz, mono. Numbers are strings, except in mediaFormat.

/** The carrier's clock starts before its first frame: this is the first timestamp in captures of real streams. */
const FIRST_TIMESTAMP_MS = 102;

/** The carrier's end of one carrier_a stream. */
export const simulateTwilio: SimulateCarrier = (options) => new SimulatedTwilio(options);

/**
 * carrier_a. It drops messages that differ from its documentation with a warning in its own console (31951; 31950 for binary),
 * and reports nothing on the socket. A returned mark means "played or cleared".
 */
export class SimulatedTwilio extends SimulatedCarrier {
  override readonly streamId: string;
  readonly callSid: string;
  readonly #accountSid: string;
  #sequenceNumber = 0;
  #chunk = 0;

  constructor(options: CarrierOptions) {
    super(options, MULAW_CODECS);
    this.streamId = `MZ${options.id}`;
    this.callSid = `CA${options.call?.id ?? options.id}`;
    this.#accountSid = options.call?.accountId ?? `AC${options.id}`;
  }

  protected override sendStart(): void {
    this.options.send(`{"event":"connected","protocol":"Call","version":"1.0.0"}`);
    this.#send("start", {
      accountSid: this.#accountSid,
      streamSid: this.streamId,
      callSid: this.callSid,
      tracks: ["inbound"],
      mediaFormat: { encoding: "audio/x-mulaw", sampleRate: CARRIER_RATE_HZ, channels: 1 },
      customParameters: this.options.parameters ?? {},
    });
  }

  protected override sendAudio(frame: Uint8Array, sinceStartMs: number): void {
    this.#chunk += 1;
    this.#send("media", {
      track: "inbound",
      chunk: String(this.#chunk),
      timestamp: String(FIRST_TIMESTAMP_MS + Math.round(sinceStartMs)),
      payload: encodeBase64(frame),
    });
  }

  protected override sendDtmf(digit: string): void {
    this.#send("dtmf", { track: "inbound_track", digit });
  }

  protected override sendPlayedMark(mark: string): void {
    this.#send("mark", { name: mark });
  }

  protected override sendStop(): void {
    this.#send("stop", { accountSid: this.#accountSid, callSid: this.callSid });
  }

  protected override handleText(message: string): Violation | undefined {
    const fields = parseFields(message);
    if (fields === undefined) return "not_json";
    const { event } = fields;
    if (event !== "media" && event !== "mark" && event !== "clear") return "unknown_event";
    if (fields.streamSid !== this.streamId) return "wrong_stream";
    if (event !== "clear") return this.#onBody(event, fields);
    if (!hasOnly(fields, "event", "streamSid")) return "unknown_field";
    for (const mark of this.clear()) this.sendPlayedMark(mark);
    return undefined;
  }

  #onBody(event: "media" | "mark", fields: Fields): Violation | undefined {
    const key = event === "media" ? "payload" : "name";
    const body = fields[event];
    if (!isFields(body)) return event === "media" ? "bad_payload" : "bad_mark";
    if (!hasOnly(fields, "event", "streamSid", event) || !hasOnly(body, key)) return "unknown_field";
    return event === "media" ? this.playBase64(body.payload) : this.mark(body.name);
  }

  #send(event: string, body: Fields): void {
    this.#sequenceNumber += 1;
    const sequenceNumber = String(this.#sequenceNumber);
    this.options.send(JSON.stringify({ event, sequenceNumber, [event]: body, streamSid: this.streamId }));
  }
}
