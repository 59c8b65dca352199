import { join } from "node:path";
import { CONNECTION_TYPES } from "../../carriers/list.ts";
import { type Config, readConfig } from "../../config/config.ts";
import type { AgeClock } from "../../core/age-clock.ts";
import type { Clock } from "../../core/clock.ts";
import type { MediaKey } from "../../core/encryption/chunks.ts";
import type { CallId } from "../../core/ids.ts";
import { DATA_DIR_WAIT_MS_MAX } from "../../core/limits/storage/storage.ts";
import { createLogger, type Logger } from "../../core/log/logger.ts";
import { ControlMetrics } from "../../core/metrics/control-metrics.ts";
import { collectProcessMetrics } from "../../core/metrics/process-metrics.ts";
import { GuardedHttp } from "../../core/network/guarded-http.ts";
import { journalDirectory } from "../../record/journal/reader.ts";
import { AccountSpendTotals } from "../../store/admission/account-spend.ts";
import { followCalls } from "../../store/admission/call-admission.ts";
import { Capacity } from "../../store/admission/capacity.ts";
import { countCalls } from "../../store/calls/call-metrics.ts";
import type { NodeHolder } from "../../store/cluster/node-store.ts";
import { monitorDatabase } from "../../store/data-dir/database-monitor.ts";
import { DiskSpace } from "../../store/data-dir/disk-space.ts";
import { documentFolder } from "../../store/data-dir/document-files.ts";
import { TokenSigner } from "../../store/data-dir/token-signer.ts";
import { transcriptionFolder } from "../../store/data-dir/transcription-audio.ts";
import type { HandoffThreadClient } from "../../store/handoff/thread-client.ts";
import { openStores, type StorePlace } from "../../store/open-stores.ts";
import type { Keyring } from "../../store/sealing/seal.ts";
import { openSecretsKeys } from "../../store/sealing/secrets-key.ts";
import { SharedTokenSigner } from "../../store/sealing/shared-token-keys.ts";
import { lockDataDirWithin } from "../../store/sqlite/database/data-dir-lock.ts";
import type { Stores } from "../../store/stores.ts";
import { sendToSupervisor } from "../channel/child-side.ts";
import type { ChildAssignment } from "../channel/protocol.ts";
import { assertAlone, ClusterMember } from "./cluster.ts";
import { openStoresWhenAvailable } from "./storage/store-opening.ts";

/** What the supervisor and the machine give the control process. */
export interface ProcessParts {
  assignment: ChildAssignment;
  /** The thread that the workers are connected to. */
  handoff: HandoffThreadClient;
  clock: Clock;
  ageClock: AgeClock;
}

/** The database of the control process, opened in the data directory that it has locked. */
interface OpenDatabase extends ProcessParts {
  config: Config;
  log: Logger;
  metrics: ControlMetrics;
  place: StorePlace;
  stores: Stores;
  /** The number of this start. Calls with a lower one were redeemed before it. */
  epoch: number;
  keys: Keyring;
  /** This node; undefined in a service that is alone on its database. */
  cluster: ClusterMember | undefined;
}

/** What all parts of the control process use: its settings, its database, its keys, the workers, the calls that have a slot. */
export interface Foundation extends OpenDatabase, SealedStores {
  signer: Pick<TokenSigner, "mint" | "accepted">;
  disk: DiskSpace;
  capacity: Capacity;
  accountTotals: AccountSpendTotals;
  /** For requests to addresses that customers choose. */
  guardedHttp: GuardedHttp;
  findMediaKey: (callId: CallId) => Promise<MediaKey | undefined>;
}

/** The stores whose secrets are sealed with the keys of the service. */
type SealedStores = ReturnType<typeof openSealedStores>;

const openSealedStores = (stores: Stores, keys: Keyring) => ({
  webhooks: stores.openWebhooks(keys),
  mediaKeys: stores.openMediaKeys(keys),
  accountSecrets: stores.openAccountSecrets(keys),
  carriers: stores.openCarriers(keys),
  inboundWebhooks: stores.openInboundWebhooks(keys),
});

/**
 * Opens the data directory and the database, joins the cluster, and watches the disk, the database, the token keys and the calls that have
 * slots from then on. Waits for a database that cannot be reached. Rejects as `lockDataDirWithin`, `openStores` and `ClusterMember.join` do.
 */
export async function openFoundation(parts: ProcessParts): Promise<Foundation> {
  const database = await openDatabase(parts);
  const { config, stores, keys, cluster, handoff, clock, log } = database;
  const { dataDir } = config;
  const sealed = openSealedStores(stores, keys);
  const signer =
    cluster === undefined
      ? new TokenSigner({ dataDir, clock, log, onKeys: (tokenKeys) => handoff.setTokenKeys(tokenKeys) })
      : new SharedTokenSigner(keys);
  if (config.encryptMedia && config.secretsKey === undefined)
    log.warn("encrypted media and the key that opens them are both in DATA_DIR: set SECRETS_KEY");
  return {
    ...database,
    ...sealed,
    signer,
    disk: await monitorDisk(database),
    capacity: await restoredCapacity(database),
    accountTotals: new AccountSpendTotals({ limits: config.spend.account, clock }),
    guardedHttp: new GuardedHttp({ allowLoopback: config.webhooksAllowLoopback }),
    findMediaKey: (callId) => sealed.mediaKeys.find(callId),
  };
}

async function openDatabase(parts: ProcessParts): Promise<OpenDatabase> {
  const { assignment, handoff, clock, ageClock } = parts;
  const config = readConfig(undefined, { checksFiles: false });
  const { dataDir, databaseUrl } = config;
  const log = createLogger("control", config.logLevel);
  const metrics = new ControlMetrics(CONNECTION_TYPES);
  collectProcessMetrics(metrics.registry);
  metrics.setRestarts(assignment.restarts);
  await lockDataDirWithin(DATA_DIR_WAIT_MS_MAX, dataDir, clock);
  const place: StorePlace = { dataDir, databaseUrl };
  let holder: NodeHolder | undefined;
  const storeOptions = {
    ageClock,
    unpersisted: handoff.unpersisted,
    isService: true,
    holderOf: config.cluster && (() => holder),
    sharesFiles: config.bucket !== undefined,
  };
  const stores = await openStoresWhenAvailable({
    open: (options) => openStores(place, clock, { ...options, ...storeOptions }),
    extendStart: (readyWithinMs) => sendToSupervisor({ kind: "starting", readyWithinMs }),
    clock,
    log,
  });
  const epoch = await stores.epochs.next();
  const usedKeyIds = await stores.sealingKeyIds();
  const keys = openSecretsKeys({ dataDir, fromEnvironment: config.secretsKey, usedKeyIds });
  const cluster =
    config.cluster &&
    (await ClusterMember.join({
      settings: config.cluster,
      incarnation: epoch,
      nodes: stores.nodes,
      calls: stores.calls,
      dataDir,
      webrtcUrl: assignment.mediaUrls.webrtc,
      onFenced: () => process.exit(1),
      clock,
      log,
    }));
  holder = cluster?.holder;
  if (cluster === undefined) await assertAlone(stores.nodes);
  return { ...parts, config, log, metrics, place, stores, epoch, keys, cluster };
}

/** Watches the room on the disk and the database from now on. */
async function monitorDisk({ config, place, stores, metrics, clock, log }: OpenDatabase): Promise<DiskSpace> {
  const { dataDir } = config;
  const recordings = join(dataDir, "recordings");
  const disk = new DiskSpace({
    folders: [dataDir, journalDirectory(dataDir), recordings, transcriptionFolder(dataDir), documentFolder(dataDir)],
    minFreeBytes: config.diskFreeMinBytes,
    clock,
    log,
  });
  await disk.monitor();
  monitorDatabase({ stores, dataDir, isFile: place.databaseUrl === undefined }, clock, log);
  metrics.observeDatabase(() => stores.isDatabaseLost());
  metrics.observeDisk(() => disk);
  return disk;
}

/** The slots of calls that were there before this start, which follow the calls from now on. */
async function restoredCapacity({ config, stores, cluster, metrics, clock }: OpenDatabase): Promise<Capacity> {
  const capacity = new Capacity({ clock, callsPerApiKey: config.callsPerApiKey });
  metrics.observeSlots(() => capacity.usage);
  const { calls, phoneCalls } = stores;
  capacity.restore(await calls.listWaiting(), await calls.listActive(), await phoneCalls.listPending());
  calls.subscribe(followCalls(capacity, cluster?.holder.name));
  calls.subscribe(countCalls(metrics));
  return capacity;
}
