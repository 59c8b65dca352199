import type { SqlAudit } from "./accounts/audit.ts";
import type { ChangeLogPurge } from "./change-log-purge.ts";
import type { SqlJobs } from "./job-queue/jobs.ts";
import type { SqlEvents } from "./webhooks/events.ts";

/** What stores write in their transactions besides their own tables, and what follows a deletion. */
export interface SideEffects {
  jobs: SqlJobs;
  events: SqlEvents;
  audit: SqlAudit;
  changeLog: ChangeLogPurge;
}
