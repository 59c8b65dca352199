import type { Leg } from "../../../src/gateway/leg/leg.ts";

/** A leg that takes everything and does nothing. */
export const NOOP_LEG: Leg = { message: () => {}, pinged: () => {}, ponged: () => {}, closed: () => {} };
