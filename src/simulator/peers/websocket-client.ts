import { z } from "zod";
import { END_REASONS } from "../../core/calls/reasons.ts";
import type { StreamFormat } from "../../core/calls/spec.ts";
import { TrunklineError } from "../../core/errors.ts";
import { OPUS_PACKET_MS_MAX } from "../../core/limits/streams/media.ts";
import { CARRIER_MESSAGE_BYTES_MAX, STREAM_MESSAGE_MS_MAX } from "../../core/limits/streams/messages.ts";
import { seededRandom } from "../../core/seeded-random.ts";
import { bytesPerSample, pcmBytes } from "../../media/frame-codec.ts";
import type { OpusCodecs, OpusDecoder, OpusEncoder } from "../../media/opus/codecs.ts";
import { type AudioFormat, type AudioFormats, decodeSamples, frameBytes, frameSamples } from "../audio/format.ts";
import { Chunker } from "./chunker.ts";
import { parseFields } from "./json-fields.ts";
import { type PeerOptions, SimulatedPeer, type Violation } from "./peer.ts";

// A client's end of the raw WebSocket protocol (connectionType `websocket`): binary messages are audio in the codec of the
// call, text messages are JSON with a `type`.

/** Opus is decoded at no higher rate: it suffices for speech recognition. */
const OPUS_RATE_HZ_MAX = 16_000;

/** Bounds of the chunks into which shuffled audio is cut. */
const CHUNK_MS_MIN = 1;
const CHUNK_MS_MAX = STREAM_MESSAGE_MS_MAX;

const side = z.strictObject({ codec: z.string(), sampleRate: z.number() });

/** Every text message of the service; other messages are violations. */
const MESSAGE = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("ready"), callId: z.string().min(1), input: side, output: side }),
  z.strictObject({
    type: z.literal("state"),
    state: z.enum(["listening", "thinking", "speaking", "held"]),
    latency: z.record(z.string(), z.int()).optional(),
  }),
  z.strictObject({
    type: z.literal("transcript"),
    role: z.enum(["agent", "user"]),
    text: z.string(),
    final: z.boolean(),
    turnId: z.int().min(0),
    approximate: z.literal(true).optional(),
  }),
  z.strictObject({ type: z.literal("mark"), name: z.string() }),
  z.strictObject({ type: z.literal("clear") }),
  z.strictObject({
    type: z.literal("toolCall"),
    id: z.string().min(1),
    name: z.string().min(1),
    arguments: z.record(z.string(), z.unknown()),
  }),
  z.strictObject({ type: z.literal("error"), code: z.string().min(1), message: z.string().min(1) }),
  z.strictObject({ type: z.literal("ended"), reason: z.enum(END_REASONS) }),
]);
export type ServiceMessage = z.infer<typeof MESSAGE>;

export interface WebsocketClientOptions extends PeerOptions {
  /** As in the call's configuration. */
  format: StreamFormat;
  /** For a format whose codec is `opus`. */
  opus: OpusCodecs;
  /**
   * Audio is sent in chunks of 1 ms to 1 s, regardless of frames and samples; their lengths depend only on this number. Not for
   * Opus, where a message is a packet.
   */
  shuffleSeed?: number;
  send(message: string | Uint8Array): void;
  /** Every valid text message of the service. */
  onServiceMessage(message: ServiceMessage): void;
}

/** The formats of the microphone and the earphone: the client itself encodes and decodes Opus. */
export function streamFormats({ codec, inputRateHz, outputRateHz }: StreamFormat): AudioFormats {
  if (codec === "opus") {
    return {
      inbound: { codec: "pcm_s16le", rateHz: inputRateHz },
      outbound: { codec: "pcm_s16le", rateHz: outputRateHz === 8_000 ? 8_000 : OPUS_RATE_HZ_MAX },
    };
  }
  return { inbound: { codec, rateHz: inputRateHz }, outbound: { codec, rateHz: outputRateHz } };
}

/**
 * A client of the raw WebSocket protocol. It sends from the moment the socket is open, confirms a clear with `cleared`, whose
 * `playedMs` counts all audio that it has played, and drops the marks before it. Messages that break the protocol are dropped.
 */
export class WebsocketClient extends SimulatedPeer {
  readonly #options: WebsocketClientOptions;
  readonly #outbound: AudioFormat;
  /** Encodes the microphone's frames and decodes the service's packets. */
  readonly #opus: { encoder: OpusEncoder; decoder: OpusDecoder } | undefined;
  readonly #spoken: Int16Array;
  readonly #decoded: Int16Array;
  readonly #chunker: Chunker | undefined;
  #callId: string | undefined;
  #endReason: string | undefined;

  constructor(options: WebsocketClientOptions) {
    const { format, opus, shuffleSeed } = options;
    const formats = streamFormats(format);
    const { inbound, outbound } = formats;
    super(options, formats);
    this.#options = options;
    this.#outbound = outbound;
    this.#spoken = new Int16Array(frameSamples(inbound));
    this.#decoded = new Int16Array((outbound.rateHz / 1_000) * OPUS_PACKET_MS_MAX);
    if (format.codec === "opus") {
      const decoder = opus.decoder(outbound.rateHz === 8_000 ? 8_000 : OPUS_RATE_HZ_MAX);
      this.#opus = { encoder: opus.encoder(format.inputRateHz), decoder };
    }
    if (shuffleSeed !== undefined) {
      const bytesPerMs = (inbound.rateHz / 1_000) * bytesPerSample(inbound.codec);
      this.#chunker = new Chunker(
        seededRandom(shuffleSeed),
        CHUNK_MS_MIN * bytesPerMs,
        CHUNK_MS_MAX * bytesPerMs,
        (chunk) => options.send(chunk),
      );
    }
  }

  /** As reported by the service; undefined before that. */
  get callId(): string | undefined {
    return this.#callId;
  }

  /** Why the call ended, as reported by the service; undefined before that. */
  get endReason(): string | undefined {
    return this.#endReason;
  }

  /** Sends the result of a tool call as JSON, or its error. */
  answerTool(id: string, outcome: { result: unknown } | { error: string }): void {
    if (this.isOpen) this.#send({ type: "toolResult", id, ...outcome });
  }

  protected override sendStart(): void {}

  protected override sendAudio(frame: Uint8Array): void {
    if (this.#opus !== undefined) {
      decodeSamples(frame, "pcm_s16le", this.#spoken);
      // The packet is a borrowed buffer, and a socket may send it later.
      this.#options.send(this.#opus.encoder.encode(this.#spoken).slice());
    } else if (this.#chunker !== undefined) {
      this.#chunker.push(frame);
    } else {
      this.#options.send(frame);
    }
  }

  protected override sendDtmf(digit: string): void {
    this.#send({ type: "dtmf", digit });
  }

  protected override sendText(text: string): void {
    this.#send({ type: "text", text });
  }

  protected override sendPlayedMark(mark: string): void {
    this.#send({ type: "mark", name: mark });
  }

  protected override sendStop(): void {
    this.#chunker?.flush();
    this.#send({ type: "end" });
  }

  protected override onEnd(): void {
    this.#opus?.encoder.close();
    this.#opus?.decoder.close();
  }

  protected override onRemoteClose(): void {
    if (this.#endReason === undefined) this.countViolation("no_end");
  }

  protected override handleBinary(message: Uint8Array): Violation | undefined {
    if (this.#callId === undefined) return "not_ready";
    if (this.#endReason !== undefined) return "after_end";
    if (this.#opus === undefined) {
      return message.length === frameBytes(this.#outbound) ? this.play(message) : "bad_length";
    }
    try {
      const samples = this.#opus.decoder.decode(message, this.#decoded);
      if (samples !== frameSamples(this.#outbound)) return "bad_length";
      return this.play(pcmBytes(this.#decoded.subarray(0, samples)).slice());
    } catch (error) {
      if (error instanceof TrunklineError) return "bad_payload";
      throw error;
    }
  }

  protected override handleText(text: string): Violation | undefined {
    if (Buffer.byteLength(text) > CARRIER_MESSAGE_BYTES_MAX) return "too_large";
    const fields = parseFields(text);
    if (fields === undefined) return "not_json";
    const { success, data, error } = MESSAGE.safeParse(fields);
    if (!success) return violationOf(error);
    if (this.#endReason !== undefined) return data.type === "ended" ? "repeated" : "after_end";
    if (this.#callId === undefined && data.type !== "ready") return "not_ready";
    const violation = this.#onMessage(data);
    if (violation === undefined) this.#options.onServiceMessage(data);
    return violation;
  }

  #onMessage(message: ServiceMessage): Violation | undefined {
    switch (message.type) {
      case "ready":
        return this.#onReady(message);
      case "mark":
        return this.mark(message.name);
      case "clear":
        this.clear();
        this.#send({ type: "cleared", playedMs: Math.floor((this.playedSamples * 1_000) / this.#outbound.rateHz) });
        return undefined;
      case "ended":
        this.#endReason = message.reason;
        return undefined;
      case "state":
      case "transcript":
      case "toolCall":
      case "error":
        return undefined;
    }
  }

  #onReady({ callId, input, output }: ServiceMessage & { type: "ready" }): Violation | undefined {
    if (this.#callId !== undefined) return "repeated";
    const { codec, inputRateHz, outputRateHz } = this.#options.format;
    const isAgreed =
      input.codec === codec &&
      output.codec === codec &&
      input.sampleRate === inputRateHz &&
      output.sampleRate === outputRateHz;
    if (!isAgreed) return "wrong_format";
    this.#callId = callId;
    return undefined;
  }

  #send(message: object): void {
    this.#options.send(JSON.stringify(message));
  }
}

/** The first violation of a message. */
function violationOf({ issues: [issue] }: z.ZodError): Violation {
  if (issue?.code === "unrecognized_keys") return "unknown_field";
  return issue?.code === "invalid_union" ? "unknown_event" : "bad_field";
}
