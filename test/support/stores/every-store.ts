import { addMs } from "../../../src/core/clocks.ts";
import { openStores } from "../../../src/store/sqlite/open-stores.ts";
import type { StoresUnderTest } from "../../contract/store/calls.ts";
import { ManualClock } from "../manual-clock.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { ageClockOf } from "../tokens.ts";

/** Every implementation of the stores, each with a factory of empty ones. */
export const EVERY_STORE: readonly { name: string; make: () => StoresUnderTest }[] = [{ name: "SQLite", make: sqlite }];

function sqlite(): StoresUnderTest {
  const [directory, clock] = [temporaryDirectory(), new ManualClock()];
  return {
    clock,
    open: ({ wallMs = 0, bootId } = {}) => {
      const wall = {
        ...clock,
        nowMs: () => clock.nowMs(),
        epochMs: () => addMs(clock.epochMs(), wallMs),
        after: clock.after,
      };
      return openStores(directory, wall, { ageClock: ageClockOf(clock, bootId) });
    },
  };
}
