import type { AgeClock } from "../core/age-clock.ts";
import type { AccountStore } from "./account-store.ts";
import type { AgentStore } from "./agent-store.ts";
import type { ApiKeyStore } from "./api-key-store.ts";
import type { CallStore } from "./call-store.ts";
import type { EpochStore } from "./epoch-store.ts";
import type { JobStore } from "./job-store.ts";
import type { Redemptions, UnpersistedPrompts } from "./redemptions.ts";
import type { RetentionStore } from "./retention-store.ts";
import type { Keyring } from "./sealing/seal.ts";
import type { TransferStore } from "./transfer-store.ts";
import type { WebhookStore } from "./webhook-store.ts";

export interface StoreOptions {
  /** Measures the age of tokens and idempotency keys; by default the clock of this machine. */
  ageClock?: AgeClock;
  /** Where the words of unrecorded calls are; by default in the memory of these stores. */
  unpersisted?: UnpersistedPrompts;
  /** Called before and after a migration of the schema. A migration of SQLite blocks the event loop. */
  onMigration?: (isOver: boolean) => Promise<void>;
}

/** All durable data but journals and recordings. */
export interface Stores {
  accounts: AccountStore;
  apiKeys: ApiKeyStore;
  agents: AgentStore;
  calls: CallStore;
  redemptions: Redemptions;
  epochs: EpochStore;
  jobs: JobStore;
  /** The webhooks, whose secrets these keys seal. */
  openWebhooks(keys: Keyring): WebhookStore;
  transfer: TransferStore;
  /** The ids of the keys with which something is sealed. */
  sealingKeyIds(): Promise<readonly string[]>;
  retention: RetentionStore;
  /**
   * The files of SQLite were removed or replaced while open, or Postgres does not answer or cannot be written to. Until
   * that is over, writes reject with `unavailable`.
   */
  isDatabaseLost(): boolean;
  /** The stores must not be used afterwards. */
  close(): Promise<void>;
}
