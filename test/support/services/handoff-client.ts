import { systemClock } from "../../../src/core/clock.ts";
import { asWorkerId } from "../../../src/core/ids.ts";
import { HandoffClient, type HandoffClientOptions } from "../../../src/store/handoff/worker-client.ts";

/** A worker's end of the handoff: it carries no calls, and has room for nine, unless a test says otherwise. */
export const handoffClient = (path: string, changes: Partial<HandoffClientOptions> = {}): HandoffClient =>
  new HandoffClient({
    path,
    workerId: asWorkerId("worker-1"),
    callIds: () => [],
    load: () => ({ callCount: 0, callsMax: 9, loopLagMs: 0, acceptsCalls: true }),
    takeSpendReports: () => [],
    onAccountsOverLimit: () => {},
    onIncompatibleControl: () => {},
    onEndRequested: () => {},
    onPhoneUpdate: () => false,
    onLiveRequest: () => "not_live",
    resumeAddress: () => undefined,
    listenAddress: () => ({ kind: "refused", reason: "not_live" }),
    activity: () => [],
    mediaStates: () => [],
    holds: () => [],
    metrics: async () => undefined,
    clock: systemClock,
    ...changes,
  });
