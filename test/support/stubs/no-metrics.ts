import type { ConnectionOptions } from "../../../src/gateway/leg/connection.ts";

/** Where nobody counts. */
export const NO_METRICS: ConnectionOptions["metrics"] = {
  turnAnswered: () => {},
  callEnded: () => {},
  stageAnswered: () => {},
  stageFailed: () => {},
  llmRequestAborted: () => {},
  promptTrimmed: () => {},
  providerFailedOver: () => {},
  providerUsed: () => {},
};
