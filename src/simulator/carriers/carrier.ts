import { strict as assert } from "node:assert";
import { CARRIER_RATE_HZ } from "../../core/limits/media.ts";
import type { G711Codec } from "../../wire/wire.ts";
import type { AudioFormats } from "../audio/format.ts";
import { type PeerOptions, SimulatedPeer, type Violation } from "../peers/peer.ts";

/** The codec of each direction, from the service's side: `inbound` is the caller's voice, `outbound` the agent's. */
export interface CarrierCodecs {
  inbound: G711Codec;
  outbound: G711Codec;
}

/** What the carriers speak that have no choice. */
export const MULAW_CODECS: CarrierCodecs = { inbound: "mulaw", outbound: "mulaw" };

/** Carriers have one rate. */
export const carrierFormats = ({ inbound, outbound }: CarrierCodecs): AudioFormats => ({
  inbound: { codec: inbound, rateHz: CARRIER_RATE_HZ },
  outbound: { codec: outbound, rateHz: CARRIER_RATE_HZ },
});

export interface CarrierOptions extends PeerOptions {
  /** 32 hex digits, from which the ids of the stream, the call and the account are made. */
  id: string;
  send(message: string): void;
}

/**
 * A telephone carrier's end of a stream: all of its messages are JSON texts, and audio is base64 in them. What it says
 * and takes, each carrier adds.
 */
export abstract class SimulatedCarrier extends SimulatedPeer {
  protected readonly options: CarrierOptions;

  /** `bufferMs`: how much audio the carrier keeps for playing, where it documents that. */
  constructor(options: CarrierOptions, codecs: CarrierCodecs, bufferMs?: number) {
    assert.match(options.id, /^[0-9a-f]{32}$/);
    super(options, carrierFormats(codecs), bufferMs);
    this.options = options;
  }

  /** Audio to be played, in base64. */
  protected playBase64(payload: unknown, bytesMin = 1, bytesMax = Number.POSITIVE_INFINITY): Violation | undefined {
    const bytes = decodeBase64(payload);
    if (bytes === undefined) return "bad_payload";
    if (bytes.length < bytesMin || bytes.length > bytesMax) return "bad_length";
    return this.play(bytes);
  }
}

export const encodeBase64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");

function decodeBase64(text: unknown): Uint8Array | undefined {
  if (typeof text !== "string" || text === "") return undefined;
  const bytes = Buffer.from(text, "base64");
  // Node's decoder takes anything; only what it would write the same way is base64.
  return bytes.toString("base64") === text ? bytes : undefined;
}

/** 32 hex digits in the shape of a UUID. */
export const uuidOf = (id: string): string => id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");

/** Another id, as unlike as the first: who mixes up a stream and its call is to be found out. */
export const reversedId = (id: string): string => [...id].reverse().join("");
