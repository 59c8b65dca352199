import { strict as assert } from "node:assert";
import { systemClock } from "../../../../src/core/clock.ts";
import { createLogger } from "../../../../src/core/log/logger.ts";
import { JobRunner } from "../../../../src/jobs/runner.ts";
import { openStores, type StorePlace } from "../../../../src/store/open-stores.ts";
import { EffectsFile } from "./effects.ts";
import { proofHandlers } from "./handlers.ts";

// The process that is killed: a runner of jobs, as the control process has one. Ends with its parent.

/** What the parent gives it, as JSON in its only argument. */
export interface RunnerPlace extends StorePlace {
  effectsPath: string;
}

const [, , argument = ""] = process.argv;
const { effectsPath, ...place }: RunnerPlace = JSON.parse(argument);
process.once("disconnect", () => process.exit(0));
const stores = await openStores(place, systemClock);
await new JobRunner({
  jobs: stores.jobs,
  handlers: proofHandlers(stores, new EffectsFile(effectsPath)),
  clock: systemClock,
  log: createLogger("test", "error"),
}).start();
assert.ok(process.send !== undefined, "it is started with a channel to its parent");
process.send("ready");
