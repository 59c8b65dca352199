import type { AgeClock } from "../core/age-clock.ts";
import type { MonotonicMs } from "../core/clocks.ts";
import type { AccountId, WebhookId } from "../core/ids.ts";
import type { AccountSecret, AccountSecretStore } from "./accounts/account-secret-store.ts";
import type { AccountStore } from "./accounts/account-store.ts";
import type { ApiKeyStore } from "./accounts/api-key-store.ts";
import type { AuditStore } from "./accounts/audit-store.ts";
import type { OwnerLinkStore } from "./accounts/owner-link-store.ts";
import type { PublishableKeyStore } from "./accounts/publishable-key-store.ts";
import type { UsageStore } from "./accounts/usage-store.ts";
import type { AgentStore } from "./agent-store.ts";
import type { BucketClaimStore } from "./bucket-claim-store.ts";
import type { AnalysisStore } from "./calls/analysis-store.ts";
import type { CallStore } from "./calls/call-store.ts";
import type { MediaKeyStore } from "./calls/media-key-store.ts";
import type { RetentionStore } from "./calls/retention-store.ts";
import type { HolderOf, NodeStore } from "./cluster/node-store.ts";
import type { CorpusStore } from "./corpora/corpus-store.ts";
import type { DocumentStore } from "./corpora/document-store.ts";
import type { EpochStore } from "./epoch-store.ts";
import type { JobStore } from "./job-store.ts";
import type { Redemptions, StreamAuthentication, UnpersistedPrompts } from "./redemptions.ts";
import type { Keyring } from "./sealing/seal.ts";
import type { Carrier, CarrierStore } from "./telephony/carrier-store.ts";
import type { InboundWebhookStore } from "./telephony/inbound-webhook-store.ts";
import type { PhoneCallStore } from "./telephony/phone-call-store.ts";
import type { PhoneNumber, PhoneNumberStore } from "./telephony/phone-number-store.ts";
import type { ToolStore } from "./tool-store.ts";
import type { TranscriptionStore } from "./transcription-store.ts";
import type { TransferStore } from "./transfer-store.ts";
import type { SessionStore } from "./users/session-store.ts";
import type { UserStore } from "./users/user-store.ts";
import type { EventStreamStore } from "./webhooks/event-stream-store.ts";
import type { WebhookStore } from "./webhooks/webhook-store.ts";

/** How the schema of a database is treated when its stores are opened. */
export interface SchemaOptions {
  /**
   * False for a program that may run beside a service of another version: an older schema is then an error instead of being
   * migrated. A database without any schema gets one in either case. True by default.
   */
  migrates?: boolean;
  /** Called before and after a migration of the schema. A migration of SQLite blocks the event loop. */
  onMigration?: (isOver: boolean) => Promise<void>;
  /** Opens a half-filled database, too, which an import that was interrupted has left. */
  acceptsUnfinishedImport?: boolean;
}

export interface StoreOptions extends SchemaOptions {
  /** Measures age: by default the clock of this machine for SQLite, and the server's for Postgres. */
  ageClock?: AgeClock | undefined;
  /** The process writes all day, and requests wait for its event loop: a thread does what would hold it up. */
  isService?: boolean;
  /** Where the words of unrecorded calls are; by default in the memory of these stores. */
  unpersisted?: UnpersistedPrompts;
  /** See `RedemptionKeys`; by default media are not encrypted, and secrets of accounts are not opened. */
  mediaSealing?: RedemptionKeys["mediaSealing"];
  secretsKeys?: RedemptionKeys["secretsKeys"];
  isAuthenticStream?: RedemptionKeys["isAuthenticStream"];
  /** Whose calls the stores may end; by default those of no node. */
  holderOf?: HolderOf | undefined;
  /** A bucket has uploaded files: any node of a cluster processes them. */
  sharesFiles?: boolean;
}

/** The keys that redemptions need. */
export interface RedemptionKeys {
  /** Seals the media keys of calls; undefined where media are not encrypted. */
  mediaSealing?: Keyring | undefined;
  /** Opens the secrets of the calls' accounts. */
  secretsKeys?: Keyring | undefined;
  /** Checks the streams of calls that have a carrier of their account; without it, they are refused. */
  isAuthenticStream?: StreamAuthentication | undefined;
  /** Who redeems in a cluster; see `StoreOptions.holderOf`. */
  holderOf?: HolderOf | undefined;
}

/** What `forgetLostSecrets` did, or would do. */
export interface ForgottenSecrets {
  /** They were disabled with a new secret. */
  disabled: readonly { id: WebhookId; accountId: AccountId; url: string }[];
  /** Their current secret can be opened, and the one before it, which signed too, was deleted. */
  withoutPrevious: readonly WebhookId[];
  /** Secrets of accounts, which were deleted. */
  deleted: readonly Pick<AccountSecret, "id" | "accountId" | "kind" | "name">[];
  /** Carriers that have no credentials any more, until they are given new ones. */
  withoutCredentials: readonly Pick<Carrier, "id" | "accountId" | "name">[];
  /** Numbers that have no inbound webhook any more, until it is set again. */
  withoutInboundWebhook: readonly Pick<PhoneNumber, "id" | "accountId">[];
  /** The keys that the service needs no more. */
  keyIds: readonly string[];
}

/** All durable data but journals and recordings. */
export interface Stores {
  accounts: AccountStore;
  apiKeys: ApiKeyStore;
  users: UserStore;
  sessions: SessionStore;
  ownerLinks: OwnerLinkStore;
  publishableKeys: PublishableKeyStore;
  agents: AgentStore;
  audit: AuditStore;
  calls: CallStore;
  analyses: AnalysisStore;
  redemptions: Redemptions;
  phoneCalls: PhoneCallStore;
  phoneNumbers: PhoneNumberStore;
  transcriptions: TranscriptionStore;
  corpora: CorpusStore;
  documents: DocumentStore;
  tools: ToolStore;
  usage: UsageStore;
  epochs: EpochStore;
  nodes: NodeStore;
  bucketClaims: BucketClaimStore;
  eventStreams: EventStreamStore;
  jobs: JobStore;
  /** The webhooks, whose secrets these keys seal. */
  openWebhooks(keys: Keyring): WebhookStore;
  /** The secrets of accounts, which these keys seal. */
  openAccountSecrets(keys: Keyring): AccountSecretStore;
  /** The carriers of accounts, whose credentials these keys seal. */
  openCarriers(keys: Keyring): CarrierStore;
  /** The inbound webhooks of numbers, whose secrets these keys seal. */
  openInboundWebhooks(keys: Keyring): InboundWebhookStore;
  /** The keys of encrypted media, which these keys seal. */
  openMediaKeys(keys: Keyring): MediaKeyStore;
  transfer: TransferStore;
  /** The ids of the keys with which something is sealed. */
  sealingKeyIds(): Promise<readonly string[]>;
  retention: RetentionStore;
  /**
   * Replaces what no key of `keys` opens, and forgets the keys that sealed it; with `dryRun` only says what that is. A
   * webhook whose secret is lost gets a new one and is disabled as `secret_lost`; a secret of an account is deleted; a carrier keeps
   * its numbers and loses its credentials; a number loses its inbound webhook.
   */
  forgetLostSecrets(keys: Keyring, dryRun: boolean): Promise<ForgottenSecrets>;
  /**
   * The files of SQLite were removed or replaced while open, or Postgres does not answer or cannot be written to. Until
   * that is over, writes reject with `unavailable`.
   */
  isDatabaseLost(): boolean;
  /**
   * Postgres answers again, and it is another server than the one that answered last, at `answeredMs`, or that one was started again. Of a
   * replica that was promoted, the last commits may be missing. Never called for SQLite.
   */
  onServerChanged(listener: (answeredMs: MonotonicMs) => void): void;
  /** The stores must not be used afterwards. */
  close(): Promise<void>;
}
