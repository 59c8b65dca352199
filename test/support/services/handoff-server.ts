import { systemClock } from "../../../src/core/clock.ts";
import type { HandoffServerOptions } from "../../../src/store/handoff/control-server.ts";
import type { Redemptions } from "../../../src/store/redemptions.ts";
import { memoryLog } from "../memory-log.ts";
import { TOKEN_KEY_TEXT } from "../tokens.ts";

/** A store that knows no token. */
export const NO_REDEMPTIONS: Redemptions = {
  redeem: async () => undefined,
  isStreamOf: async () => false,
  returnRedemption: async () => undefined,
};

/** The options of a `HandoffServer`; those that `changes` does not name have no effect. */
export const handoffServer = (path: string, changes: Partial<HandoffServerOptions> = {}): HandoffServerOptions => ({
  path,
  clock: systemClock,
  log: memoryLog().log,
  redemptions: NO_REDEMPTIONS,
  epoch: 1,
  tokenKeys: [TOKEN_KEY_TEXT],
  onRedeemed: () => {},
  onReturned: () => {},
  onWorkerConnected: () => {},
  onLoadReported: () => {},
  onSpendReported: () => {},
  onIncompatibleWorker: () => {},
  onWorkerDisconnected: () => {},
  onStreamStarted: () => {},
  onPhoneRequest: () => {},
  onMedia: () => {},
  onHold: () => {},
  onActivity: () => {},
  onEnded: () => {},
  ...changes,
});
