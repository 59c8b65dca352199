import { getPriority, setPriority } from "node:os";
import { catalogueOf } from "../api/voices/catalogue.ts";
import { localUrlOf, serviceUrlOf } from "../config/network/addresses.ts";
import { systemAgeClock } from "../core/age-clock.ts";
import { threadModule } from "../core/child-processes/child-module.ts";
import { systemClock } from "../core/clock.ts";
import { codeOf } from "../core/errors.ts";
import { CONTROL_NICE } from "../core/limits/service/processes.ts";
import { createLogger } from "../core/log/logger.ts";
import { providerNotes } from "../speech/provider-notes.ts";
import { createVoiceLists } from "../speech/registry.ts";
import { sttServing } from "../speech/stt/registry.ts";
import { HandoffThreadClient } from "../store/handoff/thread-client.ts";
import {
  exitOnUncaughtException,
  handleSupervisorMessages,
  notifySupervisor,
  reportReady,
  sendToSupervisor,
  waitForAssignment,
} from "./channel/child-side.ts";
import { Admission } from "./control/admission.ts";
import { apiOf } from "./control/api.ts";
import { openBackgroundWork } from "./control/background-work.ts";
import { CallExpiry } from "./control/calls/call-expiry.ts";
import { nodeLoad } from "./control/cluster.ts";
import { ensureFirstApiKey } from "./control/first-start/first-api-key.ts";
import { offerOwnerLink } from "./control/first-start/owner-link.ts";
import { awaitFirstWorker } from "./control/first-worker.ts";
import { openFoundation } from "./control/foundation.ts";
import { giveWay } from "./control/giving-way.ts";
import { listenForApi, portOf } from "./control/http/api-port.ts";
import { HttpConnections } from "./control/http/http-connections.ts";
import { openMetricsPort } from "./control/http/metrics-port.ts";
import { liveCallsOf } from "./control/live-calls.ts";
import { openRecords } from "./control/records.ts";
import { shutDownControl } from "./control/shutdown.ts";
import { logLanguages } from "./control/status/languages-log.ts";
import { apiConnectionsMaxWith, descriptorsMax } from "./descriptors.ts";

/**
 * Composition root of the control process: the API, the stores, and the records of ended calls. Each part has a file in `control/`, and is
 * made of those before it. The foundation watches the database, the disk and the calls as soon as it is open; the others start at the end.
 */
exitOnUncaughtException(createLogger("control", "info"));
const clock = systemClock;
const ageClock = systemAgeClock();
// The thread loads its code while this process does, also in a spare process.
const handoff = new HandoffThreadClient({
  thread: threadModule(import.meta.url, "./handoff-thread"),
  clock,
  onFailed(error) {
    createLogger("control", "info").fatal({ err: error, code: codeOf(error) }, "handoff thread failed");
    process.exit(1);
  },
});
const assignment = await waitForAssignment();
const firstWorker = awaitFirstWorker(clock);

const base = await openFoundation({ assignment, handoff, clock, ageClock });
const { config, log, metrics, stores, cluster, disk, capacity, signer } = base;
const { dataDir } = config;
const isNew = await ensureFirstApiKey({ isProduction: config.isProduction, dataDir, stores, log });
const voiceLists = await createVoiceLists(config, clock, log);
const voices = catalogueOf(voiceLists, sttServing(config.stt, config.providers.stt));
// It also fills the cache, so that the first `GET /voices` does not wait for a provider.
void logLanguages(voices, config.stt, log);
// No call gets its record before the workers are served, below: `live` is there by then.
const records = await openRecords(base, (callId) => live.finalized(callId));
const { finalizer, renderer, shared, traces } = records;
const live = liveCallsOf(base, records, firstWorker.accepting);
const { calls, phone, lostCalls } = live;
const admission = new Admission({
  isDatabaseLost: () => stores.isDatabaseLost(),
  isDiskLow: () => disk.isLow,
  workerCount: () => handoff.workerCount,
  isRendererFailing: () => renderer.isFailing,
  recordsWaiting: () => finalizer.count.waiting,
  // Another node takes what this one cannot.
  freeSlots: () => Math.max(capacity.available, cluster?.view.freeSlots("media") ?? 0),
});
const work = await openBackgroundWork(base, records, live);
const health = { callAcceptance: () => admission.newCalls, providerNotes: providerNotes(config) };
// The store and the records need descriptors of their own.
const connectionsMax = apiConnectionsMaxWith(descriptorsMax());
const serviceUrl = (): string =>
  serviceUrlOf(config.publicApiUrls) ?? localUrlOf(config.apiHost, String(portOf(api.server)));
let metricsAddress: { host: string; port: number } | undefined;
const api = apiOf({
  ...{ base, records, live, work, admission, health, voices, connectionsMax, serviceUrl },
  metricsAddress: () => metricsAddress,
});
const apiConnections = new HttpConnections(api.server, {
  max: connectionsMax,
  clock,
  onClosed: (reason) => metrics.connectionClosed("api", reason),
});

handleSupervisorMessages({
  drain() {
    admission.drain();
    void cluster?.placedCallsBegun().then(() => notifySupervisor({ kind: "no-call-waits" }));
  },
  stop() {
    work.documentEnds.close();
    shared?.close();
    work.index.close();
    void shutDownControl({
      admission,
      jobs: work.jobs,
      api,
      lostCalls,
      finalizer,
      phoneCalls: phone?.phoneCalls,
      callsOfNodes: calls,
      lease: cluster?.lease,
      traces,
      renderer,
      transcriber: work.transcriptions,
      ingester: work.processing,
      handoff,
      providers: voiceLists,
      stores,
      clock,
      exit: (code) => process.exit(code),
    });
  },
  // The next service waits for the data directory and makes the missing records: every journal and every row is on disk.
  orphaned() {
    log.warn("supervisor is gone: the control process exits, workers continue their calls");
    process.exit(0);
  },
  restarts: (counts) => metrics.setRestarts(counts),
});
metricsAddress = await openMetricsPort({ base, work, live, admission, health, apiConnections });
// The API and the jobs of this process must not take CPU time from the media workers. Its other threads keep their priority: the
// workers wait for the handoff thread.
setPriority(Math.max(getPriority(), CONTROL_NICE));
await handoff.serve(
  {
    place: base.place,
    socketPath: assignment.socketPath,
    epoch: base.epoch,
    holder: cluster?.holder,
    bootId: ageClock.bootId,
    tokenKeys: signer.accepted,
    secretsKeys: base.keys.keys,
    encryptMedia: config.encryptMedia,
    logLevel: config.logLevel,
  },
  live.handoffHandlers,
);
lostCalls.start();
calls.start();
cluster?.start({
  load: () => nodeLoad(admission.newCalls, capacity),
  lostCalls,
  capacity,
  phoneCalls: stores.phoneCalls,
  endCall: (workerId, callId, reason) => handoff.endCall(workerId, callId, reason),
  giveWay: () =>
    giveWay({
      carriedCalls: () => capacity.carriedCalls,
      endCall: (workerId, callId, reason) => handoff.endCall(workerId, callId, reason),
      stopRecords: () => finalizer.stop(),
      shipNow: shared && (() => shared.shipNow()),
      clock,
      log,
    }),
  sendRelayNodes: (nodes) => handoff.sendRelayNodes(nodes),
});
shared?.start();
traces?.start();
phone?.phoneCalls.start();
new CallExpiry({ calls: stores.calls, clock, log }).start();
work.jobs.start();
work.index.start();
stores.documents.onEnded(() => work.index.wake());
await listenForApi(api, config.apiHost, assignment.port);
if (isNew) {
  await offerOwnerLink({
    stores,
    dataDir,
    serviceUrl: serviceUrl(),
    showOnTerminal:
      process.stdout.isTTY && !config.isProduction ? (url) => sendToSupervisor({ kind: "owner-link", url }) : undefined,
    log,
  });
}
// A client may create a call as soon as the service is ready.
await firstWorker.ready;
reportReady(portOf(api.server), clock);
