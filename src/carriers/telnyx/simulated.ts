import { isoTime } from "../../core/clock.ts";
import { CARRIER_RATE_HZ } from "../../core/limits/streams/media.ts";
import { type Random, seededRandom } from "../../core/seeded-random.ts";
import type { G711Codec } from "../../media/g711.ts";
import {
  type CarrierPeerOptions,
  encodeBase64,
  reversedId,
  SimulatedCarrier,
  uuidOf,
} from "../../simulator/peers/carrier.ts";
import { type Fields, hasOnly, isFields, parseFields } from "../../simulator/peers/json-fields.ts";
import type { Violation } from "../../simulator/peers/peer.ts";
import type { SimulateCarrier } from "../descriptor.ts";

// The carrier's end of Telnyx media streaming, bidirectional, in RTP mode:
// https://developers.telnyx.com/docs/voice/programmable-voice/media-streaming
// JSON text messages; audio is base64 G.711, 8000 Hz, mono, mu-law or A-law, and each direction has its own. Numbers are
// strings, except in media_format and in errors.

/** One message holds at least 20 ms and at most 30 s of audio. */
const MESSAGE_BYTES_MIN = (20 * CARRIER_RATE_HZ) / 1_000;
const MESSAGE_BYTES_MAX = 30 * CARRIER_RATE_HZ;

/** Encodings as in `media_format`; the carrier compares them with regard to case. */
const ENCODINGS: Readonly<Record<G711Codec, string>> = { mulaw: "PCMU", alaw: "PCMA" };

const USER_ID = "00000000-0000-4000-8000-000000000000";

/** About every third message is delayed, by one or two ticks of 20 ms. */
const REORDERED_SHARE = 0.3;
const REORDER_DELAY_TICKS_MAX = 2;

/** The carrier's errors on the socket. 100005 is for its MP3 mode, which is not simulated. */
const ERRORS = {
  unknown: { code: 100_002, title: "unknown_error" },
  malformed: { code: 100_003, title: "malformed_frame" },
  invalidMedia: { code: 100_004, title: "invalid_media" },
} as const;

/** The carrier's end of one carrier_b stream. */
export const simulateTelnyx: SimulateCarrier = (options) => new SimulatedTelnyx(options);

/**
 * carrier_b. It answers an invalid message with an `error` whose detail is the kind of violation. A clear returns the pending
 * marks, and media may arrive out of order. The unit of its timestamps is not documented; here they are milliseconds.
 */
export class SimulatedTelnyx extends SimulatedCarrier {
  override readonly streamId: string;
  readonly callControlId: string;
  readonly #callSessionId: string;
  readonly #inbound: G711Codec;
  readonly #random: Random | undefined;
  #sequenceNumber = 0;
  #chunk = 0;
  #ticks = 0;
  /** Delayed messages, each with the tick after which it is sent. */
  #delayed: { message: string; afterTick: number }[] = [];

  constructor(options: CarrierPeerOptions) {
    super(options, options.codecs);
    this.#inbound = options.codecs.inbound;
    this.#random = options.shuffleSeed === undefined ? undefined : seededRandom(options.shuffleSeed);
    this.streamId = uuidOf(options.id);
    const callId = options.call?.id ?? options.id;
    this.callControlId = `v3:${callId}`;
    this.#callSessionId = uuidOf(reversedId(callId));
  }

  protected override sendStart(): void {
    this.options.send(`{"event":"connected","version":"1.0.0"}`);
    const { call } = this.options;
    this.#send("start", {
      start: {
        user_id: USER_ID,
        call_control_id: this.callControlId,
        call_session_id: this.#callSessionId,
        // Telephone numbers reserved for fictional use.
        from: call?.from ?? "+12025550142",
        to: call?.to ?? "+12025550187",
        tags: [],
        client_state: call?.clientState ?? null,
        custom_parameters: this.options.parameters ?? {},
        media_format: { encoding: ENCODINGS[this.#inbound], sample_rate: CARRIER_RATE_HZ, channels: 1 },
      },
    });
  }

  protected override sendAudio(frame: Uint8Array, sinceStartMs: number): void {
    this.#chunk += 1;
    const media = {
      track: "inbound",
      chunk: String(this.#chunk),
      timestamp: String(Math.round(sinceStartMs)),
      payload: encodeBase64(frame),
    };
    this.#sendReordered(this.#message("media", { media }));
  }

  protected override sendDtmf(digit: string): void {
    // Microseconds; this clock has only the first three digits.
    const occurredAt = isoTime(this.options.clock.epochMs()).replace("Z", "000Z");
    this.#sendReordered(this.#message("dtmf", { occurred_at: occurredAt, dtmf: { digit } }));
  }

  protected override sendPlayedMark(mark: string): void {
    this.#send("mark", { mark: { name: mark } });
  }

  protected override sendStop(): void {
    this.#sendDelayed(Number.POSITIVE_INFINITY);
    this.#send("stop", { stop: { user_id: USER_ID, call_control_id: this.callControlId } });
  }

  protected override afterTick(): void {
    this.#sendDelayed(this.#ticks);
    this.#ticks += 1;
  }

  protected override onViolation(violation: Violation): void {
    const { code, title } = errorFor(violation);
    this.options.send(
      JSON.stringify({ event: "error", stream_id: this.streamId, payload: { code, title, detail: violation } }),
    );
  }

  protected override handleText(message: string): Violation | undefined {
    const fields = parseFields(message);
    if (fields === undefined) return "not_json";
    const { event, stream_id: streamId } = fields;
    if (event !== "media" && event !== "mark" && event !== "clear") return "unknown_event";
    // The socket has only one stream, so its id is optional.
    if (streamId !== undefined && streamId !== this.streamId) return "wrong_stream";
    if (event !== "clear") return this.#onBody(event, fields);
    if (!hasOnly(fields, "event", "stream_id")) return "unknown_field";
    for (const mark of this.clear()) this.sendPlayedMark(mark);
    return undefined;
  }

  #onBody(event: "media" | "mark", fields: Fields): Violation | undefined {
    const key = event === "media" ? "payload" : "name";
    const body = fields[event];
    if (!isFields(body)) return event === "media" ? "bad_payload" : "bad_mark";
    if (!hasOnly(fields, "event", "stream_id", event) || !hasOnly(body, key)) return "unknown_field";
    if (event === "mark") return this.mark(body.name);
    return this.playBase64(body.payload, MESSAGE_BYTES_MIN, MESSAGE_BYTES_MAX);
  }

  #message(event: string, body: Fields): string {
    this.#sequenceNumber += 1;
    const head = { event, sequence_number: String(this.#sequenceNumber), stream_id: this.streamId };
    return JSON.stringify({ ...head, ...body });
  }

  #send(event: string, body: Fields): void {
    this.options.send(this.#message(event, body));
  }

  #sendReordered(message: string): void {
    if (this.#random === undefined || this.#random() >= REORDERED_SHARE) this.options.send(message);
    else
      this.#delayed.push({
        message,
        afterTick: this.#ticks + 1 + Math.floor(this.#random() * REORDER_DELAY_TICKS_MAX),
      });
  }

  #sendDelayed(upToTick: number): void {
    for (const { message } of this.#delayed.filter(({ afterTick }) => afterTick <= upToTick))
      this.options.send(message);
    this.#delayed = this.#delayed.filter(({ afterTick }) => afterTick > upToTick);
  }
}

function errorFor(violation: Violation): { code: number; title: string } {
  if (violation === "bad_payload" || violation === "bad_length") return ERRORS.invalidMedia;
  // The carrier documents no limit of its buffer, and so no error for it.
  return violation === "buffer_full" ? ERRORS.unknown : ERRORS.malformed;
}
