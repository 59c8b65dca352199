import { strict as assert } from "node:assert";
import { CARRIER_RATE_HZ } from "../../core/limits/streams/media.ts";
import type { G711Codec } from "../../media/g711.ts";
import type { AudioFormats } from "../audio/format.ts";
import { type PeerOptions, SimulatedPeer, type Violation } from "./peer.ts";

/** The codec of each direction, from the service's side: `inbound` is the caller's speech, `outbound` the agent's. */
export interface CarrierCodecs {
  inbound: G711Codec;
  outbound: G711Codec;
}

/** The codecs of carriers that support no other. */
export const MULAW_CODECS: CarrierCodecs = { inbound: "mulaw", outbound: "mulaw" };

/** Carriers have only one rate. */
export const carrierFormats = ({ inbound, outbound }: CarrierCodecs): AudioFormats => ({
  inbound: { codec: inbound, rateHz: CARRIER_RATE_HZ },
  outbound: { codec: outbound, rateHz: CARRIER_RATE_HZ },
});

/** The call of a stream, where it is one of an emulated carrier. */
export interface CarrierCall {
  /** 32 hex digits, from which the id of the call is derived instead: a call may have several streams. */
  id: string;
  accountId: string;
  from: string;
  to: string;
  /** Of the command that began the stream, for carriers that have one. */
  clientState?: string;
}

export interface CarrierOptions extends PeerOptions {
  /** 32 hex digits, from which the ids of the stream, the call and the account are derived. */
  id: string;
  call?: CarrierCall;
  /** What the start hands to the call, as the carrier's customer sets it; none by default. */
  parameters?: Readonly<Record<string, string>>;
  send(message: string): void;
}

/** Options that any of the carriers needs. */
export interface CarrierPeerOptions extends CarrierOptions {
  /** Inbound is the codec of the telephone network; outbound is the codec with which the stream was created. */
  codecs: CarrierCodecs;
  /** Of a carrier that may reorder: audio and DTMF arrive out of order, in an order that depends only on this number. */
  shuffleSeed?: number;
}

/**
 * A telephone carrier's end of a stream: all messages are JSON texts with audio in base64. Each carrier adds its own messages.
 */
export abstract class SimulatedCarrier extends SimulatedPeer {
  abstract readonly streamId: string;
  protected readonly options: CarrierOptions;

  /** `bufferMs`: the size of the carrier's playback buffer, if documented. */
  constructor(options: CarrierOptions, codecs: CarrierCodecs, bufferMs?: number) {
    assert.match(options.id, /^[0-9a-f]{32}$/);
    super(options, carrierFormats(codecs), bufferMs);
    this.options = options;
  }

  /** Plays audio given in base64. */
  protected playBase64(payload: unknown, bytesMin = 1, bytesMax = Number.POSITIVE_INFINITY): Violation | undefined {
    const bytes = decodeBase64(payload);
    if (bytes === undefined) return "bad_payload";
    if (bytes.length < bytesMin || bytes.length > bytesMax) return "bad_length";
    return this.play(bytes);
  }
}

/** Padded base64 of the bytes. */
export const encodeBase64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");

function decodeBase64(text: unknown): Uint8Array | undefined {
  if (typeof text !== "string" || text === "") return undefined;
  const bytes = Buffer.from(text, "base64");
  // Node's decoder accepts any text; only text that it would encode the same way is base64.
  return bytes.toString("base64") === text ? bytes : undefined;
}

/** 32 hex digits formatted as a UUID. */
export const uuidOf = (id: string): string => id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");

/** Another id that differs from the first, so that mixing up a stream and its call is detected. */
export const reversedId = (id: string): string => [...id].reverse().join("");
