import { Fleet } from "./fleet.ts";
import { serve } from "./processes.ts";
import type { GeneratorQuestions } from "./questions.ts";

// The callers' process: many streams on plain sockets, in both directions.

let fleet: Fleet | undefined;

function running(): Fleet {
  if (fleet === undefined) throw new Error("no phase has begun");
  return fleet;
}

serve<GeneratorQuestions>({
  async begin(options) {
    fleet = new Fleet(options);
    await fleet.connect();
    return undefined;
  },
  sample: () => running().sample(),
  finish: () => running().finish(),
});
