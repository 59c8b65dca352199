import { SERVICE_FAULT_REASONS } from "../../core/calls/reasons.ts";
import type { Clock } from "../../core/clock.ts";
import { callMs, type EpochMs } from "../../core/clocks.ts";
import { codeOf } from "../../core/errors.ts";
import { type CallId, liveTranscriptionOf } from "../../core/ids.ts";
import { LIVE_TRACES_MS, SPANS_FLUSH_MS_MAX } from "../../core/limits/calls/traces.ts";
import type { Logger } from "../../core/log/logger.ts";
import { parseTraceparent } from "../../core/traces/traceparent.ts";
import type { CallEnd, CallRecord, CallStore } from "../../store/calls/call-store.ts";
import type { CallEndTraces } from "../finalization/finalizer.ts";
import type { SpanExport } from "./exporter.ts";
import type { LiveSpansPage } from "./live-spans.ts";
import type { ExportedSpan } from "./readable-span.ts";
import type { CallSpan, SpanAttributes, SpanRequest } from "./spans.ts";

export interface CallTracesOptions {
  exporter: SpanExport;
  hasWords: boolean;
  calls: Pick<CallStore, "listActive">;
  /** Reads the journals of live calls, in a process of its own. */
  journals: { trace(callId: CallId, request: SpanRequest): Promise<LiveSpansPage | undefined> };
  clock: Clock;
  log: Logger;
}

/**
 * Exports the trace of each call from its journal: of a live call every LIVE_TRACES_MS the turns that are complete, and at its end the
 * rest with the call's own span. Nothing waits for it, and what cannot be exported is counted and dropped.
 */
export class CallTraces implements CallEndTraces {
  readonly #options: CallTracesOptions;
  /** The highest number of a span that was exported, of live calls. */
  readonly #exported = new Map<CallId, number>();
  /** Calls that were live at the last look: one that is new is not read yet, since most calls are short. */
  #seen: ReadonlySet<CallId> = new Set();
  #cancelTimer = (): void => {};
  #isClosed = false;

  constructor(options: CallTracesOptions) {
    this.#options = options;
  }

  start(): void {
    this.#cancelTimer = this.#options.clock.after(LIVE_TRACES_MS, () => void this.#followLiveCalls());
  }

  wanted(callId: CallId): SpanRequest | undefined {
    const { exporter, hasWords } = this.#options;
    if (!exporter.isSampled(callId)) return undefined;
    return { afterNumber: this.#exported.get(callId) ?? 0, hasWords };
  }

  ended(call: CallRecord, end: CallEnd, startedAtMs: EpochMs, spans: readonly CallSpan[]): void {
    const { exporter } = this.#options;
    const exported = this.#exported.get(call.id) ?? 0;
    this.#exported.delete(call.id);
    if (!exporter.isSampled(call.id)) return;
    // A live call's spans may have been read again while its end was made.
    const rest = spans.filter(({ number }) => number > exported);
    // Its own span is the last: a collector that has it has the whole trace.
    exporter.add(call.id, startedAtMs, [...rest, callSpan(call, end)]);
  }

  /** Exports what waits, but waits no longer than SPANS_FLUSH_MS_MAX for the collector. */
  async close(): Promise<void> {
    const { exporter, clock, log } = this.#options;
    this.#isClosed = true;
    this.#cancelTimer();
    let cancel = (): void => {};
    const late = new Promise<"late">((resolve) => {
      cancel = clock.after(SPANS_FLUSH_MS_MAX, () => resolve("late"));
    });
    const flushed = exporter.close().then(
      () => "flushed" as const,
      () => "failed" as const,
    );
    const outcome = await Promise.race([flushed, late]);
    cancel();
    if (outcome !== "flushed") log.warn("the last traces could not be exported before the service stopped");
  }

  /** One call after another, so that the ends of calls wait for one journal at most. */
  async #followLiveCalls(): Promise<void> {
    const { calls, log } = this.#options;
    try {
      const live = new Set((await calls.listActive()).map(({ id }) => id));
      for (const callId of live) {
        if (this.#isClosed) return;
        if (this.#seen.has(callId)) await this.#exportLive(callId);
      }
      for (const callId of this.#exported.keys()) if (!live.has(callId)) this.#exported.delete(callId);
      this.#seen = live;
    } catch (error) {
      log.warn({ err: error, code: codeOf(error) }, "live calls could not be traced this time");
    }
    if (!this.#isClosed) this.start();
  }

  async #exportLive(callId: CallId): Promise<void> {
    const { exporter, journals, log } = this.#options;
    const request = this.wanted(callId);
    if (request === undefined) return;
    this.#exported.set(callId, request.afterNumber);
    try {
      const page = await journals.trace(callId, request);
      // Its end has been exported meanwhile, with all of its spans.
      if (page === undefined || this.#exported.get(callId) !== request.afterNumber) return;
      const last = page.spans.at(-1);
      if (last === undefined) return;
      exporter.add(callId, page.startedAtMs, page.spans);
      this.#exported.set(callId, last.number);
    } catch (error) {
      log.debug({ callId, code: codeOf(error) }, "live call could not be traced this time");
    }
  }
}

/** The call's own span. */
function callSpan(call: CallRecord, end: CallEnd): ExportedSpan {
  const hasFailed = SERVICE_FAULT_REASONS.includes(end.endReason);
  return {
    number: 0,
    parent: undefined,
    name: liveTranscriptionOf(call.id) === undefined ? "call" : "transcription",
    startMs: callMs(0),
    endMs: callMs(end.durationMs),
    attributes: callAttributes(call, end),
    link: parseTraceparent(call.settings.traceparent ?? ""),
    ...(hasFailed && { errorType: end.endReason }),
  };
}

function callAttributes(
  { id, accountId, agentId, agentVersion, settings, phone }: CallRecord,
  end: CallEnd,
): SpanAttributes {
  return {
    "gen_ai.conversation.id": id,
    "trunkline.call.id": id,
    "trunkline.account.id": accountId,
    ...(agentId !== undefined && { "gen_ai.agent.id": agentId }),
    ...(agentVersion !== undefined && { "gen_ai.agent.version": String(agentVersion) }),
    "trunkline.call.connection_type": settings.connectionType,
    "trunkline.call.language": settings.language,
    "trunkline.call.model": settings.model,
    ...(phone !== undefined && { "trunkline.call.direction": phone.direction }),
    "trunkline.call.status": end.status,
    "trunkline.call.end_reason": end.endReason,
    "trunkline.call.turns": end.turns.length,
  };
}
