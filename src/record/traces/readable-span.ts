import type { HrTime, Link, SpanContext, SpanKind, SpanStatus } from "@opentelemetry/api";
import type { Resource } from "@opentelemetry/resources";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base";
import { addMs, type CallMs, type EpochMs, millisecondsOf } from "../../core/clocks.ts";
import type { TraceParent } from "../../core/traces/traceparent.ts";
import { type CallSpan, spanIdOf } from "./spans.ts";

/** A span of a call, or the call's own span, which has the number 0 and no parent. */
export type ExportedSpan = Omit<CallSpan, "parent"> & {
  readonly parent: number | undefined;
  /** A span of another trace that has caused this one. */
  readonly link?: TraceParent | undefined;
};

/** What all spans of a call share. */
export interface SpanOrigin {
  readonly traceId: string;
  readonly startedAtMs: EpochMs;
  readonly resource: Resource;
  readonly instrumentationScope: ReadableSpan["instrumentationScope"];
}

// As in @opentelemetry/api, which is an optional dependency.
const KIND_INTERNAL: SpanKind.INTERNAL = 0;
const KIND_CLIENT: SpanKind.CLIENT = 2;
const STATUS_UNSET: SpanStatus = { code: 0 };
const STATUS_ERROR: SpanStatus = { code: 2 };
const FLAGS_NONE = 0;
const FLAGS_SAMPLED = 1;

/**
 * A span as the exporter of OpenTelemetry takes it. It is over and has its ids, so that the tracer of the library, which is for spans in
 * progress, would have nothing to do.
 */
export function readableSpan(span: ExportedSpan, origin: SpanOrigin): ReadableSpan {
  const { traceId, startedAtMs, resource, instrumentationScope } = origin;
  const { name, parent, attributes, errorType, link } = span;
  const context = contextOf(traceId, span.number);
  const at = (timeMs: CallMs): HrTime => hrTimeOf(millisecondsOf(addMs(startedAtMs, millisecondsOf(timeMs))));
  // Word times of an STT may lie after the end of what was said.
  const durationMs = Math.max(0, millisecondsOf(span.endMs) - millisecondsOf(span.startMs));
  return {
    name,
    kind: span.isRequest === true ? KIND_CLIENT : KIND_INTERNAL,
    spanContext: () => context,
    ...(parent !== undefined && { parentSpanContext: contextOf(traceId, parent) }),
    startTime: at(span.startMs),
    endTime: at(addMs(span.startMs, durationMs)),
    duration: hrTimeOf(durationMs),
    ended: true,
    status: errorType === undefined ? STATUS_UNSET : STATUS_ERROR,
    attributes: errorType === undefined ? attributes : { ...attributes, "error.type": errorType },
    links: link === undefined ? [] : [linkTo(link)],
    events: (span.events ?? []).map((event) => ({
      name: event.name,
      time: at(event.atMs),
      attributes: event.attributes ?? {},
    })),
    resource,
    instrumentationScope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

const contextOf = (traceId: string, number: number): SpanContext => ({
  traceId,
  spanId: spanIdOf(traceId, number),
  traceFlags: FLAGS_SAMPLED,
});

const linkTo = ({ traceId, spanId, isSampled }: TraceParent): Link => ({
  context: { traceId, spanId, traceFlags: isSampled ? FLAGS_SAMPLED : FLAGS_NONE, isRemote: true },
});

/** Seconds and nanoseconds of whole milliseconds. */
const hrTimeOf = (ms: number): HrTime => [Math.floor(ms / 1_000), (ms % 1_000) * 1_000_000];
