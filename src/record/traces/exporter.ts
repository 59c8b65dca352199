import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace-base";
import type { EpochMs } from "../../core/clocks.ts";
import type { CallId } from "../../core/ids.ts";
import {
  SPANS_COLLECTED_MS,
  SPANS_PER_REQUEST_MAX,
  SPANS_REQUEST_MS_MAX,
  SPANS_WAITING_MAX,
} from "../../core/limits/calls/traces.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { SpanOutcome } from "../../core/metrics/control-metrics.ts";
import { SOFTWARE } from "../../core/runtime/version.ts";
import type { TraceSettings } from "../../core/traces/trace-settings.ts";
import { type ExportedSpan, readableSpan } from "./readable-span.ts";
import { traceIdOf } from "./spans.ts";

/** The packages that export traces; optional dependencies. */
export const TRACE_PACKAGES = [
  "@opentelemetry/api",
  "@opentelemetry/resources",
  "@opentelemetry/sdk-trace-base",
  "@opentelemetry/exporter-trace-otlp-proto",
] as const;

export interface SpanExport {
  /** Whether this call is traced: the same answer for the same call. */
  isSampled(callId: CallId): boolean;
  /** Exports spans of a call that began at `startedAtMs`. Never throws and never waits. */
  add(callId: CallId, startedAtMs: EpochMs, spans: readonly ExportedSpan[]): void;
  /** Exports what waits. Resolves when that is done; the collector may take long. */
  close(): Promise<void>;
}

/** Loads the packages of OpenTelemetry. Rejects where one is missing. */
export async function loadSpanExport(
  settings: TraceSettings,
  onOutcome: (outcome: SpanOutcome, spans: number) => void,
  log: Logger,
): Promise<SpanExport> {
  const [otel, { defaultResource, resourceFromAttributes }, sdk, { OTLPTraceExporter }] = await Promise.all([
    import("@opentelemetry/api"),
    import("@opentelemetry/resources"),
    import("@opentelemetry/sdk-trace-base"),
    import("@opentelemetry/exporter-trace-otlp-proto"),
  ]);
  const exporter = new CountedExporter(
    new OTLPTraceExporter({
      url: settings.url,
      headers: { ...settings.headers },
      timeoutMillis: SPANS_REQUEST_MS_MAX,
    }),
    onOutcome,
    log,
  );
  const processor = new sdk.BatchSpanProcessor(exporter, {
    maxQueueSize: SPANS_WAITING_MAX,
    maxExportBatchSize: SPANS_PER_REQUEST_MAX,
    scheduledDelayMillis: SPANS_COLLECTED_MS,
    exportTimeoutMillis: SPANS_REQUEST_MS_MAX,
  });
  const resource = defaultResource().merge(resourceFromAttributes({ ...settings.resource }));
  const [name = SOFTWARE, version] = SOFTWARE.split("/");
  const instrumentationScope = { name, ...(version !== undefined && { version }) };
  const sampler = new sdk.TraceIdRatioBasedSampler(settings.sampleRatio);
  return {
    isSampled: (callId) =>
      sampler.shouldSample(otel.ROOT_CONTEXT, traceIdOf(callId)).decision === sdk.SamplingDecision.RECORD_AND_SAMPLED,
    add(callId, startedAtMs, spans) {
      if (!exporter.reserve(spans.length)) return;
      const origin = { traceId: traceIdOf(callId), startedAtMs, resource, instrumentationScope };
      for (const span of spans) processor.onEnd(readableSpan(span, origin));
    },
    close: () => processor.shutdown(),
  };
}

/**
 * An exporter that knows how many spans wait for it, and counts what becomes of them. The library drops what exceeds its queue without
 * a word; here it is refused before, and counted.
 */
class CountedExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #onOutcome: (outcome: SpanOutcome, spans: number) => void;
  readonly #log: Logger;
  #waiting = 0;
  #isFailing = false;
  #isDropping = false;

  constructor(exporter: SpanExporter, onOutcome: (outcome: SpanOutcome, spans: number) => void, log: Logger) {
    this.#exporter = exporter;
    this.#onOutcome = onOutcome;
    this.#log = log;
  }

  /** Whether so many spans may be added now. Otherwise they count as dropped. */
  reserve(spans: number): boolean {
    const isFull = this.#waiting + spans > SPANS_WAITING_MAX;
    if (isFull) {
      this.#onOutcome("dropped", spans);
      if (!this.#isDropping)
        this.#log.warn({ spans: this.#waiting }, "spans are dropped: too many wait to be exported");
    } else this.#waiting += spans;
    this.#isDropping = isFull;
    return !isFull;
  }

  export(spans: ReadableSpan[], done: Parameters<SpanExporter["export"]>[1]): void {
    this.#exporter.export(spans, (result) => {
      this.#waiting -= spans.length;
      const hasFailed = result.error !== undefined || result.code !== 0;
      this.#onOutcome(hasFailed ? "failed" : "exported", spans.length);
      if (hasFailed && !this.#isFailing) {
        // The status of the answer, or the system's error. Its text may quote what was sent.
        const { code } = (result.error ?? {}) as { code?: number | string };
        this.#log.warn(
          { code, spans: spans.length },
          "traces could not be exported: the collector refuses them or does not answer",
        );
      } else if (!hasFailed && this.#isFailing) this.#log.info("traces are exported again");
      this.#isFailing = hasFailed;
      done(result);
    });
  }

  async forceFlush(): Promise<void> {
    await this.#exporter.forceFlush?.();
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }
}
