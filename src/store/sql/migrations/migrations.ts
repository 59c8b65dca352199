import type { Migration } from "kysely";
import type { ColumnTypes } from "../database.ts";
import { addListFilters } from "./0014-list-filters.ts";
import { addJobs } from "./0015-jobs.ts";
import { addWebhooks } from "./0016-webhooks.ts";
import { initialMigrations } from "./initial.ts";

/**
 * All changes of the schema, by name, in order, for a database with these column types. A released one is never edited,
 * because databases with its results exist. The previous version of the service may run beside a migrated database, so a
 * migration only adds: a column is renamed or removed in two releases.
 */
export const migrationsFor = (types: ColumnTypes): Record<string, Migration> => ({
  ...initialMigrations(types),
  "0014-list-filters": { up: addListFilters },
  "0015-jobs": { up: (db) => addJobs(db, types) },
  "0016-webhooks": { up: (db) => addWebhooks(db, types) },
});
