import type { ConnectionType } from "../core/calls/spec.ts";

/** Headers of an upgrade request, by their names in lower case; empty where a header is missing. */
export type UpgradeHeaders = Readonly<Record<string, string>>;

/** Marks an upgrade that another node of the cluster has relayed to this one, which relays it no further. */
export const RELAYED_HEADER = "x-trunkline-relayed";

/** Decides which connection types an upgrade request may belong to. The gateway is given it, and knows no carrier. */
export interface UpgradeAuthentication {
  /** The names of the headers that `allowedTypes` reads, in lower case. */
  readonly headerNames: readonly string[];
  /**
   * The connection types that an upgrade of `url` with these headers may belong to; undefined for all of them. `url` is
   * the address that the peer was given to dial, rebuilt from the configuration: behind a proxy the request has another
   * one.
   */
  allowedTypes(url: string, headers: UpgradeHeaders): readonly ConnectionType[] | undefined;
}
