import type { AgentStore } from "./agent-store.ts";
import type { AccountStore, ApiKeyStore } from "./api-key-store.ts";
import type { CallStore } from "./call-store.ts";
import type { EpochStore, Redemptions } from "./redemptions.ts";

/** Everything durable but journals and recordings. */
export interface Stores {
  accounts: AccountStore;
  apiKeys: ApiKeyStore;
  agents: AgentStore;
  calls: CallStore;
  redemptions: Redemptions;
  epochs: EpochStore;
  /** Nothing may be asked of the stores afterwards. */
  close(): Promise<void>;
}
