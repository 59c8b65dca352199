import { createHash } from "node:crypto";
import type { Insertable } from "kysely";
import type { AccountId, CallId } from "../../../core/ids.ts";
import type { Tables } from "../tables.ts";

const HASH_BYTES = 16;

/**
 * The rows by which lists find a call: one for each top-level key of its metadata that has a text. Strings are their own
 * text, numbers and booleans have that of JSON, anything else has none.
 */
export function metadataRows(
  { callId, accountId }: { callId: CallId; accountId: AccountId },
  metadata: Readonly<Record<string, unknown>> = {},
): Insertable<Tables["call_metadata"]>[] {
  return Object.entries(metadata).flatMap(([key, value]) => {
    const text = textOf(value);
    return text === undefined ? [] : [{ call_id: callId, account_id: accountId, pair_hash: pairHash(key, text) }];
  });
}

/** The rows by which lists find a telephone call by its headers. */
export const headerRows = (
  { callId, accountId }: { callId: CallId; accountId: AccountId },
  headers: Readonly<Record<string, string>> = {},
): Insertable<Tables["call_metadata"]>[] =>
  Object.entries(headers).map(([name, value]) => ({
    call_id: callId,
    account_id: accountId,
    pair_hash: headerHash(name, value),
  }));

/** Stands for a header with its value, whose name is the same in any case, as `pairHash` does; it is never that of a pair of metadata. */
export const headerHash = (name: string, value: string): string => hashOf(["header", name.toLowerCase(), value]);

/**
 * Stands for a key with its text, in lower-case hex. An index holds hashes because databases limit the length of what an
 * index can hold, and not all can store every character.
 */
export const pairHash = (key: string, text: string): string => hashOf([key, text]);

const hashOf = (parts: readonly string[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest().subarray(0, HASH_BYTES).toString("hex");

function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? JSON.stringify(value) : undefined;
}
