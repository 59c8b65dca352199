import type { AccountStore } from "./account-store.ts";
import type { AgentStore } from "./agent-store.ts";
import type { ApiKeyStore } from "./api-key-store.ts";
import type { CallStore } from "./call-store.ts";
import type { EpochStore } from "./epoch-store.ts";
import type { Redemptions } from "./redemptions.ts";
import type { RetentionStore } from "./retention-store.ts";

/** All durable data but journals and recordings. */
export interface Stores {
  accounts: AccountStore;
  apiKeys: ApiKeyStore;
  agents: AgentStore;
  calls: CallStore;
  redemptions: Redemptions;
  epochs: EpochStore;
  retention: RetentionStore;
  /**
   * The store's files were removed or replaced while open. Until they are restored, all writes reject with
   * `unavailable`, and nothing is written.
   */
  isDatabaseLost(): boolean;
  /** The stores must not be used afterwards. */
  close(): Promise<void>;
}
