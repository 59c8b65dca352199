import { CARRIER_RATE_HZ } from "../core/limits/streams/media.ts";

const WIDE_RATE_HZ = 16_000;

/** The rate at which both sides of a call are recorded, and listened to, Hz: 8,000 when both have that rate, otherwise 16,000. */
export const recordingRateHz = (leg: { readonly inboundRateHz: number; readonly outboundRateHz: number }): number =>
  leg.inboundRateHz === CARRIER_RATE_HZ && leg.outboundRateHz === CARRIER_RATE_HZ ? CARRIER_RATE_HZ : WIDE_RATE_HZ;
