import { addMs } from "../../../src/core/clocks.ts";
import { openStores } from "../../../src/store/sqlite/open-stores.ts";
import { redemptionContract } from "../../contract/store/redemptions.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { ageClockOf } from "../../support/tokens.ts";

redemptionContract("SQLite", () => {
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
});
