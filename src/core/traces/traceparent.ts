/** A span of a client, as the header `traceparent` of W3C Trace Context names it. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

/** Later versions may add fields at the end. */
const TRACEPARENT =
  /^(?<version>[0-9a-f]{2})-(?<traceId>[0-9a-f]{32})-(?<spanId>[0-9a-f]{16})-(?<flags>[0-9a-f]{2})(?<more>-.*)?$/;
const NOTHING = /^0+$/;
const SAMPLED = 1;

/** Undefined for what is no `traceparent`: W3C has such a header ignored. */
export function parseTraceparent(text: string): TraceParent | undefined {
  const { version, traceId = "", spanId = "", flags = "", more } = TRACEPARENT.exec(text)?.groups ?? {};
  if (version === undefined || version === "ff" || (version === "00" && more !== undefined)) return undefined;
  if (NOTHING.test(traceId) || NOTHING.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

/** As a header of version 00. */
export const traceparentText = ({ traceId, spanId, isSampled }: TraceParent): string =>
  `00-${traceId}-${spanId}-0${isSampled ? SAMPLED : 0}`;
