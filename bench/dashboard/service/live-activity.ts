import { v7 as uuidv7 } from "uuid";
import type { CallActivity } from "../../../src/core/calls/activity.ts";
import { type AccountId, asCallId } from "../../../src/core/ids.ts";
import { findSocket } from "../../../src/store/handoff/socket-path.ts";
import type { HandoffClient } from "../../../src/store/handoff/worker-client.ts";
import { handoffClient } from "../../../test/support/services/handoff-client.ts";

const STATES = ["listening", "thinking", "speaking"] as const;

/**
 * A worker's end of the handoff, without calls of its own: it reports what made-up calls do, as a worker does. So many real calls would
 * take the processors that the control process needs, and none changes so often.
 */
export class LiveActivityWorker {
  readonly #client: HandoffClient;

  private constructor(client: HandoffClient) {
    this.#client = client;
  }

  /** Connects to the service of a data directory. The calls are of the accounts in turn; each changes so often in a second. */
  static async connect(
    dataDir: string,
    accounts: readonly AccountId[],
    calls: number,
    perSecond: number,
  ): Promise<LiveActivityWorker> {
    const path = findSocket(dataDir);
    if (path === undefined) throw new Error("the service has no socket for workers");
    const made = Array.from({ length: calls }, (_, at) => ({
      callId: asCallId(`call_${uuidv7()}`),
      accountId: accounts[at % accounts.length] as AccountId,
    }));
    const activity = (): CallActivity[] => {
      const step = Math.floor((performance.now() * perSecond) / 1_000);
      return made.map((call, at) => ({
        ...call,
        state: STATES[(step + at) % STATES.length] as (typeof STATES)[number],
        agentTurns: Math.floor((step + at) / 3),
        callerTurns: Math.floor((step + at + 1) / 3),
        turnDelayMs: 400 + ((step + at) % 300),
      }));
    };
    const load = () => ({ callCount: 0, callsMax: 0, loopLagMs: 0, acceptsCalls: false });
    const client = handoffClient(path, { activity, load });
    await client.firstAttempt;
    if (client.isIncompatible) throw new Error("the service of dist/ is another version: run npm run build");
    return new LiveActivityWorker(client);
  }

  async close(): Promise<void> {
    await this.#client.close();
  }
}
