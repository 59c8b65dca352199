import { strict as assert } from "node:assert";
import type { CallCommand, CallEvent } from "../../call/events.ts";
import type { CallSpec, ToolSpec } from "../../core/call-spec.ts";
import type { Clock } from "../../core/clock.ts";
import { codeOf } from "../../core/errors.ts";
import { compileSchema, type SchemaCheck } from "../../core/json-schema.ts";
import { TOOL_RESULT_CHARS_MAX, TOOLS_RUNNING_MAX } from "../../core/limits.ts";
import type { Logger } from "../../core/log.ts";
import { cutToolResult } from "../../speech/tool-result-text.ts";
import type { HttpTools } from "./http-client.ts";
import { failed, type ToolOutcome } from "./outcome.ts";

export type ToolCommand = Extract<CallCommand, { kind: "tool" }>;
type ToolResult = Extract<CallEvent, { kind: "tool-result" }>;

/** What a client is asked to do. */
export interface ClientToolCall {
  /** Comes back with the result. */
  id: string;
  name: string;
  arguments: Readonly<Record<string, unknown>>;
}

export interface ToolRunnerOptions {
  tools: CallSpec["tools"];
  httpTools: Pick<HttpTools, "carryOut">;
  /** Asks the client of the call for a tool that it carries out. */
  askClient: (call: ClientToolCall) => void;
  /** The door of the call. Never called from within `run`. */
  deliver: (event: ToolResult) => void;
  clock: Clock;
  log: Logger;
}

interface Running {
  readonly command: ToolCommand;
  readonly kind: ToolSpec["kind"];
  readonly startMs: number;
  readonly life: AbortController;
  cancelTimeout: () => void;
}

/**
 * Carries out the tools of one call that its machine does not decide by itself: each is run once, and comes to one result, in
 * its own time or when its time is up. What goes wrong is a result too, told to the model in plain words. After `close` nothing
 * of them is alive.
 */
export class ToolRunner {
  readonly #options: ToolRunnerOptions;
  readonly #running = new Map<string, Running>();
  /** By the tool's name; made when it is first needed. */
  readonly #checks = new Map<string, SchemaCheck>();
  #closed = false;

  constructor(options: ToolRunnerOptions) {
    this.#options = options;
  }

  /** Begins to carry out a tool; its result is delivered later. */
  run(command: ToolCommand): void {
    const { tools, clock } = this.#options;
    const tool = tools.find(({ name }) => name === command.name);
    assert.ok(tool !== undefined && tool.kind !== "built_in", "the machine asks for tools of the call alone");
    assert.ok(!this.#running.has(command.key), "each run has a key of its own");
    const isBusy = this.#running.size >= TOOLS_RUNNING_MAX;
    const running: Running = {
      command,
      kind: tool.kind,
      startMs: clock.nowMs(),
      life: new AbortController(),
      cancelTimeout: () => {},
    };
    this.#running.set(command.key, running);
    running.cancelTimeout = clock.after(tool.timeoutMs, () =>
      this.#finish(running, failed("timeout", `it took longer than ${tool.timeoutMs / 1_000} s`)),
    );
    const outcome = isBusy ? failed("busy", "too many tools are running") : this.#begin(tool, running);
    Promise.resolve(outcome).then(
      (settled) => {
        if (settled !== undefined) this.#finish(running, settled);
      },
      (error: unknown) => {
        this.#options.log.error({ err: error, code: codeOf(error), fault: "bug" }, "a tool could not be carried out");
        this.#finish(running, failed("internal", "it could not be carried out"));
      },
    );
  }

  /** The client tells what came of a tool; false when none of this id waits for it. */
  answered(id: string, result: string, isError: boolean): boolean {
    const running = this.#running.get(id);
    if (running?.kind !== "client") return false;
    this.#finish(running, isError ? failed("client", result) : { text: result });
    return true;
  }

  /** The call is over: what runs is aborted, and comes to nothing. */
  close(): void {
    this.#closed = true;
    for (const running of this.#running.values()) stop(running);
    this.#running.clear();
  }

  /** Undefined when somebody else will tell. */
  #begin(
    tool: Exclude<ToolSpec, { kind: "built_in" }>,
    { command, life }: Running,
  ): Promise<ToolOutcome> | ToolOutcome | undefined {
    const wrong = this.#checkOf(tool)(command.arguments);
    if (wrong !== undefined) return failed("arguments", `the arguments do not fit: ${wrong.trim()}`);
    if (tool.kind === "http") return this.#options.httpTools.carryOut(tool, command.arguments, life.signal);
    this.#options.askClient({ id: command.key, name: tool.name, arguments: command.arguments });
    return undefined;
  }

  #checkOf({ name, parameters }: Exclude<ToolSpec, { kind: "built_in" }>): SchemaCheck {
    const check = this.#checks.get(name) ?? compileSchema(parameters) ?? (() => "the tool's own schema is no good");
    this.#checks.set(name, check);
    return check;
  }

  #finish(running: Running, { text, fault, status, cause }: ToolOutcome): void {
    const { turnId, key, name } = running.command;
    if (this.#closed || this.#running.get(key) !== running) return;
    this.#running.delete(key);
    stop(running);
    const { clock, log, deliver } = this.#options;
    const durationMs = Math.round(clock.nowMs() - running.startMs);
    const fields = { turnId, tool: name, kind: running.kind, durationMs, status };
    if (fault === undefined) log.info(fields, "tool carried out");
    else log.warn({ ...fields, code: fault, cause }, "tool failed");
    deliver({
      kind: "tool-result",
      turnId,
      key,
      result: cutToolResult(text, TOOL_RESULT_CHARS_MAX),
      failed: fault !== undefined,
    });
  }
}

function stop({ cancelTimeout, life }: Running): void {
  cancelTimeout();
  life.abort();
}
