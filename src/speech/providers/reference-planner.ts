import { BudgetedThread, type BudgetedThreadOptions } from "../../core/budgeted-thread.ts";
import { threadModule } from "../../core/child-module.ts";
import { TOOL_PLAN_CPU_MS_MAX } from "../../core/schema-limits.ts";
import type { LlmRequest, ToolDescription } from "../speech.ts";
import {
  type Exchange,
  exchangesOf,
  hasChoice,
  NO_TOOLS,
  type ToolChoice,
  type ToolChooser,
} from "./reference-plan.ts";

/** What is asked of the thread. */
export interface PlanTask {
  exchanges: readonly Exchange[];
  /** The tools as JSON: those of a call are the same in all of its requests. */
  tools: string;
  language: string;
}

/** The account of requests that no call made. */
const NOBODY = "";

/** Chooses tools for the reference LLM in a thread, which starts with the first call that may need it. */
export class ReferencePlanner implements ToolChooser {
  readonly #thread: BudgetedThread<PlanTask, ToolChoice>;
  readonly #tools = new WeakMap<readonly ToolDescription[], string>();

  constructor(options: Pick<BudgetedThreadOptions, "clock" | "log" | "count">) {
    const module = threadModule(import.meta.url, "./reference-plan-thread");
    this.#thread = new BudgetedThread({ name: "reference_llm", module, ...options });
  }

  prepare(): void {
    this.#thread.start();
  }

  async choose(request: LlmRequest, signal: AbortSignal): Promise<ToolChoice> {
    const { messages, tools, language, accountId = NOBODY } = request;
    if (!hasChoice(tools)) return NO_TOOLS;
    const json = this.#tools.get(tools) ?? JSON.stringify(tools);
    this.#tools.set(tools, json);
    const task = { exchanges: exchangesOf(messages), tools: json, language };
    const result = await this.#thread.run(task, { accountId, cpuMsMax: TOOL_PLAN_CPU_MS_MAX, signal });
    return result.outcome === "answered" ? result.answer : NO_TOOLS;
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
