import { BudgetedThread, type BudgetedThreadOptions, type TaskResult } from "./budgeted-thread.ts";
import { threadModule } from "./child-module.ts";
import { ARGUMENTS_CHECK_CPU_MS_MAX, SCHEMA_COMPILE_CPU_MS_MAX } from "./schema-limits.ts";
import type { SchemaAnswer, SchemaTask } from "./schema-tasks.ts";

export type SchemaResult = TaskResult<SchemaAnswer>;

/** JSON Schemas of users and values of LLMs, compiled and checked where they hold up nobody. */
export interface SchemaChecks {
  /** Whether a schema, as JSON, can be compiled within `SCHEMA_COMPILE_CPU_MS_MAX`: the answer is `fits` or `invalid`. */
  compile(accountId: string, schema: string): Promise<SchemaResult>;
  /** Whether a value fits a schema, both as JSON. With `signal` aborted the result says nothing. */
  check(accountId: string, schema: string, value: string, signal: AbortSignal): Promise<SchemaResult>;
}

/** `SchemaChecks` in a thread, one for the process: see `BudgetedThread` for its budgets and its fairness. */
export class ThreadedSchemaChecks implements SchemaChecks {
  readonly #thread: BudgetedThread<SchemaTask, SchemaAnswer>;

  constructor(options: Pick<BudgetedThreadOptions, "clock" | "log" | "count">) {
    const module = threadModule(import.meta.url, "./schema-thread");
    this.#thread = new BudgetedThread({ name: "schemas", module, ...options });
    // Before there are calls: the thread takes some 150 ms to start.
    this.#thread.start();
  }

  compile(accountId: string, schema: string): Promise<SchemaResult> {
    return this.#thread.run({ schema }, { accountId, cpuMsMax: SCHEMA_COMPILE_CPU_MS_MAX });
  }

  check(accountId: string, schema: string, value: string, signal: AbortSignal): Promise<SchemaResult> {
    return this.#thread.run({ schema, value }, { accountId, cpuMsMax: ARGUMENTS_CHECK_CPU_MS_MAX, signal });
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
