import { setImmediate as nextTurn } from "node:timers/promises";
import { z } from "zod";
import { LIST_BYTES_MAX } from "../../../core/limits/control-api/api.ts";
import { invalidRequest } from "../errors.ts";
import { problem } from "../requests/validation.ts";
import { idOf } from "./cursor.ts";

/** The response of every list. */
export const pageSchema = <Item extends z.ZodType>(item: Item, description: string) =>
  z.object({ data: z.array(item), nextCursor: z.string().nullable() }).meta({ description });

export interface Page<Item> {
  items: Item[];
  /** Whether more items follow. */
  more: boolean;
}

/**
 * A page of at most `limit` items and LIST_BYTES_MAX bytes of JSON; an item larger than that has a page of its own. `read` gets
 * the items of the page so far and reads at most `perRead` more: it never reads much more than the page can hold, and other
 * requests run between two reads.
 */
export async function pageOf<Item>(
  limit: number,
  perRead: number,
  read: (before: readonly Item[], count: number) => Promise<Page<Item>>,
): Promise<Page<Item>> {
  const items: Item[] = [];
  let bytes = 0;
  for (;;) {
    const found = await read(items, Math.min(perRead, limit - items.length));
    for (const item of found.items) {
      bytes += Buffer.byteLength(JSON.stringify(item));
      if (bytes > LIST_BYTES_MAX && items.length > 0) return { items, more: true };
      items.push(item);
    }
    if (!found.more || items.length === limit) return { items, more: found.more };
    await nextTurn();
  }
}

/** The number of items before the next page, from the cursor of a list whose items have no ids. Throws ApiError `invalid_request`. */
export function offsetOf(cursor: string, list: readonly unknown[]): number {
  const number = idOf(cursor, list);
  if (/^\d{1,15}$/.test(number)) return Number(number);
  throw invalidRequest([problem(["cursor"], "must be the nextCursor of this list", cursor)]);
}
