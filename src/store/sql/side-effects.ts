import type { SqlAudit } from "./accounts/audit.ts";
import type { SqlJobs } from "./jobs.ts";
import type { SqlEvents } from "./webhooks/events.ts";

/** What stores write in their transactions besides their own tables. */
export interface SideEffects {
  jobs: SqlJobs;
  events: SqlEvents;
  audit: SqlAudit;
}
