import { createHash } from "node:crypto";
import type { CallMs } from "../../core/clocks.ts";
import type { CallId } from "../../core/ids.ts";

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** A point in time within a span. */
export interface SpanEvent {
  readonly name: string;
  readonly atMs: CallMs;
  readonly attributes?: SpanAttributes;
}

/** What a span of a call says, before it has its place in the trace. Times are whole milliseconds since redemption. */
export interface SpanContent {
  readonly name: string;
  readonly startMs: CallMs;
  readonly endMs: CallMs;
  readonly attributes: SpanAttributes;
  readonly events?: readonly SpanEvent[];
  /** It is a request to another service. */
  readonly isRequest?: true;
  /** The stable code of the error that ended it. */
  readonly errorType?: string;
}

/** A span of a call. The call's own, under which all are, has the number 0. */
export interface CallSpan extends SpanContent {
  /** Its place in the trace, from 1. The same journal always gives the same numbers. */
  readonly number: number;
  readonly parent: number;
}

/** Which spans of a call's journal are asked for. */
export interface SpanRequest {
  /** Those with a higher number; the others were exported before. */
  readonly afterNumber: number;
  /** What was said, and what tools were given and answered, is part of the spans, where the journal has it. */
  readonly hasWords: boolean;
}

const TRACE_ID = /^[0-9a-f]{32}$/;
const HALF_DIGITS = 8;

/** The trace id of a call: the UUID in its id without dashes, so that a call is found by its id. */
export function traceIdOf(callId: CallId): string {
  const uuid = callId.slice(callId.lastIndexOf("_") + 1).replaceAll("-", "");
  return TRACE_ID.test(uuid) ? uuid : createHash("sha256").update(callId).digest("hex").slice(0, 32);
}

/** The id of the span with this number in a trace, never zero. A trace that is exported twice has the same ids. */
export const spanIdOf = (traceId: string, number: number): string =>
  traceId.slice(-HALF_DIGITS) + (number + 1).toString(16).padStart(HALF_DIGITS, "0");
