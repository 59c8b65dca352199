import type { Registry } from "prom-client";
import { TASK_OUTCOMES, type TaskOutcome } from "../task-processes/budgeted-process.ts";
import { counter } from "./instruments.ts";

/** The kinds of tasks on user data for child processes: see budgeted-process.ts. */
export const BUDGETED_TASKS = ["schemas", "reference_llm", "documents"] as const;
export type BudgetedTask = (typeof BUDGETED_TASKS)[number];

/** Counts the tasks for child processes by outcome. */
export function budgetedTaskCounter(registry: Registry): (task: BudgetedTask, outcome: TaskOutcome) => void {
  const help =
    "Tasks in child processes with a CPU and memory budget: checks of users' schemas and of the LLM's arguments (`schemas`), tool choices of the reference LLM (`reference_llm`), and reading documents of corpora (`documents`, which may wait and take longer). `over_budget`: too much CPU time or memory; the process was replaced. `refused`: too many tasks of the account waited, or one for 5 s, or the process got too little CPU time or could not be started. `failed`: a defect of the service.";
  const tasks = counter(registry, "budgeted_tasks_total", help, ["task", "outcome"]);
  // Counters start at 0, so that their first increment is visible as an increase.
  for (const outcome of TASK_OUTCOMES) for (const task of BUDGETED_TASKS) tasks.inc({ task, outcome }, 0);
  return (task, outcome) => tasks.inc({ task, outcome });
}
