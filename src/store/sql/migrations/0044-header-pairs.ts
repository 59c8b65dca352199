import type { Kysely } from "kysely";
import type { CallId } from "../../../core/ids.ts";
import { headerRows } from "../calls/metadata.ts";
import type { Tables } from "../tables.ts";

const ROWS_PER_BATCH = 500;

/** Lists find the telephone calls that there are by their headers. In batches, because those of all calls may not fit into memory. */
export async function addHeaderPairs(db: Kysely<Tables>): Promise<void> {
  for (let after = "" as CallId; ; ) {
    const calls = await db
      .selectFrom("calls")
      .select(["id", "account_id", "phone_headers"])
      .where("id", ">", after)
      .where("phone_headers", "is not", null)
      .orderBy("id")
      .limit(ROWS_PER_BATCH)
      .execute();
    const pairs = calls.flatMap(({ id, account_id: accountId, phone_headers: text }) =>
      headerRows({ callId: id, accountId }, JSON.parse(text ?? "{}")),
    );
    if (pairs.length > 0)
      await db
        .insertInto("call_metadata")
        .values(pairs)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    const last = calls.at(-1)?.id;
    if (last === undefined || calls.length < ROWS_PER_BATCH) return;
    after = last;
  }
}
