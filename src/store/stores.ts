import type { AgentStore } from "./agent-store.ts";
import type { AccountStore, ApiKeyStore } from "./api-key-store.ts";
import type { CallStore } from "./call-store.ts";
import type { EpochStore, Redemptions } from "./redemptions.ts";
import type { RetentionStore } from "./retention-store.ts";

/** Everything durable but journals and recordings. */
export interface Stores {
  accounts: AccountStore;
  apiKeys: ApiKeyStore;
  agents: AgentStore;
  calls: CallStore;
  redemptions: Redemptions;
  epochs: EpochStore;
  retention: RetentionStore;
  /**
   * The files of the store were removed or replaced under the service. While they are, everything that writes rejects with
   * `unavailable`, and nothing is written.
   */
  isDatabaseLost(): boolean;
  /** Nothing may be asked of the stores afterwards. */
  close(): Promise<void>;
}
