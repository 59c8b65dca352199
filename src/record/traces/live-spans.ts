import { isRedacted } from "../../core/calls/spec.ts";
import { isoEpochMs } from "../../core/clock.ts";
import type { EpochMs } from "../../core/clocks.ts";
import type { CallId } from "../../core/ids.ts";
import { LIVE_TRACE_READERS_MAX } from "../../core/limits/calls/traces.ts";
import { type JournalFile, JournalReader } from "../journal/reader.ts";
import { recordWithoutWords } from "../journal/redact.ts";
import { CallSpans } from "./call-spans.ts";
import type { CallSpan, SpanRequest } from "./spans.ts";

/** The spans of a live call that have become complete. */
export interface LiveSpansPage {
  /** When the call's token was redeemed. */
  readonly startedAtMs: EpochMs;
  readonly spans: readonly CallSpan[];
}

interface LiveReader {
  readonly journal: JournalReader;
  readonly spans: CallSpans;
  /** The highest number that was returned. */
  lastNumber: number;
  startedAtMs: EpochMs | undefined;
  /** The call's words are redacted when it is over: until then its spans have none. */
  awaitsRedaction: boolean;
}

/**
 * Reads the journals of live calls, each from where it stopped the last time. What it remembers may be lost at any time: it then reads
 * from the beginning, and leaves out what was exported before.
 */
export class LiveSpans {
  /** In the order of their last use. */
  readonly #readers = new Map<CallId, LiveReader>();

  /** Undefined where the journal has no header yet. Rejects with `journal_unreadable`. */
  async read(callId: CallId, journal: JournalFile, request: SpanRequest): Promise<LiveSpansPage | undefined> {
    const known = this.#readers.get(callId);
    this.#readers.delete(callId);
    const reader = known?.lastNumber === request.afterNumber ? known : newReader(journal, request);
    await reader.journal.readMore();
    if (reader.startedAtMs === undefined) return undefined;
    const spans = reader.spans.completed();
    reader.lastNumber = spans.at(-1)?.number ?? request.afterNumber;
    this.#remember(callId, reader);
    return { startedAtMs: reader.startedAtMs, spans };
  }

  /** The call is over. */
  forget(callId: CallId): void {
    this.#readers.delete(callId);
  }

  #remember(callId: CallId, reader: LiveReader): void {
    this.#readers.set(callId, reader);
    const [oldest] = this.#readers.keys();
    if (this.#readers.size > LIVE_TRACE_READERS_MAX && oldest !== undefined) this.#readers.delete(oldest);
  }
}

function newReader(journal: JournalFile, request: SpanRequest): LiveReader {
  const spans = new CallSpans(request);
  const reader: LiveReader = {
    spans,
    journal: new JournalReader(
      journal,
      (record) => {
        if (record.kind === "header") {
          const { spec, startedAt } = record.header;
          reader.startedAtMs = isoEpochMs(startedAt);
          reader.awaitsRedaction = spec !== undefined && isRedacted(spec);
          spans.take(record);
          return;
        }
        spans.take(reader.awaitsRedaction ? recordWithoutWords(record) : record);
      },
      { leavesOutFramesIn: true },
    ),
    lastNumber: request.afterNumber,
    startedAtMs: undefined,
    awaitsRedaction: false,
  };
  return reader;
}
