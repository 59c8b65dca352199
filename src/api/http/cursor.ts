import { createHash } from "node:crypto";
import { canonicalJson } from "../../core/canonical-json.ts";
import { LIST_ITEMS_DEFAULT, LIST_ITEMS_MAX } from "../../core/limits/api.ts";
import { invalidRequest } from "./errors.ts";
import { pageParameters } from "./query.ts";
import { problem } from "./validation.ts";

/** The query parameters of a list of things that the account has made. */
export const pageFields = pageParameters(LIST_ITEMS_DEFAULT, LIST_ITEMS_MAX);

/** Of a SHA-256: enough that no cursor of another list passes by chance. */
const DIGEST_BYTES = 12;

/**
 * Where a list goes on: behind the item with this id. `list` is all that makes it this list and no other (its name, the
 * account, the filters), so that the cursor fits no other one. It is opaque to clients, but no secret: the digest keeps
 * mistakes out, and what an account may see is never asked of a cursor.
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
    problem(["cursor"], "must be the nextCursor of this list, asked for with the same filters", cursor),
  ]);
}
