import type { Kysely } from "kysely";
import type { AgeMs } from "../../../core/clocks.ts";
import type { Tables } from "../tables.ts";

/** The lane of pending jobs, and when its oldest one is due. */
export interface LaneOfJobs {
  lane: string;
  dueMs: AgeMs;
}

/** The lanes that have pending jobs. Each costs two steps in an index, however many jobs it has. */
export async function pendingLanes(db: Kysely<Tables>, bootId: string): Promise<readonly LaneOfJobs[]> {
  const rows = await db
    .withRecursive("lanes(lane)", (query) =>
      query
        .selectFrom("jobs")
        .select(({ fn }) => fn.min<string | null, "jobs.lane">("jobs.lane").as("lane"))
        .where("jobs.status", "=", "pending")
        .where("jobs.boot_id", "=", bootId)
        .unionAll(
          query
            .selectFrom("lanes")
            .select((lanes) =>
              lanes
                .selectFrom("jobs")
                .select(({ fn }) => fn.min<string | null, "jobs.lane">("jobs.lane").as("next"))
                .where("jobs.status", "=", "pending")
                .where("jobs.boot_id", "=", bootId)
                .whereRef("jobs.lane", ">", "lanes.lane")
                .as("lane"),
            )
            .where("lanes.lane", "is not", null),
        ),
    )
    .selectFrom("lanes")
    .select("lanes.lane")
    .select((lanes) =>
      lanes
        .selectFrom("jobs")
        .select(({ fn }) => fn.min("jobs.due_age_ms").as("oldest"))
        .where("jobs.status", "=", "pending")
        .where("jobs.boot_id", "=", bootId)
        .whereRef("jobs.lane", "=", "lanes.lane")
        .as("due_age_ms"),
    )
    .where("lanes.lane", "is not", null)
    .execute();
  return rows.flatMap(({ lane, due_age_ms: dueMs }) => (lane === null || dueMs === null ? [] : [{ lane, dueMs }]));
}
