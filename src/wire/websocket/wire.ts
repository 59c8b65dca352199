import { strict as assert } from "node:assert";
import { STREAM_RATES_HZ, type StreamFormat, type StreamRateHz } from "../../core/calls/spec.ts";
import { epochMs, mediaMs } from "../../core/clocks.ts";
import { wireMalformed, wireTooLarge, wireWrongData } from "../../core/errors.ts";
import type { CallId } from "../../core/ids.ts";
import { JSON_DEPTH_MAX } from "../../core/limits/api.ts";
import { TURN_TEXT_CHARS_MAX } from "../../core/limits/calls.ts";
import { CARRIER_RATE_HZ, OPUS_DTX_BYTES_MAX, OUTPUT_LEAD_MS } from "../../core/limits/media.ts";
import { CARRIER_MESSAGE_BYTES_MAX, TEXT_MESSAGE_BYTES_MAX } from "../../core/limits/messages.ts";
import { busRateHz } from "../../media/bus-rate.ts";
import type { FrameCodec } from "../../media/frame-codec.ts";
import type { OpusCodecs } from "../../media/opus/codecs.ts";
import { AUDIO, CLEARED, readDigit, STOP, UNKNOWN_EVENT } from "../events.ts";
import { Fields } from "../json.ts";
import type { ClientMessage, InboundAudio, ParseCharge, StreamStarted, Wire, WireEvent } from "../wire.ts";
import { type AudioReader, createReader, createWriter, type FrameWriter } from "./audio.ts";
import { type ClientMessageType, isClientMessageType, type ServiceMessageType } from "./messages.ts";

// The raw WebSocket protocol, our own, for any client: see docs/stream-protocol.md. Binary messages are audio in the
// codec of the call, with one rate for each direction; text messages are JSON objects with a `type`.

const WIRE = "websocket";

interface WebsocketOptions {
  format: StreamFormat;
  /** The call's id, by which the client identifies its stream. */
  callId: CallId;
  /** Opens one decoder and one encoder for an Opus format; `close` closes them. */
  opus: OpusCodecs;
}

/** The wire of one client's stream; `close` frees its codecs. Throws `unavailable` when there is no memory for Opus. */
export const createWebsocketWire = (options: WebsocketOptions): Wire => new WebsocketWire(options);

/**
 * See `Wire`. Its only state is half a PCM sample, or that of the Opus codecs.
 *
 * Audio has neither a time nor a number: messages are in order. An outbound frame is one message and, for Opus, one
 * packet.
 */
class WebsocketWire implements Wire {
  readonly inboundRateHz: StreamRateHz;
  readonly outboundRateHz: StreamRateHz;
  readonly outboundCodec: FrameCodec;
  readonly implicitStart: StreamStarted;
  readonly binaryAudio = true;
  readonly playout = { leadMs: OUTPUT_LEAD_MS };
  readonly jitterBuffer = undefined;
  readonly hasWallClockTimestamps = false;
  readonly hasDtx: boolean;
  readonly #format: StreamFormat;
  readonly #reader: AudioReader;
  readonly #writer: FrameWriter;

  constructor({ format, callId, opus }: WebsocketOptions) {
    checkFormat(format);
    const keptIn = format.codec === "opus" ? "pcm_s16le" : format.codec;
    this.inboundRateHz = format.codec === "opus" ? busRateHz(format.inputRateHz) : format.inputRateHz;
    this.outboundRateHz = format.outputRateHz;
    this.outboundCodec = keptIn;
    this.implicitStart = { kind: "start", streamId: callId, carrierCallId: undefined, codec: keptIn };
    this.hasDtx = format.codec === "opus";
    this.#format = format;
    this.#reader = createReader(WIRE, format, opus);
    try {
      this.#writer = createWriter(format, opus);
    } catch (error) {
      this.#reader.close?.();
      throw error;
    }
  }

  close(): void {
    this.#reader.close?.();
    this.#writer.close?.();
  }

  decode(message: Uint8Array, into: InboundAudio, isBinary = false, charge?: ParseCharge): WireEvent {
    return isBinary ? this.#audio(message, into) : readText(message, charge);
  }

  encodeAudio(frame: Uint8Array): Uint8Array {
    return this.#writer.write(frame);
  }

  encodeMark(name: string): string {
    return encoded("mark", { name });
  }

  encodeClear(): string {
    return encoded("clear");
  }

  encodeClientMessage(message: ClientMessage): string {
    switch (message.kind) {
      case "ready":
        return encoded("ready", { callId: message.callId, ...this.#negotiated() });
      case "state":
        return encoded("state", { state: message.state, latency: message.latency });
      case "transcript": {
        const { role, text, final, turnId, approximate } = message;
        return encoded("transcript", { role, text, final, turnId, approximate });
      }
      case "tool-call": {
        const { id, name, arguments: given } = message;
        return encoded("toolCall", { id, name, arguments: given });
      }
      case "error":
        return encoded("error", { code: message.code, message: message.message });
      case "ended":
        return encoded("ended", { reason: message.reason });
    }
  }

  /** In the terms of the API, as the client requested it. */
  #negotiated(): object {
    const { codec, inputRateHz, outputRateHz } = this.#format;
    return { input: { codec, sampleRate: inputRateHz }, output: { codec, sampleRate: outputRateHz } };
  }

  #audio(message: Uint8Array, into: InboundAudio): WireEvent {
    if (message.length === 0) throw wireMalformed(WIRE, "a binary message must hold audio");
    this.#reader.read(message, into);
    into.isDtx = this.hasDtx && message.length <= OPUS_DTX_BYTES_MAX;
    into.timestampMs = mediaMs(Number.NaN);
    into.chunk = Number.NaN;
    return AUDIO;
  }
}

const encoded = (type: ServiceMessageType, fields: object = {}): string => JSON.stringify({ type, ...fields });

/** The types whose messages may have the maximum length. */
const LONG_TYPES: readonly unknown[] = ["text", "toolResult"] satisfies ClientMessageType[];

function readText(message: Uint8Array, charge?: ParseCharge): WireEvent {
  if (message.length > CARRIER_MESSAGE_BYTES_MAX) {
    throw wireTooLarge(WIRE, `a text message must not be over ${CARRIER_MESSAGE_BYTES_MAX} bytes`);
  }
  charge?.(message.length);
  const fields = Fields.parse(WIRE, message, wireWrongData);
  const type = fields.get("type");
  if (message.length > TEXT_MESSAGE_BYTES_MAX && !LONG_TYPES.includes(type)) {
    throw wireTooLarge(WIRE, `only text and toolResult may be over ${TEXT_MESSAGE_BYTES_MAX} bytes`);
  }
  if (typeof type !== "string") throw fields.malformed("type must be a string");
  if (!isClientMessageType(type)) return UNKNOWN_EVENT;
  switch (type) {
    case "mark":
      return { kind: "mark", name: fields.text("name") };
    case "cleared":
      return readCleared(fields);
    case "dtmf":
      return readDigit(fields, epochMs(Number.NaN));
    case "text":
      return { kind: "text", text: readTyped(fields) };
    case "toolResult":
      return readToolResult(fields, message.length, charge);
    case "end":
      return STOP;
  }
}

/** `playedMs` is optional, but must be a valid number where it is present. */
function readCleared(fields: Fields): WireEvent {
  if (fields.get("playedMs") === undefined) return CLEARED;
  const playedMs = fields.number("playedMs");
  if (Number.isNaN(playedMs)) throw fields.malformed("playedMs must be a number of milliseconds");
  return { kind: "cleared", playedMs };
}

/** The typed text, unchanged. */
function readTyped(fields: Fields): string {
  const text = fields.get("text");
  if (typeof text === "string" && text.length <= TURN_TEXT_CHARS_MAX && text.trim() !== "") return text;
  throw fields.malformed(`text must be a string of 1 to ${TURN_TEXT_CHARS_MAX} characters, and not blank`);
}

/** The LLM gets `result`, a text unchanged and anything else as JSON; or `error`, a text. */
function readToolResult(fields: Fields, messageBytes: number, charge?: ParseCharge): WireEvent {
  const id = fields.text("id");
  const [result, error] = [fields.get("result"), fields.get("error")];
  if (error !== undefined) {
    if (typeof error !== "string") throw fields.malformed("error must be a string");
    return { kind: "tool-result", id, result: error, failed: true };
  }
  // The parsed value is serialized again, which costs as much.
  if (typeof result === "object") charge?.(messageBytes);
  return {
    kind: "tool-result",
    id,
    result: typeof result === "string" ? result : readJson(fields, result),
    failed: false,
  };
}

/** Serializing JSON that is nested thousands of levels deep is slow, and then fails. */
function readJson(fields: Fields, value: unknown): string {
  if (isDeeperThan(JSON_DEPTH_MAX, value)) throw fields.malformed(`result must have at most ${JSON_DEPTH_MAX} levels`);
  return JSON.stringify(value ?? null);
}

const isDeeperThan = (levels: number, value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  (levels === 0 || Object.values(value).some((child) => isDeeperThan(levels - 1, child)));

/** Other formats are refused when a call is created. */
function checkFormat({ codec, inputRateHz, outputRateHz }: StreamFormat): void {
  for (const rateHz of [inputRateHz, outputRateHz]) {
    assert.ok(STREAM_RATES_HZ.includes(rateHz), `no stream has ${rateHz} Hz`);
    if (codec === "mulaw" || codec === "alaw") assert.equal(rateHz, CARRIER_RATE_HZ, "G.711 is at 8,000 Hz");
  }
}
