import { strict as assert } from "node:assert";
import { randomUUID } from "node:crypto";
import { DEFAULT_TURN_PARAMETERS, PREEMPTIVE_TURN_PARAMETERS } from "../call/parameters.ts";
import { CONNECTION_TYPES, sendsTones } from "../carriers/list.ts";
import { wireFactory } from "../carriers/wire-factory.ts";
import { readConfig } from "../config/config.ts";
import { systemClock } from "../core/clock.ts";
import { codeOf } from "../core/errors.ts";
import { asWorkerId } from "../core/ids.ts";
import { REDEMPTIONS_MAX } from "../core/limits/service/admission.ts";
import { DESCRIPTORS_PER_CALL, DESCRIPTORS_PER_RELAY, DESCRIPTORS_RESERVED } from "../core/limits/service/processes.ts";
import { createLogger } from "../core/log/logger.ts";
import type { ProcessMetrics } from "../core/metrics/aggregation.ts";
import { collectProcessMetrics } from "../core/metrics/process-metrics.ts";
import { WorkerMetrics } from "../core/metrics/worker-metrics.ts";
import { withListeningPort } from "../core/network/media-urls.ts";
import { SOFTWARE } from "../core/runtime/version.ts";
import { SchemaProcess } from "../core/schemas/checker.ts";
import { HttpTools } from "../core/tools/http/client.ts";
import { McpProcess } from "../core/tools/mcp/client.ts";
import { forkMcpProcess } from "../core/tools/mcp/process.ts";
import { McpTools } from "../core/tools/mcp/tools.ts";
import { ServerTools } from "../core/tools/server-tools.ts";
import { DetectorFallback } from "../gateway/event-loop/detector-fallback.ts";
import { LoopLag } from "../gateway/event-loop/lag.ts";
import { Gateway } from "../gateway/gateway.ts";
import { JournalWriters } from "../gateway/journal/writers.ts";
import { PhraseBook } from "../gateway/phrases/book.ts";
import { PhraseCache } from "../gateway/phrases/cache.ts";
import { OtherNodes } from "../gateway/resumption/other-nodes.ts";
import { OtherWorkers } from "../gateway/resumption/other-workers.ts";
import { CertificateReloader } from "../gateway/server/certificate.ts";
import type { MediaServerOptions } from "../gateway/server/media-server.ts";
import { loadUws } from "../gateway/server/uws/module.ts";
import { UwsServer } from "../gateway/server/uws/server.ts";
import { PortConnections } from "../gateway/server/ws/connection-source.ts";
import { WsServer } from "../gateway/server/ws/server.ts";
import { AccountSpends } from "../gateway/spend/account.ts";
import { RetrievalClient } from "../knowledge/host/client.ts";
import { loadOpus } from "../media/opus/load.ts";
import { loadResampler } from "../media/resampler.ts";
import { loadFvad } from "../media/voice-activity/fvad.ts";
import { SpeechClient } from "../speech/local/host/client.ts";
import { createSpeechProviders } from "../speech/registry.ts";
import { loopLagMsMaxOf } from "../store/admission/capacity.ts";
import { connectorTo, findSocket, newWorkerTag, workerSocketPath } from "../store/handoff/socket-path.ts";
import { HandoffClient } from "../store/handoff/worker-client.ts";
import { RELAYED_HEADER } from "../wire/upgrade.ts";
import {
  exitOnUncaughtException,
  handleSupervisorMessages,
  reportReady,
  waitForAssignment,
} from "./channel/child-side.ts";
import { callsMaxWith, descriptorsMax } from "./descriptors.ts";
import { WorkerDrain } from "./worker/drain.ts";
import { WorkerListener } from "./worker/listener.ts";
import { logOpusImplementation } from "./worker/opus-log.ts";
import { becomeRealtime } from "./worker/realtime.ts";
import { openRelay } from "./worker/relay.ts";
import { WorkerRetirement } from "./worker/retirement.ts";
import { SupervisorConnections } from "./worker/supervisor-connections.ts";
import { loadVoiceActivity } from "./worker/voice-activity.ts";
import { authenticationOf, openWebrtc } from "./worker/webrtc.ts";

/** Composition root of a media worker: a process that carries a share of the calls. */
exitOnUncaughtException(createLogger("worker", "info"));
const clock = systemClock;
const [makeResampler, opus, openFvad] = await Promise.all([loadResampler(), loadOpus(), loadFvad()]);
const { socketPath, speech, retrieval, port, role, mediaUrls, nodeTag, mediaServer, isFirst } =
  await waitForAssignment();
let listeningPort = port;
// The supervisor has read the same variables, but the files they name may have changed when a worker is restarted.
const config = readConfig();
const log = createLogger("worker", config.logLevel);
const metrics = new WorkerMetrics(CONNECTION_TYPES, () => gateway.readings());
collectProcessMetrics(metrics.registry, mediaServer.mediaServer);
logOpusImplementation(opus, isFirst, log);
if (config.workerRealtime !== "never") await becomeRealtime(config.workerRealtime === "required", isFirst, log);
const providers = await createSpeechProviders(config, clock, log, metrics, async () => {
  assert.ok(speech !== undefined, "a configuration with a local speech model has a speech process");
  return new SpeechClient({ connect: connectorTo(speech.socketPath), clock });
});
/** The file descriptors for calls and for connections that may become calls. */
const descriptors = descriptorsMax() - DESCRIPTORS_RESERVED;
const callsMax = callsMaxWith(descriptorsMax(), config.callsPerWorker);
// A valid token is admitted even at capacity, so calls may exceed it by the redemptions that are under way.
const voiceActivity = await loadVoiceActivity(openFvad, config.vad, callsMax + REDEMPTIONS_MAX);
// Before the loop is monitored: a loop that lags while this waits would change the gateway, which there is not yet.
const webrtc = role === "webrtc" ? await openWebrtc(config, opus, clock, log) : undefined;
/** Clients of calls that are here may reach other workers, and those of others this one. */
const workerTag = newWorkerTag(nodeTag);
await openRelay(workerSocketPath(socketPath, workerTag), {
  resume: (token, headers) => gateway.resume(token, headers),
  liveness: config.liveness,
});
const otherNodes =
  nodeTag === undefined
    ? undefined
    : new OtherNodes({ ownTag: nodeTag, clock, onOutcome: (outcome) => metrics.nodeRelay(outcome) });
if (otherNodes !== undefined) metrics.observeNodeRelays(() => otherNodes.count);
const loopLagMsMax = loopLagMsMaxOf(role);
const detectorFallback = new DetectorFallback(loopLagMsMax, (isOn) => gateway.setDetectorFallback(isOn));
const loopLag = LoopLag.monitor({
  clock,
  log,
  loopLagMsMax,
  onMeasured: (loopLagMs) => detectorFallback.measured(loopLagMs),
});
const authentication = authenticationOf(role, config);
const journals = new JournalWriters({ dataDir: config.dataDir, software: SOFTWARE, clock, log });
const toolOptions = { secrets: config.toolSecrets, allowLoopback: config.toolsAllowLoopback };
const mcpClients = new McpProcess({ start: forkMcpProcess(config.toolsAllowLoopback), clock, log });
const accounts = new AccountSpends({ limits: config.spend.account, clock });
// No `await` until `handoff.firstAttempt`: when the handoff connects it reads the gateway, the listener and the drain state.
const handoff = new HandoffClient({
  // Read at each connection: a worker whose supervisor is gone hands its calls to the control process of the next service.
  get path() {
    return process.connected ? socketPath : (findSocket(config.dataDir) ?? socketPath);
  },
  workerId: asWorkerId(randomUUID()),
  callIds: () => gateway.callIds(),
  load: () => ({
    role,
    ...gateway.load(),
    loopLagMs: loopLag.ms,
    acceptsCalls: listener.isListening && !drain.hasStarted && !retirement.hasStarted,
  }),
  takeSpendReports: (all) => accounts.takeChanged(all),
  onAccountsOverLimit: (over) => accounts.setExceeded(over),
  onRelayNodes: (nodes) => otherNodes?.setNodes(nodes),
  onEndRequested: (callId, reason) => gateway.end(callId, reason),
  onPhoneUpdate: (callId, update) => gateway.phoneUpdate(callId, update),
  onLiveRequest: (callId, request) => gateway.request(callId, request),
  resumeAddress: (callId, connect) => gateway.resumeAddress(callId, connect),
  listenAddress: (callId) => gateway.listenAddress(callId),
  activity: () => gateway.activity(),
  mediaStates: () => gateway.mediaStates(),
  holds: () => gateway.holds(),
  onIncompatibleControl: () =>
    log.error("control process speaks another handoff protocol version than this worker: restart the service"),
  metrics: collectMetrics,
  clock,
});
const gateway = new Gateway({
  handoff,
  providers,
  createWire: wireFactory({ outboundCodecs: config.outboundCodecs, opus }),
  sendsTones,
  workerTag,
  otherWorkers: new OtherWorkers({
    connect: (socket, tag) => connectorTo(workerSocketPath(socketPath, tag))(socket),
    clock,
  }),
  otherNodes,
  webrtc,
  connectionTypes: CONNECTION_TYPES,
  voiceActivity,
  makeResampler,
  httpTools: new ServerTools(new HttpTools(toolOptions), new McpTools({ ...toolOptions, clients: mcpClients })),
  retriever: new RetrievalClient({ connect: connectorTo(retrieval.socketPath), clock }),
  schemas: new SchemaProcess({ clock, log, count: (outcome) => metrics.budgetedTask("schemas", outcome) }),
  journals,
  phrases: new PhraseBook({
    overrides: config.phrases,
    cache: new PhraseCache(config.dataDir),
    metrics,
    clock,
    log,
  }),
  spend: config.spend,
  accountSpends: accounts,
  prices: config.prices,
  metrics,
  historyTokensMax: config.historyTokensMax,
  parameters: {
    ...(config.preemptiveReplies ? PREEMPTIVE_TURN_PARAMETERS : DEFAULT_TURN_PARAMETERS),
    wordlessCallMsMax: config.maxWordlessS * 1_000,
  },
  clock,
  log,
  callsMax,
  onFull: (isFull) => void listener.pauseWhenFull(isFull),
  authentication,
  mediaUrl: () => withListeningPort(mediaUrls[role] ?? mediaUrls.media, listeningPort),
});
const { mediaTls } = config;
const certificate =
  mediaTls && new CertificateReloader({ files: mediaTls, prepare: () => server.prepareCertificate(), clock, log });
const serverOptions: MediaServerOptions = {
  headerNames: [...authentication.headerNames, RELAYED_HEADER],
  admit: (token, headers, asksToResume) => gateway.admit(token, headers, asksToResume),
  tls: mediaTls,
  handshakesMax: () =>
    descriptors -
    DESCRIPTORS_PER_CALL * gateway.load().callCount -
    gateway.listenerCount -
    DESCRIPTORS_PER_RELAY * (otherNodes?.count ?? 0),
  corsOrigins: config.corsOrigins,
  liveness: config.liveness,
  log,
};
/** Connections that the supervisor accepts for this worker, where workers do not listen on the port themselves. */
const connections = new SupervisorConnections();
const server =
  mediaServer.mediaServer === "uws"
    ? new UwsServer({ ...serverOptions, uws: loadUws(mediaServer.folder) })
    : new WsServer({
        ...serverOptions,
        connections: mediaServer.sharesPort ? new PortConnections(log, { sharesPort: true }) : connections,
      });
metrics.observeSockets(() => server.streams.bufferedBytes);
certificate?.start();
if (certificate !== undefined) metrics.observeCertificate(() => certificate.notAfterMs);

async function collectMetrics(): Promise<ProcessMetrics | undefined> {
  try {
    return await metrics.collect();
  } catch (error) {
    log.error({ err: error, code: codeOf(error), fault: "bug" }, "metrics could not be collected");
    return undefined;
  }
}

const drain = new WorkerDrain({
  gateway,
  handoff,
  providers,
  server,
  clock,
  drainMs: config.drainMs,
  exit: (code) => process.exit(code),
});
const retirement = new WorkerRetirement({ server, handoff, drain, clock });
const listener = new WorkerListener({
  server,
  host: config.mediaHost,
  port,
  isFull: () => gateway.isFull && !drain.hasStarted,
  clock,
});

/** The workers of the next supervisor use the port. The calls of this worker may go on for DRAIN_MS. */
function retireOrphaned(): void {
  log.warn({ calls: gateway.load().callCount }, "supervisor is gone: new streams are refused, live calls continue");
  void retirement.start();
}

handleSupervisorMessages({
  drain: (withinMs) => void drain.start(withinMs),
  stop: () => process.exit(0),
  orphaned: retireOrphaned,
  retire: () => void retirement.start(),
  connections,
});
// Without token keys this worker would refuse streams that other workers can serve. The first one has the port before there
// is a control process.
if (!isFirst) await handoff.firstAttempt;
// A worker that cannot redeem tokens must not replace one that can.
if (handoff.isIncompatible) process.exit(1);
listeningPort = await listener.listen();
handoff.sendLoad();
reportReady(listeningPort, clock);
