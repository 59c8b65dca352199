import type { Generated } from "kysely";
import type { AgeMs, EpochMs } from "../../../core/clocks.ts";
import type {
  AccountId,
  ApiKeyId,
  CarrierId,
  JobId,
  NodeMessageId,
  NodeName,
  PhoneNumberId,
} from "../../../core/ids.ts";

/** What the service keeps of itself: nodes, jobs, the bucket, keys and counts. */
export interface ServiceTables {
  /** The import that has begun and not ended; see `TransferStore.beginImport`. */
  unfinished_imports: { id: string };
  /** The id by which the bucket knows this database; one row, once there has been a bucket. */
  bucket_claims: { name: string; database_id: string; is_confirmed: 0 | 1 };
  /** Counters that only grow; `control` counts the starts of the control process. */
  epochs: { name: string; value: number };
  /** One row for each API key, account, carrier and number whose calls are counted: a transaction that counts changes it, so that no other counts at the same time. */
  call_counts: {
    owner: ApiKeyId | AccountId | CarrierId | PhoneNumberId;
    counted: number;
    /** Of an account with `creationsPerMinute`, over all nodes: how many had not run out at the second, by the database's clock. */
    creations: Generated<number | null>;
    creations_at: Generated<EpochMs | null>;
  };
  /** The nodes of a cluster: see `NodeStore`. Times are the database's own. */
  nodes: {
    name: NodeName;
    installation: string;
    incarnation: number;
    media_url: string | null;
    webrtc_url: string | null;
    relay_url: string | null;
    version: string;
    ipc_version: number;
    journal_version: number;
    state: string;
    call_slots: number;
    calls: number;
    webrtc_slots: number;
    webrtc_calls: number;
    started_at: EpochMs;
    lease_until: EpochMs;
    /** Since then the lease was renewed without a gap. */
    renewed_since: EpochMs;
    /** The node that has taken the calls. */
    taken_by: NodeName | null;
  };
  /** Durable jobs. */
  jobs: {
    id: JobId;
    /** Null for the service's own. */
    account_id: AccountId | null;
    kind: string;
    lane: string;
    /** Kind and key while the job is live and has a key; unique. */
    live_key: string | null;
    /** JSON. */
    payload: string;
    status: string;
    /** The boot, and the time of its AgeClock at which a pending job is due, or the claim of a running one ends. */
    boot_id: string;
    due_age_ms: AgeMs;
    /** The time by the wall clock; decides after another boot. */
    due_at: EpochMs;
    deadline_at: EpochMs | null;
    attempts: number;
    /** How often its runner was lost. */
    losses: number;
    /** Who has claimed it; null unless it is running. */
    runner_id: string | null;
    /** JSON of a text. */
    last_error: string | null;
    /** JSON. */
    progress: string | null;
    created_at: EpochMs;
    died_at: EpochMs | null;
    /** The node of a cluster whose files it needs; null where any node can do it. */
    node: NodeName | null;
  };
  sealing_keys: { id: string; created_at: EpochMs };
  /** Requests of the nodes of a cluster to each other, with their answers. Only Postgres has any. */
  node_messages: {
    id: NodeMessageId;
    from_node: NodeName;
    to_node: NodeName;
    kind: string;
    /** Sealed JSON. */
    body: string;
    /** 1: one whose node has died at it is handled again. */
    is_repeatable: number;
    /** By the clock of the database, as `answered_at`. After it the message is not handled any more. */
    expires_at: EpochMs;
    /** The start of the node that handles it; null before. */
    taken_by: string | null;
    /** Sealed JSON; null before it was handled. */
    answer: string | null;
    answered_at: EpochMs | null;
  };
}
