import { serveTasks } from "../../../../src/core/task-processes/server.ts";

/** A scripted child for tests: on command it spins, fills its memory, throws or exits. */
await serveTasks((task: string): string => {
  if (task === "spin") for (;;);
  if (task === "fill") for (const kept: unknown[][] = []; ; ) kept.push(new Array(100_000).fill({}));
  // Beyond the heap, where no limit of V8 counts it.
  if (task === "fill outside") for (const kept: Buffer[] = []; ; ) kept.push(Buffer.alloc(1_048_576, 1));
  if (task === "throw") throw new Error("a bug with canary words");
  if (task === "exit") process.exit(3);
  return `${task}, answered`;
});
