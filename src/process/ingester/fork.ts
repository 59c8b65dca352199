import { childModule } from "../../core/child-processes/child-module.ts";
import { INGESTER_HEAP_MB_MAX } from "../../core/limits/knowledge/corpora.ts";
import { forkTaskChild, type StartTaskChild } from "../../core/task-processes/child.ts";

/** Starts the program that reads documents. */
export const forkIngester = (): StartTaskChild =>
  forkTaskChild(childModule(import.meta.url, "../ingester"), INGESTER_HEAP_MB_MAX);
