import type { TransportListener } from "../../../src/gateway/transport/transport.ts";

/** A leg that takes everything and does nothing. */
export const NOOP_LEG: TransportListener = { message: () => {}, pinged: () => {}, ponged: () => {}, closed: () => {} };
