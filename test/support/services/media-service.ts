import { join } from "node:path";
import { upgradeAuthentication } from "../../../src/carriers/authentication.ts";
import { type CarrierSecrets, CONNECTION_TYPES, sendsTones } from "../../../src/carriers/list.ts";
import { wireFactory } from "../../../src/carriers/wire-factory.ts";
import { readConfig } from "../../../src/config/config.ts";
import type { Prices } from "../../../src/core/billing/prices.ts";
import type { SpendSettings } from "../../../src/core/billing/spend.ts";
import type { CallSpec } from "../../../src/core/calls/spec.ts";
import { type Clock, systemClock } from "../../../src/core/clock.ts";
import { asWorkerId, type CallId } from "../../../src/core/ids.ts";
import { WorkerMetrics } from "../../../src/core/metrics/worker-metrics.ts";
import { Gateway, type GatewayOptions } from "../../../src/gateway/gateway.ts";
import type { JournalFiles } from "../../../src/gateway/journal/writer.ts";
import { JournalWriters } from "../../../src/gateway/journal/writers.ts";
import type { PhraseFinder } from "../../../src/gateway/phrases/book.ts";
import type { CertificateFiles } from "../../../src/gateway/server/certificate.ts";
import type { MediaServerName } from "../../../src/gateway/server/media-server.ts";
import { AccountSpends } from "../../../src/gateway/spend/account.ts";
import type { LivenessOptions } from "../../../src/gateway/transport/liveness.ts";
import { JobRunner } from "../../../src/jobs/runner.ts";
import { loadOpus } from "../../../src/media/opus/load.ts";
import { loadResampler } from "../../../src/media/resampler.ts";
import type { VoiceActivityDetection } from "../../../src/media/voice-activity/detector.ts";
import { loadFvadDetection } from "../../../src/media/voice-activity/fvad.ts";
import { LiveHolds } from "../../../src/process/control/calls/live-holds.ts";
import { CallFinalizer } from "../../../src/record/finalization/finalizer.ts";
import { localJournalProcessor } from "../../../src/record/finalization/journal-processor.ts";
import { recordingPath } from "../../../src/record/recording/render.ts";
import { RenderJob } from "../../../src/record/recording/render-job.ts";
import { deleteFiles, filesOf } from "../../../src/record/retention/call-files.ts";
import type { Llm, Stt, Tts, TtsPool } from "../../../src/speech/contracts.ts";
import type { CallRecord } from "../../../src/store/calls/call-store.ts";
import { HandoffServer } from "../../../src/store/handoff/control-server.ts";
import { HandoffClient } from "../../../src/store/handoff/worker-client.ts";
import { RENDER_JOB } from "../../../src/store/job-kinds.ts";
import type { Redemptions } from "../../../src/store/redemptions.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import { openSqliteStores } from "../../../src/store/sqlite/open-stores.ts";
import type { UpgradeHeaders } from "../../../src/wire/upgrade.ts";
import { SPEC } from "../calls/virtual-call.ts";
import { DEFAULT_LIVENESS } from "../configuration/liveness.ts";
import { memoryLog } from "../memory-log.ts";
import { ScriptedLlm, textReply } from "../providers/scripted-llm.ts";
import { ScriptedTts } from "../providers/scripted-tts.ts";
import { poolOf } from "../providers/tts-pool.ts";
import { SEALING_KEYS } from "../stores/keys.ts";
import { INLINE_SCHEMAS } from "../stubs/inline-schemas.ts";
import { NO_SPEND_LIMITS } from "../stubs/no-limits.ts";
import { NO_PHRASES } from "../stubs/no-phrases.ts";
import { httpToolsAlone } from "../stubs/server-tools.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { mintToken } from "../tokens.ts";
import { handoffServer } from "./handoff-server.ts";
import { createMediaServer, DEFAULT_MEDIA_SERVER, type MediaServerParts } from "./media-servers.ts";

const [voiceActivity, makeResampler, opus] = await Promise.all([loadFvadDetection(), loadResampler(), loadOpus()]);

/** The address that carriers dial, and sign. */
export const MEDIA_URL = "wss://media.example.com";

export interface MediaServiceOptions {
  stt?: Stt;
  llm?: Llm;
  tts?: Tts;
  /** Takes the place of `tts`. */
  ttsPool?: Pick<TtsPool, "provider" | "forVoice">;
  clock?: Clock;
  tokenTtlMs?: number;
  liveness?: Partial<LivenessOptions>;
  /** What serves the media port; by default what `MEDIA_SERVER` says, or the best that this machine has. */
  mediaServer?: MediaServerName;
  mediaServerParts?: MediaServerParts;
  /** With these the media server speaks TLS. */
  tls?: CertificateFiles;
  /** Pages of these origins may read refusals. */
  corsOrigins?: readonly string[];
  /** In place of parts of fvad; a detector is the first thing that is made for a call. */
  voiceActivity?: Partial<VoiceActivityDetection>;
  /** What upgrades must be signed with, for carriers that are to have a secret. */
  carrierSecrets?: CarrierSecrets;
  /** In place of none but the built-in ones. */
  phrases?: PhraseFinder;
  /** What a call and an account may spend; no limit by default. */
  spend?: SpendSettings;
  prices?: Prices;
  /** Calls with which the worker is full; the service's default unless set. */
  callsMax?: number;
  /** The disk that the journals are written to, as far as it can be replaced. */
  journalFiles?: JournalFiles;
  /** In place of the scripted ones, for the calls of accounts that have not those of the service. */
  forAccount?: GatewayOptions["providers"]["forAccount"];
  /** What WebRTC calls need; without it there are none. */
  webrtc?: GatewayOptions["webrtc"];
  /** Stands between the redemption and its answer, as a slow store would. */
  beforeRedeem?: () => Promise<void>;
  /** In place of the credentials of telephone calls in the store. */
  isStreamOf?: Redemptions["isStreamOf"];
}

/**
 * Both planes in one process, over real sockets: the media server with scripted engines, the handoff over its Unix socket, the
 * SQLite stores and the finalizer of records. Only the API is left out: `create` does what `POST /calls` does.
 */
export async function mediaService(options: MediaServiceOptions = {}) {
  const clock = options.clock ?? systemClock;
  const directory = temporaryDirectory();
  const { log, lines: logged } = memoryLog();
  const stores = await openSqliteStores(directory, systemClock, { secretsKeys: SEALING_KEYS });
  const accountId = await stores.accounts.ensure("test");
  const path = join(directory, "control.sock");
  const journals = localJournalProcessor(directory, await loadResampler());
  const finalizer = new CallFinalizer({
    calls: stores.calls,
    dataDir: directory,
    journals,
    clock,
    log,
    onFinalized: (callId) => ipc.acknowledge(callId),
  });
  const withFiles = finalizer.withFiles.bind(finalizer);
  const remove = async (callId: CallId): Promise<void> => {
    await deleteFiles(filesOf("recording", directory, callId));
  };
  const rendering = new RenderJob({ calls: stores.calls, journals, withFiles, remove, log, onFailed: () => {} });
  const jobs = new JobRunner({ jobs: stores.jobs, handlers: { [RENDER_JOB]: rendering }, clock: systemClock, log });
  jobs.start();
  const redemptions: Redemptions = {
    async redeem(tokenHash, redeemer, only, proof) {
      await options.beforeRedeem?.();
      return await stores.redemptions.redeem(tokenHash, redeemer, only, proof);
    },
    isStreamOf: (callId, proof) => options.isStreamOf?.(callId, proof) ?? stores.redemptions.isStreamOf(callId, proof),
    returnRedemption: (tokenHash, nonce) => stores.redemptions.returnRedemption(tokenHash, nonce),
  };
  const holds = new LiveHolds();
  const ipc = new HandoffServer(
    handoffServer(path, {
      log,
      redemptions,
      onStreamStarted: (callId, carrierCallId) => void stores.calls.setCarrierCallId(callId, carrierCallId),
      onHold: (workerId, report) => holds.reported(workerId, report),
      onEnded: (callId, end) => finalizer.finalize(callId, end),
    }),
  );
  await ipc.listen();
  const isRendering = async (callId: CallId): Promise<boolean> => {
    const { jobs: rendered } = await stores.jobs.list({ kind: RENDER_JOB, limit: 1_000 });
    return rendered.some(
      ({ status, payload }) => status !== "dead" && (payload as { callId: CallId }).callId === callId,
    );
  };
  const connected = new Promise<void>((resolve) => {
    const poll = () => (ipc.workerCount > 0 ? resolve() : setImmediate(poll));
    poll();
  });
  const metrics = new WorkerMetrics(CONNECTION_TYPES, () => gateway.readings());
  const accountSpends = new AccountSpends({ limits: (options.spend ?? NO_SPEND_LIMITS).account, clock });
  const handoff = new HandoffClient({
    path,
    workerId: asWorkerId("worker"),
    callIds: () => gateway.callIds(),
    load: () => ({ ...gateway.load(), loopLagMs: 0, acceptsCalls: true }),
    takeSpendReports: (all) => accountSpends.takeChanged(all),
    onAccountsOverLimit: (over) => accountSpends.setExceeded(over),
    onIncompatibleControl: () => {},
    onEndRequested: (callId, reason) => gateway.end(callId, reason),
    onPhoneUpdate: (callId, update) => gateway.phoneUpdate(callId, update),
    onLiveRequest: (callId, request) => gateway.request(callId, request),
    resumeAddress: (callId) => gateway.resumeAddress(callId),
    listenAddress: (callId) => gateway.listenAddress(callId),
    activity: () => gateway.activity(),
    mediaStates: () => gateway.mediaStates(),
    holds: () => gateway.holds(),
    metrics: () => metrics.collect(),
    clock: systemClock,
  });
  const authentication = upgradeAuthentication(options.carrierSecrets ?? {});
  const llm = options.llm ?? new ScriptedLlm(clock, [textReply("I see.")]);
  const gateway = new Gateway({
    handoff,
    providers: {
      stt: options.stt,
      tts: options.ttsPool ?? poolOf(options.tts ?? new ScriptedTts(clock)),
      llm: { model_a: llm, model_b: llm, model_c: llm },
      ...(options.forAccount !== undefined && { forAccount: options.forAccount }),
    },
    createWire: wireFactory({ outboundCodecs: {}, opus }),
    sendsTones,
    webrtc: options.webrtc,
    connectionTypes: CONNECTION_TYPES,
    voiceActivity: { ...voiceActivity, ...options.voiceActivity },
    makeResampler,
    httpTools: httpToolsAlone({ secrets: new Map(), allowLoopback: true }),
    schemas: INLINE_SCHEMAS,
    journals: new JournalWriters({
      dataDir: directory,
      software: "test",
      clock: systemClock,
      log,
      ...(options.journalFiles !== undefined && { files: options.journalFiles }),
    }),
    phrases: options.phrases ?? NO_PHRASES,
    spend: options.spend ?? NO_SPEND_LIMITS,
    accountSpends,
    prices: options.prices,
    metrics,
    clock,
    log,
    callsMax: options.callsMax ?? readConfig({}).callsPerWorker,
    onFull: (isFull) => server.pauseListening(isFull),
    authentication,
    mediaUrl: () => MEDIA_URL,
  });
  const serverOptions = {
    headerNames: authentication.headerNames,
    admit: (token: string, headers: UpgradeHeaders, asksToResume: boolean) =>
      gateway.admit(token, headers, asksToResume),
    tls: options.tls,
    corsOrigins: options.corsOrigins ?? [],
    liveness: { ...DEFAULT_LIVENESS, ...options.liveness },
    log,
  };
  const server = createMediaServer(
    options.mediaServer ?? DEFAULT_MEDIA_SERVER,
    serverOptions,
    options.mediaServerParts,
  );
  const port = await server.listen("127.0.0.1", 0);
  // As the worker does it: by number the port can be listened on again while connections are on it.
  server.stopListening();
  await server.listen("127.0.0.1", port);
  await Promise.all([connected, handoff.firstAttempt]);

  return {
    directory,
    log,
    logged,
    stores,
    accountId,
    gateway,
    ipc,
    holds,
    finalizer,
    server,
    port,
    url: `${options.tls ? "wss" : "ws"}://127.0.0.1:${port}`,
    recordingPath: (callId: CallId) => recordingPath(directory, callId),
    /** A call that waits for its stream, and its token. */
    async create(spec: Partial<CallSpec> = {}): Promise<{ callId: CallId; token: string }> {
      const token = mintToken();
      const made = await stores.calls.create({
        accountId,
        spec: { ...SPEC, ...spec },
        tokenHash: hashSecret(token),
        tokenTtlMs: options.tokenTtlMs ?? 60_000,
      });
      if (made.kind !== "created") throw new Error("not created");
      return { callId: made.call.id, token };
    },
    /** The call's record, once it is no longer active and no recording of it is being made. */
    async ended(callId: CallId): Promise<CallRecord> {
      for (;;) {
        const record = await stores.calls.get(accountId, callId);
        const isOver = record !== undefined && record.status !== "active" && record.status !== "created";
        if (isOver && !(await isRendering(callId))) return (await stores.calls.get(accountId, callId)) ?? record;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    async close(): Promise<void> {
      server.stopListening();
      const empty = gateway.drain();
      for (const callId of gateway.callIds()) gateway.end(callId, "drain_timeout");
      gateway.endAllWithGoodbye();
      await empty;
      server.close();
      await handoff.close();
      await finalizer.idle();
      await jobs.stop(10_000);
      ipc.close();
      await stores.close();
    },
  };
}

export type MediaService = Awaited<ReturnType<typeof mediaService>>;
