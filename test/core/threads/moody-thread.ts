import { serveTasks } from "../../../src/core/thread-tasks.ts";

/** A thread with moods, for the tests of what runs threads: it spins, fills its heap, throws or ends where it is told to. */
serveTasks((task: string): string => {
  if (task === "spin") for (;;);
  if (task === "fill") for (const kept: unknown[][] = []; ; ) kept.push(new Array(100_000).fill({}));
  if (task === "throw") throw new Error("a bug with canary words");
  if (task === "exit") process.exit(3);
  return `${task}, answered`;
});
