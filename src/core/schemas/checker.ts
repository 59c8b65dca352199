import { childModule } from "../child-processes/child-module.ts";
import type { AccountId } from "../ids.ts";
import {
  ARGUMENTS_CHECK_CPU_MS_MAX,
  SCHEMA_COMPILE_CPU_MS_MAX,
  SCHEMAS_OF_REQUEST_MS_MAX,
} from "../limits/agents/tools.ts";
import { BudgetedProcess, type BudgetedProcessOptions, type TaskResult } from "../task-processes/budgeted-process.ts";
import { forkTaskChild } from "../task-processes/child.ts";
import type { SchemaAnswer, SchemaTask } from "./messages.ts";

export type SchemaResult = TaskResult<SchemaAnswer>;

/** Compiles JSON Schemas of users and checks values of LLMs without blocking the event loop. */
export interface SchemaChecks {
  /** Starts the child process, so that the first check does not wait for it. */
  prepare(): void;
  /** Whether a schema, as JSON, can be compiled within `SCHEMA_COMPILE_CPU_MS_MAX`: the answer is `fits` or `invalid`. */
  compile(accountId: AccountId, schema: string): Promise<SchemaResult>;
  /** Whether a value fits a schema, both as JSON. After `signal` has aborted, the result has no meaning. */
  check(accountId: AccountId, schema: string, value: string, signal: AbortSignal): Promise<SchemaResult>;
}

/** A schema checker in a child process: see `BudgetedProcess` for budgets and fairness. */
export class SchemaProcess implements SchemaChecks {
  readonly #process: BudgetedProcess<SchemaTask, SchemaAnswer>;

  constructor(options: Pick<BudgetedProcessOptions, "clock" | "log" | "count">) {
    const start = forkTaskChild(childModule(import.meta.url, "./checker-process"));
    this.#process = new BudgetedProcess({ name: "schemas", start, ...options });
  }

  prepare(): void {
    this.#process.start();
  }

  compile(accountId: AccountId, schema: string): Promise<SchemaResult> {
    // All schemas of a request have one deadline (`compiledInTime`), and one may take all of that. On a busy machine the first schema
    // after a start waits for the process for seconds, and ending a process that got no CPU time would only have the next one wait again.
    const [waitMsMax, runMsMax] = [SCHEMAS_OF_REQUEST_MS_MAX, SCHEMAS_OF_REQUEST_MS_MAX];
    return this.#process.run({ schema }, { accountId, cpuMsMax: SCHEMA_COMPILE_CPU_MS_MAX, waitMsMax, runMsMax });
  }

  check(accountId: AccountId, schema: string, value: string, signal: AbortSignal): Promise<SchemaResult> {
    return this.#process.run({ schema, value }, { accountId, cpuMsMax: ARGUMENTS_CHECK_CPU_MS_MAX, signal });
  }

  close(): Promise<void> {
    return this.#process.close();
  }
}
