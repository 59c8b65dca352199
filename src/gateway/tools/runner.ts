import { strict as assert } from "node:assert";
import type { CallCommand, CallEvent } from "../../call/events.ts";
import type { BuiltInToolSpec, ToolSpec } from "../../core/calls/spec.ts";
import type { Clock } from "../../core/clock.ts";
import { elapsedMs, type MonotonicMs } from "../../core/clocks.ts";
import { codeOf, unavailable } from "../../core/errors.ts";
import { CHECKS_OVER_BUDGET_MAX, TOOL_RESULT_CHARS_MAX, TOOLS_RUNNING_MAX } from "../../core/limits/agents/tools.ts";
import { RETRIEVAL_TOOL_MS_MAX } from "../../core/limits/knowledge/call-knowledge.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { SchemaChecks } from "../../core/schemas/checker.ts";
import { argumentProblem, argumentsNotChecked } from "../../core/tools/argument-check.ts";
import { failed, type ToolFault, type ToolOutcome } from "../../core/tools/outcome.ts";
import type { ServerToolsOfCall } from "../../core/tools/server-tools.ts";
import { truncateToolResult } from "../../speech/llm/prompt/tool-result.ts";
import type { RedeemedCall } from "../../store/call-handoff.ts";
import type { CallRetrieval } from "../retrieval/call-retrieval.ts";

export type ToolCommand = Extract<CallCommand, { kind: "run-tool" }>;
type ToolResult = Extract<CallEvent, { kind: "tool-result" }>;

/** A tool call sent to the client. */
export interface ClientToolCall {
  /** Returned with the result. */
  id: string;
  name: string;
  arguments: Readonly<Record<string, unknown>>;
}

export interface ToolRunnerOptions {
  redeemed: Pick<RedeemedCall, "accountId" | "spec">;
  /** Checks the LLM's arguments against the schema of its tool. */
  schemas: Pick<SchemaChecks, "prepare" | "check">;
  httpTools: ServerToolsOfCall;
  /** Asks the corpora of the call. */
  retrieval: Pick<CallRetrieval, "query">;
  /** The language of the call now. */
  language: () => string;
  /** Sends a tool call to the client of the call. */
  askClient: (call: ClientToolCall) => void;
  /** Delivers an event to the call. Never called from within `run`. */
  deliver: (event: ToolResult) => void;
  /** The call of a tool that is not built in is over. */
  onRun: (kind: DefinedTool["kind"], outcome: ToolFault | "completed") => void;
  clock: Clock;
  log: Logger;
}

type DefinedTool = Exclude<ToolSpec, BuiltInToolSpec>;

interface RunningTool {
  readonly command: ToolCommand;
  readonly kind: ToolSpec["kind"];
  readonly startMs: MonotonicMs;
  readonly abortController: AbortController;
  /** The client was sent the tool call. */
  awaitsClient: boolean;
  cancelTimeout: () => void;
}

/**
 * Carries out the tools of one call that its state machine does not decide by itself: each runs once and yields one
 * result, by its timeout at the latest. A failure is a result, too, in plain words for the LLM. After `close` nothing
 * runs any more.
 */
export class ToolRunner {
  readonly #options: ToolRunnerOptions;
  readonly #running = new Map<string, RunningTool>();
  /** The schemas of tools as JSON, by the tool's name; created when first needed. */
  readonly #schemas = new Map<string, string>();
  /** How often a check of each tool exceeded its budget. */
  readonly #overBudgetCounts = new Map<string, number>();
  #closed = false;

  constructor(options: ToolRunnerOptions) {
    this.#options = options;
    if (options.redeemed.spec.tools.some(({ kind }) => kind !== "built_in")) options.schemas.prepare();
  }

  /** Starts a tool; its result is delivered later. */
  run(command: ToolCommand): void {
    const { redeemed, clock } = this.#options;
    const tool = redeemed.spec.tools.find(({ name }) => name === command.name);
    assert.ok(tool !== undefined, "the state machine runs only tools of its call");
    assert.ok(tool.kind !== "built_in" || tool.name === "query_corpus", "it carries out the built-in ones itself");
    assert.ok(!this.#running.has(command.toolCallId), "each tool call has its own id");
    const isBusy = this.#running.size >= TOOLS_RUNNING_MAX;
    const running: RunningTool = {
      command,
      kind: tool.kind,
      startMs: clock.nowMs(),
      abortController: new AbortController(),
      awaitsClient: false,
      cancelTimeout: () => {},
    };
    this.#running.set(command.toolCallId, running);
    const timeoutMs = tool.kind === "built_in" ? RETRIEVAL_TOOL_MS_MAX : tool.timeoutMs;
    running.cancelTimeout = clock.after(timeoutMs, () => {
      const outcome = failed("timeout", `it took longer than ${timeoutMs / 1_000} s`);
      running.abortController.abort(unavailable(outcome.text));
      this.#finish(running, outcome);
    });
    const outcome = isBusy ? failed("busy", "too many tools are running") : this.#begin(tool, running);
    Promise.resolve(outcome).then(
      (settled) => {
        if (settled !== undefined) this.#finish(running, settled);
      },
      (error: unknown) => {
        this.#options.log.error({ err: error, code: codeOf(error), fault: "bug" }, "tool call failed: internal error");
        this.#finish(running, failed("internal", "it could not be carried out"));
      },
    );
  }

  /** The client reports a result; false where the tool call was not sent to it, or is over. */
  clientAnswered(id: string, result: string, isError: boolean): boolean {
    const running = this.#running.get(id);
    if (running === undefined || !running.awaitsClient) return false;
    this.#finish(running, isError ? failed("client", result) : { text: result });
    return true;
  }

  /** The call is over: running tools are aborted, without a result. */
  close(): void {
    this.#closed = true;
    for (const running of this.#running.values()) stop(running);
    this.#running.clear();
  }

  /** Undefined when the client reports the result, and when the tool timed out or its call has ended. */
  async #begin(tool: ToolSpec, running: RunningTool): Promise<ToolOutcome | undefined> {
    const { redeemed, httpTools, retrieval, language, askClient } = this.#options;
    const { command, abortController } = running;
    // The state machine has checked its arguments.
    if (tool.kind === "built_in")
      return await retrieval.query(String(command.arguments.question), language(), abortController.signal);
    const problem = await this.#argumentProblem(tool, command.arguments, abortController.signal);
    if (abortController.signal.aborted) return undefined;
    if (problem !== undefined) return problem;
    if (tool.kind !== "client")
      return await httpTools.carryOut(tool, command.arguments, abortController.signal, redeemed.accountId);
    // The client may answer at once, but not before this.
    running.awaitsClient = true;
    askClient({ id: command.toolCallId, name: tool.name, arguments: command.arguments });
    return undefined;
  }

  /** The outcome for the LLM when its arguments do not fit the tool's schema, or when that cannot be checked. */
  async #argumentProblem(
    tool: DefinedTool,
    given: ToolCommand["arguments"],
    signal: AbortSignal,
  ): Promise<ToolOutcome | undefined> {
    const { redeemed, schemas } = this.#options;
    const { name, parameters } = tool;
    const overBudget = this.#overBudgetCounts.get(name) ?? 0;
    if (overBudget >= CHECKS_OVER_BUDGET_MAX) return argumentsNotChecked();
    const schema = this.#schemas.get(name) ?? JSON.stringify(parameters);
    this.#schemas.set(name, schema);
    const result = await schemas.check(redeemed.accountId, schema, JSON.stringify(given), signal);
    if (result.outcome === "over_budget") this.#overBudgetCounts.set(name, overBudget + 1);
    return argumentProblem(result);
  }

  #finish(running: RunningTool, { text, fault, status, cause, retrieval }: ToolOutcome): void {
    const { turnId, toolCallId, name } = running.command;
    if (this.#closed || this.#running.get(toolCallId) !== running) return;
    this.#running.delete(toolCallId);
    stop(running);
    const { clock, log, deliver, onRun } = this.#options;
    const durationMs = Math.round(elapsedMs(running.startMs, clock.nowMs()));
    const fields = { turnId, tool: name, kind: running.kind, durationMs, status };
    if (fault === undefined) log.info(fields, "tool call completed");
    else log.warn({ ...fields, code: fault, cause }, "tool call failed");
    if (running.kind !== "built_in") onRun(running.kind, fault ?? "completed");
    deliver({
      kind: "tool-result",
      turnId,
      toolCallId,
      result: truncateToolResult(text, TOOL_RESULT_CHARS_MAX),
      failed: fault !== undefined,
      ...(retrieval !== undefined && { retrieval }),
    });
  }
}

function stop({ cancelTimeout, abortController }: RunningTool): void {
  cancelTimeout();
  abortController.abort();
}
