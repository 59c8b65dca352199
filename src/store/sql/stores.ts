import { DEFAULT_MIGRATION_TABLE, type Kysely, Migrator, sql } from "kysely";
import { TrunklineError } from "../../core/errors.ts";
import type { CallId, DeliveryId } from "../../core/ids.ts";
import { ANALYSIS_JOB, DELIVERY_JOB, DOCUMENT_JOB, RENDER_JOB, TRANSCRIPTION_JOB } from "../job-kinds.ts";
import type { SchemaOptions, Stores } from "../stores.ts";
import { SqlAccountSecrets } from "./accounts/account-secrets.ts";
import { SqlAccounts } from "./accounts/accounts.ts";
import { SqlApiKeys } from "./accounts/api-keys.ts";
import { SqlAudit } from "./accounts/audit.ts";
import { SqlOwnerLinks } from "./accounts/owner-links.ts";
import { SqlPublishableKeys } from "./accounts/publishable-keys.ts";
import { SqlAgents } from "./agents/agents.ts";
import { SqlBucketClaims } from "./bucket-claims.ts";
import { abandonAnalysis, resumeAnalysis, SqlAnalyses } from "./calls/analyses.ts";
import { SqlCalls } from "./calls/calls.ts";
import { clearRecordingFailure, markRecordingFailed } from "./calls/recordings.ts";
import { SqlUsage } from "./calls/usage.ts";
import { ChangeLogPurge } from "./change-log-purge.ts";
import { SqlNodes } from "./cluster/nodes.ts";
import { SqlCorpora } from "./corpora/corpora.ts";
import { SqlDocuments } from "./corpora/documents.ts";
import type { SqlDatabase } from "./database.ts";
import { SqlEpochs } from "./epochs.ts";
import { SqlJobs } from "./job-queue/jobs.ts";
import { SqlMediaKeys } from "./media-keys.ts";
import { migrationsFor } from "./migrations/migrations.ts";
import { SqlRedemptions } from "./redemptions/redemptions.ts";
import { SqlRetention } from "./retention.ts";
import type { SqlStoreOptions } from "./store-options.ts";
import type { Tables } from "./tables.ts";
import { SqlCarriers } from "./telephony/carriers.ts";
import { SqlInboundWebhooks } from "./telephony/inbound-webhooks.ts";
import { SqlPhoneCalls } from "./telephony/phone-calls.ts";
import { SqlPhoneNumbers } from "./telephony/phone-numbers.ts";
import { SqlTools } from "./tools/tools.ts";
import { SqlTranscriptions } from "./transcriptions/transcriptions.ts";
import { SqlTransfer, unfinishedImport } from "./transfer.ts";
import { SqlSessions } from "./users/sessions.ts";
import { SqlUsers } from "./users/users.ts";
import { failDelivery, resumeDelivery } from "./webhooks/deliveries.ts";
import { SqlEventStreams } from "./webhooks/event-streams.ts";
import { SqlEvents } from "./webhooks/events.ts";
import { forgetLostSecrets } from "./webhooks/lost-secrets.ts";
import { SqlWebhooks } from "./webhooks/webhooks.ts";

/**
 * Brings the schema of a database up to date, or with `migrates: false` checks that it is. Awaits `onMigration` before and
 * after, if there is anything to do. Rejects with `bad_configuration` when the schema is newer than this program, when it
 * is older and must not be changed, and when an import was interrupted; and with the database's errors.
 */
export async function migrate(
  { db, columnTypes }: SqlDatabase,
  { migrates = true, onMigration, acceptsUnfinishedImport = false }: SchemaOptions = {},
): Promise<void> {
  const known = Object.keys(migrationsFor(columnTypes));
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrationsFor(columnTypes) } });
  const migrations = await migrator.getMigrations();
  const missing = migrations.filter(({ executedAt }) => executedAt === undefined).map(({ name }) => name);
  if (migrates || missing.length === known.length) {
    if (missing.length > 0) await onMigration?.(false);
    const { error } = await migrator.migrateToLatest();
    if (error !== undefined) throw (await newerSchema(db, known)) ?? error;
    if (missing.length > 0) await onMigration?.(true);
  } else {
    const problem = (await newerSchema(db, known)) ?? (missing.length > 0 ? olderSchema(missing) : undefined);
    if (problem !== undefined) throw problem;
  }
  if (!acceptsUnfinishedImport && (await unfinishedImport(db)) !== undefined) throw interruptedImport();
}

const olderSchema = (missing: readonly string[]): TrunklineError =>
  new TrunklineError(
    "bad_configuration",
    "caller",
    `the database has the schema of an earlier version (without ${missing.join(", ")}), and nothing was changed: ` +
      "use the commands of the version that runs, or start the service of this version first",
  );

const interruptedImport = (): TrunklineError =>
  new TrunklineError(
    "bad_configuration",
    "caller",
    "the database is half filled, because an import or a restore was interrupted: run that command again, " +
      "or use a new database",
  );

/** Why a schema cannot be used that this program does not know; undefined where it knows all of it. */
async function newerSchema(db: Kysely<Tables>, known: readonly string[]): Promise<TrunklineError | undefined> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === DEFAULT_MIGRATION_TABLE)) return undefined;
  const table = sql.table(DEFAULT_MIGRATION_TABLE);
  const { rows } = await sql<{ name: string }>`SELECT name FROM ${table} ORDER BY name`.execute(db);
  const unknown = rows.map(({ name }) => name).filter((name) => !known.includes(name));
  if (unknown.length === 0) return undefined;
  const what = `the database has the schema of a later version (${unknown.join(", ")}), and nothing was changed`;
  return new TrunklineError(
    "bad_configuration",
    "caller",
    `${what}: start that version, or restore a backup from before it`,
  );
}

/** The stores of a migrated database. */
export function sqlStores(
  database: SqlDatabase,
  { clock, age, ...ofRedemptions }: SqlStoreOptions,
): Omit<Stores, "isDatabaseLost" | "onServerChanged"> {
  const { db } = database;
  const { holderOf } = ofRedemptions;
  const jobs = new SqlJobs(database, clock, age, ofRedemptions);
  const events = new SqlEvents(database, clock, jobs);
  const audit = new SqlAudit(db, clock);
  const sideEffects = { jobs, events, audit, changeLog: new ChangeLogPurge(database) };
  const transcriptions = new SqlTranscriptions(database, clock, age, sideEffects);
  jobs.follow(TRANSCRIPTION_JOB, transcriptions.follower);
  const documents = new SqlDocuments(database, clock, age, sideEffects);
  jobs.follow(DOCUMENT_JOB, documents.follower);
  const calls = new SqlCalls(database, clock, age, sideEffects, transcriptions, holderOf);
  const phoneNumbers = new SqlPhoneNumbers(database, clock, audit);
  const deliveryOf = (payload: unknown) => (payload as { deliveryId: DeliveryId }).deliveryId;
  jobs.follow(DELIVERY_JOB, {
    async abandoned(tx, payload) {
      await failDelivery(tx, deliveryOf(payload));
      return undefined;
    },
    replayed: (tx, payload) => resumeDelivery(tx, deliveryOf(payload)),
  });
  jobs.follow(RENDER_JOB, {
    async abandoned(tx, payload) {
      await markRecordingFailed(tx, (payload as { callId: CallId }).callId);
      return undefined;
    },
    replayed: (tx, payload) => clearRecordingFailure(tx, (payload as { callId: CallId }).callId),
  });
  jobs.follow(ANALYSIS_JOB, {
    async abandoned(tx, payload) {
      await abandonAnalysis(tx, (payload as { callId: CallId }).callId);
      return undefined;
    },
    replayed: (tx, payload) => resumeAnalysis(tx, (payload as { callId: CallId }).callId),
  });
  return {
    accounts: new SqlAccounts(database, clock, audit),
    apiKeys: new SqlApiKeys(database, clock, audit),
    users: new SqlUsers(database, clock, audit),
    sessions: new SqlSessions(database, clock, audit),
    ownerLinks: new SqlOwnerLinks(database, clock, audit),
    publishableKeys: new SqlPublishableKeys(database, clock, audit),
    agents: new SqlAgents(database, clock, audit),
    audit,
    calls,
    analyses: new SqlAnalyses(database, sideEffects),
    redemptions: new SqlRedemptions(database, { clock, age, ...ofRedemptions }),
    phoneCalls: new SqlPhoneCalls(database, clock, age, sideEffects, (event) => calls.emit(event), holderOf),
    phoneNumbers,
    transcriptions,
    corpora: new SqlCorpora(database, clock, sideEffects),
    documents,
    tools: new SqlTools(database, clock, sideEffects),
    usage: new SqlUsage(db),
    retention: new SqlRetention(database, clock, sideEffects),
    epochs: new SqlEpochs(db),
    nodes: new SqlNodes(database, age),
    bucketClaims: new SqlBucketClaims(db),
    eventStreams: new SqlEventStreams(database, clock),
    transfer: new SqlTransfer(database),
    jobs,
    openWebhooks: (keys) => new SqlWebhooks(database, clock, keys, sideEffects),
    openAccountSecrets: (keys) => new SqlAccountSecrets(database, clock, keys, audit),
    openCarriers: (keys) => new SqlCarriers(database, clock, keys, audit),
    openInboundWebhooks: (keys) => new SqlInboundWebhooks(database, clock, keys, phoneNumbers),
    openMediaKeys: (keys) => new SqlMediaKeys(database, clock, keys),
    sealingKeyIds: () => sealingKeyIds(db),
    forgetLostSecrets: (keys, dryRun) => forgetLostSecrets(database, { keys, dryRun, clock, events }),
    close: () => db.destroy(),
  };
}

/** The keys that have sealed something in this database. */
async function sealingKeyIds(db: Kysely<Tables>): Promise<readonly string[]> {
  const rows = await db.selectFrom("sealing_keys").select("id").orderBy("id").execute();
  return rows.map(({ id }) => id);
}
