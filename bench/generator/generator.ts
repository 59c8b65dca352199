import { serve } from "../rig/child-process.ts";
import { Fleet } from "./fleet.ts";
import type { GeneratorQuestions } from "./protocol.ts";

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
