import type { ConnectionOptions } from "../../src/gateway/connection-options.ts";

/** Where nobody counts. */
export const NO_METRICS: ConnectionOptions["metrics"] = {
  answered: () => {},
  callEnded: () => {},
  engineAnswered: () => {},
  engineFailed: () => {},
  llmRequestAborted: () => {},
  promptTrimmed: () => {},
  providerSwitched: () => {},
  providerUsed: () => {},
};
