import { childModule } from "../../../core/child-processes/child-module.ts";
import { asAccountId } from "../../../core/ids.ts";
import { TOOL_PLAN_CPU_MS_MAX } from "../../../core/limits/agents/tools.ts";
import { BudgetedProcess, type BudgetedProcessOptions } from "../../../core/task-processes/budgeted-process.ts";
import { forkTaskChild } from "../../../core/task-processes/child.ts";
import type { LlmRequest, ToolDescription } from "../../contracts.ts";
import { type Exchange, exchangesOf, hasChoice, NO_TOOLS, type ToolChoice, type ToolChooser } from "./chooser.ts";

/** A task of the child process. */
export interface PlanTask {
  exchanges: readonly Exchange[];
  /** The tools as JSON. All requests of a call have the same tools. */
  tools: string;
  language: string;
}

/** The account of requests that belong to no call. */
const NO_ACCOUNT = asAccountId("");

/** Chooses tools for the reference LLM in a child process, which starts with the first call that may need it. */
export class ToolChooserClient implements ToolChooser {
  readonly #process: BudgetedProcess<PlanTask, ToolChoice>;
  readonly #tools = new WeakMap<readonly ToolDescription[], string>();

  constructor(options: Pick<BudgetedProcessOptions, "clock" | "log" | "count">) {
    const start = forkTaskChild(childModule(import.meta.url, "./chooser-process"));
    this.#process = new BudgetedProcess({ name: "reference_llm", start, ...options });
  }

  prepare(): void {
    this.#process.start();
  }

  async choose(request: LlmRequest, signal: AbortSignal): Promise<ToolChoice> {
    const { messages, tools, language, accountId = NO_ACCOUNT } = request;
    if (!hasChoice(tools)) return NO_TOOLS;
    const json = this.#tools.get(tools) ?? JSON.stringify(tools);
    this.#tools.set(tools, json);
    const task = { exchanges: exchangesOf(messages), tools: json, language };
    const result = await this.#process.run(task, { accountId, cpuMsMax: TOOL_PLAN_CPU_MS_MAX, signal });
    return result.outcome === "answered" ? result.answer : NO_TOOLS;
  }

  close(): Promise<void> {
    return this.#process.close();
  }
}
