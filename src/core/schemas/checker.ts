import { childModule } from "../child-module.ts";
import { ARGUMENTS_CHECK_CPU_MS_MAX, SCHEMA_COMPILE_CPU_MS_MAX } from "../limits/tools.ts";
import { BudgetedProcess, type BudgetedProcessOptions, type TaskResult } from "../tasks/budgeted-process.ts";
import { forkTaskChild } from "../tasks/child.ts";
import type { SchemaAnswer, SchemaTask } from "./messages.ts";

export type SchemaResult = TaskResult<SchemaAnswer>;

/** JSON Schemas of users and values of LLMs, compiled and checked where they hold up nobody. */
export interface SchemaChecks {
  /** Starts what the first check would wait for. */
  prepare(): void;
  /** Whether a schema, as JSON, can be compiled within `SCHEMA_COMPILE_CPU_MS_MAX`: the answer is `fits` or `invalid`. */
  compile(accountId: string, schema: string): Promise<SchemaResult>;
  /** Whether a value fits a schema, both as JSON. With `signal` aborted the result says nothing. */
  check(accountId: string, schema: string, value: string, signal: AbortSignal): Promise<SchemaResult>;
}

/** `SchemaChecks` in a child of this process: see `BudgetedProcess` for its budgets and its fairness. */
export class SchemaProcess implements SchemaChecks {
  readonly #process: BudgetedProcess<SchemaTask, SchemaAnswer>;

  constructor(options: Pick<BudgetedProcessOptions, "clock" | "log" | "count">) {
    const start = forkTaskChild(childModule(import.meta.url, "./checker-process"));
    this.#process = new BudgetedProcess({ name: "schemas", start, ...options });
  }

  prepare(): void {
    this.#process.start();
  }

  compile(accountId: string, schema: string): Promise<SchemaResult> {
    return this.#process.run({ schema }, { accountId, cpuMsMax: SCHEMA_COMPILE_CPU_MS_MAX });
  }

  check(accountId: string, schema: string, value: string, signal: AbortSignal): Promise<SchemaResult> {
    return this.#process.run({ schema, value }, { accountId, cpuMsMax: ARGUMENTS_CHECK_CPU_MS_MAX, signal });
  }

  close(): Promise<void> {
    return this.#process.close();
  }
}
