import { createHash } from "node:crypto";
import { canonicalJson } from "../../../core/canonical-json.ts";
import { LIST_ITEMS_DEFAULT, LIST_ITEMS_MAX } from "../../../core/limits/control-api/api.ts";
import { invalidRequest } from "../errors.ts";
import { pageParameters } from "../requests/query.ts";
import { problem } from "../requests/validation.ts";

/** The query parameters of the account's lists. */
export const pageFields = pageParameters(LIST_ITEMS_DEFAULT, LIST_ITEMS_MAX);

/** Bytes of a SHA-256: enough that a cursor of another list does not match by chance. */
const DIGEST_BYTES = 12;

/**
 * The position in a list after the item with this id. `list` holds everything that identifies the list (its name, the account,
 * the filters), so that the cursor is valid for no other list. The cursor is opaque to clients, but not secret: the digest only
 * detects mistakes, and a cursor never decides what an account may see.
 */
export function cursorOf(id: string, list: readonly unknown[]): string {
  const digest = createHash("sha256")
    .update(canonicalJson([list, id]))
    .digest();
  return Buffer.concat([digest.subarray(0, DIGEST_BYTES), Buffer.from(id)]).toString("base64url");
}

/** The id in a cursor of this list. Throws ApiError `invalid_request` for any other text. */
export function idOf(cursor: string, list: readonly unknown[]): string {
  const id = Buffer.from(cursor, "base64url").subarray(DIGEST_BYTES).toString();
  if (cursorOf(id, list) === cursor) return id;
  throw invalidRequest([
    problem(["cursor"], "must be the nextCursor of this list, requested with the same filters", cursor),
  ]);
}
