import type { Kysely } from "kysely";
import { type EpochMs, elapsedMs } from "../../../core/clocks.ts";
import type { CallId, CarrierId } from "../../../core/ids.ts";
import { DUE_CALLS_READ_MAX } from "../../../core/limits/phone/phone-calls.ts";
import type { Tables } from "../tables.ts";

/** Carriers that one query asks for their due calls. */
const CARRIERS_PER_QUERY = 32;

interface DueCall {
  callId: CallId;
  carrierId: CarrierId;
  dueMs: EpochMs;
}

/** See `PhoneCallStore.due`. */
export async function dueCalls(db: Kysely<Tables>, nowMs: EpochMs, limit: number): Promise<readonly CallId[]> {
  // Each of these gives one call, before any gives two.
  const carriers = (await dueCarriers(db, nowMs)).slice(0, limit);
  const share = Math.min(limit, Math.ceil(DUE_CALLS_READ_MAX / Math.max(1, carriers.length)));
  const calls: (DueCall & { turn: number })[] = [];
  for (let asked = 0; asked < carriers.length; asked += CARRIERS_PER_QUERY) {
    const turns = new Map<CarrierId, number>();
    for (const call of await oldestOf(db, carriers.slice(asked, asked + CARRIERS_PER_QUERY), nowMs, share)) {
      const turn = turns.get(call.carrierId) ?? 0;
      turns.set(call.carrierId, turn + 1);
      calls.push({ ...call, turn });
    }
  }
  calls.sort((one, other) => one.turn - other.turn || byDue(one, other));
  return calls.slice(0, limit).map(({ callId }) => callId);
}

const byDue = (one: Pick<DueCall, "dueMs">, other: Pick<DueCall, "dueMs">): number => elapsedMs(other.dueMs, one.dueMs);

/** The carriers that have due calls, by their first ones. Each costs a few steps in an index, however many calls it has. */
async function dueCarriers(db: Kysely<Tables>, nowMs: EpochMs): Promise<readonly CarrierId[]> {
  const rows = await db
    .withRecursive("found(carrier_id)", (query) =>
      query
        .selectFrom("phone_calls")
        .select(({ fn }) =>
          fn.min<CarrierId | null, "phone_calls.carrier_id">("phone_calls.carrier_id").as("carrier_id"),
        )
        .where("phone_calls.due_at", "is not", null)
        .unionAll(
          query
            .selectFrom("found")
            .select((found) =>
              found
                .selectFrom("phone_calls")
                .select(({ fn }) =>
                  fn.min<CarrierId | null, "phone_calls.carrier_id">("phone_calls.carrier_id").as("next"),
                )
                .where("phone_calls.due_at", "is not", null)
                .whereRef("phone_calls.carrier_id", ">", "found.carrier_id")
                .as("carrier_id"),
            )
            .where("found.carrier_id", "is not", null),
        ),
    )
    .selectFrom("found")
    .select("found.carrier_id")
    .select((found) =>
      [1, 0].map((holdsSlot) =>
        found
          .selectFrom("phone_calls")
          .select(({ fn }) => fn.min("phone_calls.due_at").as("oldest"))
          .whereRef("phone_calls.carrier_id", "=", "found.carrier_id")
          .where("phone_calls.holds_slot", "=", holdsSlot)
          .where("phone_calls.due_at", "<=", nowMs)
          .as(holdsSlot === 1 ? "with_slot" : "waiting"),
      ),
    )
    .where("found.carrier_id", "is not", null)
    .execute();
  return rows
    .flatMap(({ carrier_id: carrierId, with_slot: withSlot, waiting }) => {
      const dueMs = withSlot ?? waiting;
      return carrierId === null || dueMs === null ? [] : [{ carrierId, dueMs }];
    })
    .sort(byDue)
    .map(({ carrierId }) => carrierId);
}

/** The first `share` due calls of each carrier, at most as many again: those that hold a slot, then those that wait. */
async function oldestOf(
  db: Kysely<Tables>,
  carriers: readonly CarrierId[],
  nowMs: EpochMs,
  share: number,
): Promise<readonly DueCall[]> {
  const queries = carriers.flatMap((carrierId) =>
    [1, 0].map((holdsSlot) => {
      const oldest = db
        .selectFrom("phone_calls")
        .select(["call_id", "carrier_id", "holds_slot", "due_at"])
        .where("carrier_id", "=", carrierId)
        .where("holds_slot", "=", holdsSlot)
        .where("due_at", "<=", nowMs)
        .orderBy("due_at")
        .orderBy("call_id")
        .limit(share);
      return db.selectFrom(oldest.as("oldest")).selectAll("oldest");
    }),
  );
  const rows = await queries.reduce((all, query) => all.unionAll(query)).execute();
  return rows
    .flatMap(({ call_id: callId, carrier_id: carrierId, holds_slot: holdsSlot, due_at: dueMs }) =>
      dueMs === null ? [] : [{ callId, carrierId, holdsSlot, dueMs }],
    )
    .sort((one, other) => other.holdsSlot - one.holdsSlot || byDue(one, other) || (one.callId < other.callId ? -1 : 1));
}
