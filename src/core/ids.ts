/**
 * The ids of the service. At run time an id is a plain string or number, and it can be used as one. To the compiler it
 * has a kind: neither a string nor an id of another kind is accepted in its place, so two ids in one signature cannot
 * be exchanged by mistake.
 */
declare const idName: unique symbol;

/** A text that identifies one thing of the kind `Name`. */
export type Id<Name extends string> = string & { readonly [idName]: Name };

/** `call_...`: a call, from its creation on; also the name of its journal. */
export type CallId = Id<"CallId">;
/** `account_...`: an account; in calls and agents, their owner. */
export type AccountId = Id<"AccountId">;
/** `agent_...`: a saved agent. */
export type AgentId = Id<"AgentId">;
/** `key_...`: an API key. It is no secret. */
export type ApiKeyId = Id<"ApiKeyId">;
/** `user_...`: a person of an account, who signs in. */
export type UserId = Id<"UserId">;
/** `credential_...` or `tool_secret_...`: a secret that an account brought along. */
export type AccountSecretId = Id<"AccountSecretId">;
/** `carrier_...`: an account at a carrier, with its credentials. */
export type CarrierId = Id<"CarrierId">;
/** `number_...`: a telephone number of an account. */
export type PhoneNumberId = Id<"PhoneNumberId">;
/** `publishable_key_...`: a publishable key, by which web pages start calls. It is not its text. */
export type PublishableKeyId = Id<"PublishableKeyId">;
/** `transcription_...`: a transcription of a file or of a live stream. */
export type TranscriptionId = Id<"TranscriptionId">;
/** `cor_...`: a corpus, the documents that an agent answers from. */
export type CorpusId = Id<"CorpusId">;
/** `doc_...`: a document of a corpus. */
export type DocumentId = Id<"DocumentId">;
/** `tool_...`: a saved tool. */
export type ToolId = Id<"ToolId">;
/** `tool_run_...`: one run of a saved tool. */
export type ToolRunId = Id<"ToolRunId">;
/** `job_...`: a durable job. */
export type JobId = Id<"JobId">;
/** `webhook_...`: where an account has events sent. */
export type WebhookId = Id<"WebhookId">;
/** `event_...`: a fact that webhooks deliver. */
export type EventId = Id<"EventId">;
/** `delivery_...`: one event for one webhook. */
export type DeliveryId = Id<"DeliveryId">;
/** `audit_...`: an event of the audit log. */
export type AuditEventId = Id<"AuditEventId">;
/** `message_...`: a request of one node of a cluster to another. */
export type NodeMessageId = Id<"NodeMessageId">;
/** One start of a media worker. */
export type WorkerId = Id<"WorkerId">;
/** The name of a node of a cluster, `NODE_NAME`. */
export type NodeName = Id<"NodeName">;
/** The id that the call gives to one tool call of the LLM; the provider has its own (`ToolCall.providerCallId`). */
export type ToolCallId = Id<"ToolCallId">;
/** A carrier's own id of a call, verbatim: any text that the carrier sent. */
export type CarrierCallId = Id<"CarrierCallId">;

/**
 * The number of one of the agent's turns within its call: 1, 2, ... The transcript that clients get has turns of both
 * sides and numbers them separately.
 */
export type TurnId = number & { readonly [idName]: "TurnId" };

const as = (id: unknown): unknown => id;

/*
 * Only for borders, where the compiler cannot know what a text identifies: cursors, command lines, carriers' messages,
 * journals. The format is not checked; lookups fail for an unknown id.
 */
export const asCallId = as as (text: string) => CallId;
export const asAccountId = as as (text: string) => AccountId;
export const asTranscriptionId = as as (text: string) => TranscriptionId;
export const asCorpusId = as as (text: string) => CorpusId;
export const asDocumentId = as as (text: string) => DocumentId;
export const asAccountSecretId = as as (text: string) => AccountSecretId;
export const asCarrierId = as as (text: string) => CarrierId;
export const asPhoneNumberId = as as (text: string) => PhoneNumberId;
export const asAgentId = as as (text: string) => AgentId;
export const asApiKeyId = as as (text: string) => ApiKeyId;
export const asUserId = as as (text: string) => UserId;
export const asPublishableKeyId = as as (text: string) => PublishableKeyId;
export const asToolId = as as (text: string) => ToolId;
export const asToolRunId = as as (text: string) => ToolRunId;
export const asJobId = as as (text: string) => JobId;
export const asWebhookId = as as (text: string) => WebhookId;
export const asDeliveryId = as as (text: string) => DeliveryId;
export const asAuditEventId = as as (text: string) => AuditEventId;
export const asWorkerId = as as (text: string) => WorkerId;
export const asNodeName = as as (text: string) => NodeName;
export const asCarrierCallId = as as (text: string) => CarrierCallId;
export const asToolCallId = as as (text: string) => ToolCallId;
/** The transcription whose call this is: a live one, which has its transcription's id. Undefined for a conversation. */
export const liveTranscriptionOf = (callId: CallId): TranscriptionId | undefined =>
  callId.startsWith("transcription_") ? asTranscriptionId(callId) : undefined;
export const asTurnId = as as (count: number) => TurnId;

/** In place of a turn's number, in frames of hold audio and of DTMF tones: they are of no reply. */
export const NO_REPLY_TURN_ID = asTurnId(0);
