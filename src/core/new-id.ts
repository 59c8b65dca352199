import { v5 as uuidv5, v7 as uuidv7 } from "uuid";
import { type EpochMs, epochMs } from "./clocks.ts";
import type {
  AccountId,
  AccountSecretId,
  AgentId,
  ApiKeyId,
  AuditEventId,
  CallId,
  CarrierId,
  CorpusId,
  DeliveryId,
  DocumentId,
  EventId,
  JobId,
  NodeMessageId,
  PhoneNumberId,
  PublishableKeyId,
  ToolId,
  ToolRunId,
  TranscriptionId,
  UserId,
  WebhookId,
} from "./ids.ts";

/** The kinds of new ids, by their prefix; it makes an id readable in a log line. */
interface IdByPrefix {
  account: AccountId;
  call: CallId;
  agent: AgentId;
  key: ApiKeyId;
  user: UserId;
  credential: AccountSecretId;
  tool: ToolId;
  tool_run: ToolRunId;
  tool_secret: AccountSecretId;
  carrier: CarrierId;
  number: PhoneNumberId;
  publishable_key: PublishableKeyId;
  transcription: TranscriptionId;
  cor: CorpusId;
  doc: DocumentId;
  job: JobId;
  webhook: WebhookId;
  delivery: DeliveryId;
  audit: AuditEventId;
  message: NodeMessageId;
  /** A request, for log lines and error bodies. */
  req: string;
}

/** A new id: a prefix and a UUIDv7, so that ids sort by creation time. */
export const newId = <Prefix extends keyof IdByPrefix>(prefix: Prefix): IdByPrefix[Prefix] =>
  `${prefix}_${uuidv7()}` as IdByPrefix[Prefix];

/** When an id was made by `newId`; undefined for any other text. */
export function createdAtMsOf(id: string): EpochMs | undefined {
  const [, high, low] = /_([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/.exec(id) ?? [];
  return high === undefined || low === undefined ? undefined : epochMs(Number.parseInt(high + low, 16));
}

/** The namespace of the ids of events (RFC 9562, section 6.6): a random UUID that must never change. */
const EVENT_NAMESPACE = "1e48dba8-0ce6-45ce-b85f-92ce3c74c0b8";

/**
 * The id of an event, from the name of its fact: a database that was restored from a backup, and learns of the fact again,
 * gives it the same id. A UUIDv5 (RFC 9562, section 5.5).
 */
export const eventIdOf = (factName: string): EventId => `event_${uuidv5(factName, EVENT_NAMESPACE)}` as EventId;
