import { v7 as uuidv7 } from "uuid";

/** The kinds of ids; the prefix makes an id readable in a log line. */
export type IdPrefix = "account" | "call" | "agent" | "key" | "req";

/** A new id: a prefix and a UUIDv7, so that ids sort by creation time. */
export const newId = (prefix: IdPrefix): string => `${prefix}_${uuidv7()}`;
