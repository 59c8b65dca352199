import type { ConnectionOptions } from "../calls/connection.ts";

/** Metrics that count nothing. */
export const NO_METRICS: ConnectionOptions["metrics"] = {
  turnAnswered: () => {},
  callEnded: () => {},
  turnEnded: () => {},
  turnReopened: () => {},
  replyPaused: () => {},
  replyResumed: () => {},
  transcriptIgnored: () => {},
  interimRequested: () => {},
  inactivityPrompted: () => {},
  toolRan: () => {},
  retrievalEnded: () => {},
  retrievalAnswered: () => {},
  stageAnswered: () => {},
  stageFailed: () => {},
  llmRequestAborted: () => {},
  promptTrimmed: () => {},
  providerFailedOver: () => {},
  providerUsed: () => {},
};
