import type { CarrierType } from "../core/calls/spec.ts";
import type { G711Codec } from "../media/g711.ts";
import type { CarrierPeerOptions, SimulatedCarrier } from "../simulator/peers/carrier.ts";
import type { UpgradeHeaders } from "../wire/upgrade.ts";
import type { Wire } from "../wire/wire.ts";
import type { CarrierTelephony } from "./telephony.ts";

/** What an operator sets for the streams of one carrier. */
export interface CarrierWireSettings {
  /** The codec that the carrier was configured to receive. With another one the caller hears noise. */
  outboundCodec: G711Codec;
}

/** Makes the simulated peer of one stream. */
export type SimulateCarrier = (options: CarrierPeerOptions) => SimulatedCarrier;

/**
 * What the rest of the code knows about one carrier: data and pure functions, without state. What its streams can do is
 * not declared a second time: its wire shows it.
 */
export interface CarrierDescriptor<Type extends CarrierType = CarrierType> {
  /** The carrier's name in the API. */
  readonly connectionType: Type;
  /** The member of the carrier's start message that holds its own id of the call. */
  readonly callIdField: string;
  /** The variable with the secrets that authenticate its upgrades. */
  readonly secret: {
    readonly variable: string;
    /** In Markdown, for docs/configuration.md. */
    readonly meaning: string;
    /** The carrier signs the address of the stream, which must then be configured. */
    readonly signsUrl: boolean;
  };
  /** The variable with the codec of outbound audio: set where its streams may have A-law, in each direction. */
  readonly outboundCodec?: { readonly variable: string; readonly meaning: string };
  readonly signature: {
    /** The headers that `isAuthentic` reads, in lower case. */
    readonly headers: readonly string[];
    /** Whether an upgrade of `url` with these headers proves that its sender knows `secret`. */
    isAuthentic(secret: string, url: string, headers: UpgradeHeaders): boolean;
  };
  /** Its calls and numbers: REST requests, webhooks, documents. */
  readonly telephony: CarrierTelephony;
  /** The wire of one stream. */
  createWire(settings: CarrierWireSettings): Wire;
  /** Loads the simulated peer, which no process of the service needs. */
  loadSimulated(): Promise<SimulateCarrier>;
}
