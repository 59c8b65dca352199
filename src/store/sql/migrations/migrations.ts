import type { Migration } from "kysely";
import type { ColumnTypes } from "../database.ts";
import { addListFilters } from "./0014-list-filters.ts";
import { addJobs } from "./0015-jobs.ts";
import { addWebhooks } from "./0016-webhooks.ts";
import { addUnfinishedImports } from "./0017-unfinished-imports.ts";
import { addTranscripts } from "./0022-transcripts.ts";
import { addApiKeyScopes } from "./0023-api-keys.ts";
import { addAgentVersions } from "./0024-agent-versions.ts";
import { addMediaKeys } from "./0025-media-keys.ts";
import { addUsers } from "./0026-users.ts";
import { addPublishableKeys } from "./0027-publishable-keys.ts";
import { addAccountSettings } from "./0028-account-settings.ts";
import { addAccountSecrets } from "./0029-account-secrets.ts";
import { addStreamEvents } from "./0030-stream-events.ts";
import { addOwnerSecrets } from "./0031-owner-secrets.ts";
import { addCallNetwork } from "./0032-call-network.ts";
import { addAuditActors } from "./0033-audit-actors.ts";
import { addTelephony } from "./0034-telephony.ts";
import { addPhoneCallsOver } from "./0035-phone-calls-over.ts";
import { addPhoneCallsDue } from "./0036-phone-calls-due.ts";
import { addTranscriptions } from "./0037-transcriptions.ts";
import { addTranscriptionPartProviders } from "./0038-transcription-part-providers.ts";
import { addTools } from "./0039-tools.ts";
import { addCorpora } from "./0040-corpora.ts";
import { addTurnPassages } from "./0041-turn-passages.ts";
import { addRedactionAndAnalysis } from "./0042-redaction-and-analysis.ts";
import { addHeaderPairs } from "./0044-header-pairs.ts";
import { addNodes } from "./0045-nodes.ts";
import { addNodeMessages } from "./0046-node-messages.ts";
import { addBucketClaims } from "./0047-bucket-claims.ts";
import { addLimitsOfNodes } from "./0048-limits-of-nodes.ts";
import { addTurnsWithPassages } from "./0049-turns-with-passages.ts";
import { addFailedAttempts } from "./0050-failed-attempts.ts";
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
  "0017-unfinished-imports": { up: addUnfinishedImports },
  "0022-transcripts": { up: addTranscripts },
  "0023-api-keys": { up: (db) => addApiKeyScopes(db, types) },
  "0024-agent-versions": { up: (db) => addAgentVersions(db, types) },
  "0025-media-keys": { up: (db) => addMediaKeys(db, types) },
  "0026-users": { up: (db) => addUsers(db, types) },
  "0027-publishable-keys": { up: (db) => addPublishableKeys(db, types) },
  "0028-account-settings": { up: (db) => addAccountSettings(db, types) },
  "0029-account-secrets": { up: (db) => addAccountSecrets(db, types) },
  "0030-stream-events": { up: (db) => addStreamEvents(db, types) },
  "0031-owner-secrets": { up: (db) => addOwnerSecrets(db, types) },
  "0032-call-network": { up: addCallNetwork },
  "0033-audit-actors": { up: addAuditActors },
  "0034-telephony": { up: (db) => addTelephony(db, types) },
  "0035-phone-calls-over": { up: addPhoneCallsOver },
  "0036-phone-calls-due": { up: addPhoneCallsDue },
  "0037-transcriptions": { up: (db) => addTranscriptions(db, types) },
  "0038-transcription-part-providers": { up: addTranscriptionPartProviders },
  "0039-tools": { up: (db) => addTools(db, types) },
  "0040-corpora": { up: (db) => addCorpora(db, types) },
  "0041-turn-passages": { up: addTurnPassages },
  "0042-redaction-and-analysis": { up: addRedactionAndAnalysis },
  "0044-header-pairs": { up: addHeaderPairs },
  "0045-nodes": { up: (db) => addNodes(db, types) },
  "0046-node-messages": { up: (db) => addNodeMessages(db, types) },
  "0047-bucket-claims": { up: addBucketClaims },
  "0048-limits-of-nodes": { up: (db) => addLimitsOfNodes(db, types) },
  "0049-turns-with-passages": { up: addTurnsWithPassages },
  "0050-failed-attempts": { up: addFailedAttempts },
});
