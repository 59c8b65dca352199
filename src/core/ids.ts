import { v7 as uuidv7 } from "uuid";

/**
 * The ids of the service. An id is a plain string at run time, and text that takes a string takes it as it is. The
 * reverse does not compile, nor does an id in the place of another: two arguments of one function cannot be exchanged
 * by mistake.
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

const as = (text: string): unknown => text;

/*
 * For the borders only: route parameters, cursors, command lines and journals of which the type checker cannot know
 * what their texts are. Nothing is checked; an unknown id is not found later.
 */
export const asCallId = as as (text: string) => CallId;
export const asAccountId = as as (text: string) => AccountId;
export const asAgentId = as as (text: string) => AgentId;
export const asApiKeyId = as as (text: string) => ApiKeyId;

/** The kinds of new ids, by their prefix; it makes an id readable in a log line. */
interface IdByPrefix {
  account: AccountId;
  call: CallId;
  agent: AgentId;
  key: ApiKeyId;
  /** A request, for log lines and error bodies. */
  req: string;
}

/** A new id: a prefix and a UUIDv7, so that ids sort by creation time. */
export const newId = <Prefix extends keyof IdByPrefix>(prefix: Prefix): IdByPrefix[Prefix] =>
  as(`${prefix}_${uuidv7()}`) as IdByPrefix[Prefix];
