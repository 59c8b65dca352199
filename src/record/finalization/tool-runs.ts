import { type CallMs, elapsedMs, millisecondsOf } from "../../core/clocks.ts";
import type { ToolCallId } from "../../core/ids.ts";
import { TOOL_RUN_TEXT_CHARS_MAX, TOOL_RUNS_PER_CALL_MAX } from "../../core/limits/agents/tools.ts";
import type { CallToolRun } from "../../store/calls/call-store.ts";
import type { JournalRecord } from "../journal/records.ts";

/** Gathers the tool calls of the LLM from a journal. */
export class ToolRunGatherer {
  readonly #runs = new Map<ToolCallId, CallToolRun & { begunMs: CallMs }>();

  take(record: JournalRecord): void {
    if (record.kind === "command" && record.command.kind === "run-tool") {
      if (this.#runs.size >= TOOL_RUNS_PER_CALL_MAX) return;
      const { toolCallId, name } = record.command;
      const words = "arguments" in record.command && {
        words: { arguments: cut(JSON.stringify(record.command.arguments)), result: null },
      };
      const startMs = millisecondsOf(record.timeMs);
      const run = { toolCallId, name, startMs, durationMs: null, failed: null, ...words, begunMs: record.timeMs };
      this.#runs.set(toolCallId, run);
    } else if (record.kind === "event" && record.event.kind === "tool-result") {
      const run = this.#runs.get(record.event.toolCallId);
      if (run === undefined) return;
      run.durationMs = elapsedMs(run.begunMs, record.timeMs);
      run.failed = record.event.failed;
      const { result } = record.event as { result?: string };
      if (run.words !== undefined && result !== undefined) run.words = { ...run.words, result: cut(result) };
    }
  }

  /** In the order in which they began. */
  get runs(): readonly CallToolRun[] {
    return [...this.#runs.values()].map(({ begunMs: _, ...run }) => run);
  }
}

const cut = (text: string): string => text.slice(0, TOOL_RUN_TEXT_CHARS_MAX);
