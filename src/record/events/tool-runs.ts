import { elapsedMs, millisecondsOf } from "../../core/clocks.ts";
import type { CallId, ToolCallId } from "../../core/ids.ts";
import { EVENTS_PAGE_MAX } from "../../core/limits/control-api/api.ts";
import type { ListedEvent } from "./event-list.ts";
import type { EventPager } from "./event-pages.ts";

/** One tool call of the LLM, from the journal; without words where none are stored. */
export interface ToolRun {
  name: string;
  arguments?: unknown;
  /** Milliseconds since the media stream connected. */
  startMs: number;
  /** Null when the call ended first, as are the others. */
  durationMs: number | null;
  failed: boolean | null;
  /** What the LLM was given. */
  result?: string | null;
}

type Started = Extract<ListedEvent, { kind: "run-tool" }>;

/** The tool calls of a call, in the order in which they began; none where the journal is gone. */
export async function toolRunsOf(pager: Pick<EventPager, "page">, callId: CallId): Promise<readonly ToolRun[]> {
  const runs = new Map<ToolCallId, ToolRun>();
  const started = new Map<ToolCallId, Started>();
  for (let from = 0; ; ) {
    const page = await pager.page(callId, from, EVENTS_PAGE_MAX);
    for (const event of page.events) {
      if (event.kind === "run-tool") {
        started.set(event.toolCallId, event);
        runs.set(event.toolCallId, beginningOf(event));
      } else if (event.kind === "tool-result") {
        const begun = started.get(event.toolCallId);
        if (begun === undefined) continue;
        const { result } = event as { result?: string };
        runs.set(event.toolCallId, {
          ...beginningOf(begun),
          durationMs: elapsedMs(begun.atMs, event.atMs),
          failed: event.failed,
          ...(result !== undefined && { result }),
        });
      }
    }
    from = page.next;
    if (page.more !== "now") return [...runs.values()];
  }
}

const beginningOf = (event: Started): ToolRun => ({
  name: event.name,
  ...("arguments" in event && { arguments: event.arguments }),
  startMs: millisecondsOf(event.atMs),
  durationMs: null,
  failed: null,
});
