import { v7 as uuidv7 } from "uuid";
import type { AccountId, AgentId, ApiKeyId, CallId, DeliveryId, EventId, JobId, WebhookId } from "./ids.ts";

/** The kinds of new ids, by their prefix; it makes an id readable in a log line. */
interface IdByPrefix {
  account: AccountId;
  call: CallId;
  agent: AgentId;
  key: ApiKeyId;
  job: JobId;
  webhook: WebhookId;
  event: EventId;
  delivery: DeliveryId;
  /** A request, for log lines and error bodies. */
  req: string;
}

/** A new id: a prefix and a UUIDv7, so that ids sort by creation time. */
export const newId = <Prefix extends keyof IdByPrefix>(prefix: Prefix): IdByPrefix[Prefix] =>
  `${prefix}_${uuidv7()}` as IdByPrefix[Prefix];
