import type { ConnectionOptions } from "../../../src/gateway/leg/connection.ts";

/** Metrics that count nothing. */
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
