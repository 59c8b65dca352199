import { randomUUID } from "node:crypto";
import { DEFAULT_TURN_PARAMETERS, PREEMPTIVE_TURN_PARAMETERS } from "../call/parameters.ts";
import { readConfig } from "../config/config.ts";
import { systemClock } from "../core/clock.ts";
import { codeOf } from "../core/errors.ts";
import { packageFolder } from "../core/installed-package.ts";
import { HANDSHAKE_MS_MAX } from "../core/limits/connections.ts";
import { DESCRIPTORS_PER_CALL, DESCRIPTORS_RESERVED, DRAIN_EXIT_MS_MAX } from "../core/limits/processes.ts";
import { createLogger } from "../core/log/logger.ts";
import type { ProcessMetrics } from "../core/metrics/aggregation.ts";
import { collectProcessMetrics } from "../core/metrics/process-metrics.ts";
import { WorkerMetrics } from "../core/metrics/worker-metrics.ts";
import { SchemaProcess } from "../core/schemas/checker.ts";
import { SOFTWARE } from "../core/version.ts";
import { idleTurn } from "../gateway/event-loop/idle-turn.ts";
import { LoopLag } from "../gateway/event-loop/lag.ts";
import { Gateway } from "../gateway/gateway.ts";
import { JournalWriters } from "../gateway/journal/writers.ts";
import { PhraseBook } from "../gateway/phrases/book.ts";
import { PhraseCache } from "../gateway/phrases/cache.ts";
import { CertificateReloader } from "../gateway/server/certificate.ts";
import type { MediaServerOptions } from "../gateway/server/media-server.ts";
import { loadUws } from "../gateway/server/uws/module.ts";
import { UwsServer } from "../gateway/server/uws/server.ts";
import { PortConnections } from "../gateway/server/ws/connection-source.ts";
import { WsServer } from "../gateway/server/ws/server.ts";
import { AccountSpends } from "../gateway/spend/account.ts";
import { HttpTools } from "../gateway/tools/http-client.ts";
import { loadOpus } from "../media/opus/load.ts";
import { loadResampler } from "../media/resampler.ts";
import { loadVad } from "../media/vad.ts";
import { createSpeechProviders } from "../speech/registry.ts";
import { findSocket } from "../store/handoff/socket-path.ts";
import { HandoffClient } from "../store/handoff/worker-client.ts";
import { callsMaxWith, descriptorsMax } from "./descriptors.ts";
import {
  exitOnUncaughtException,
  handleSupervisorMessages,
  reportReady,
  waitForAssignment,
} from "./supervisor-protocol.ts";
import { SupervisorConnections } from "./worker/supervisor-connections.ts";

/** How often a worker that is replaced looks whether all whom it has accepted are served. */
const HANDSHAKE_POLL_MS = 50;

/** Composition root of a media worker: one process, one share of the calls. */
exitOnUncaughtException(createLogger("worker", "info"));
const clock = systemClock;
const [makeVad, makeResampler, opus] = await Promise.all([loadVad(), loadResampler(), loadOpus()]);
const { socketPath, port, mediaUrl, mediaServer, isFirst } = await waitForAssignment();
// The supervisor has read the same, but not the same files when the worker is started again.
const config = readConfig();
const log = createLogger("worker", config.logLevel);
const metrics = new WorkerMetrics(() => gateway.readings());
collectProcessMetrics(metrics.registry, mediaServer.mediaServer);
const { implementation, nativeFailure } = opus;
const library = implementation === "native" ? "@discordjs/opus (native)" : "libopus-wasm (WebAssembly)";
// It is the same in every worker.
log[isFirst ? "info" : "debug"]({ opus: implementation, library }, "Opus codec selected");
if (nativeFailure !== undefined && packageFolder("@discordjs/opus", import.meta.url) !== undefined) {
  log[isFirst ? "warn" : "debug"](
    { code: nativeFailure },
    "@discordjs/opus is installed and cannot be loaded: libopus-wasm takes its place",
  );
}

const engines = createSpeechProviders(config, clock, log, metrics);
/** What the system lets this process have open for calls, and for those who may become calls. */
const descriptors = descriptorsMax() - DESCRIPTORS_RESERVED;
const callsMax = callsMaxWith(descriptorsMax(), config.callsPerWorker);
const loopLag = LoopLag.monitor(clock, log);
const journals = new JournalWriters({ dataDir: config.dataDir, software: SOFTWARE, clock, log });
const accounts = new AccountSpends({ limits: config.spend.account, clock });
// From here on nothing waits but for the hand-off to connect: it tells of the gateway, and of a port that calls can be sent to.
const handOff = new HandoffClient({
  // Read at each connection: without its supervisor a worker hands its calls to the control process of the next service.
  get path() {
    return process.connected ? socketPath : (findSocket(config.dataDir) ?? socketPath);
  },
  workerId: randomUUID(),
  callIds: () => gateway.callIds(),
  load: () => ({ ...gateway.load(), loopLagMs: loopLag.ms, acceptsCalls: listening && !draining && !retiring }),
  takeSpendReports: (all) => accounts.takeChanged(all),
  onAccountsOverLimit: (over) => accounts.setExceeded(over),
  onEndRequested: (callId) => gateway.end(callId, "api_hangup"),
  onIncompatibleControl: () =>
    log.error("control process speaks another handoff protocol version than this worker: restart the service"),
  metrics: collectMetrics,
  clock,
});
const gateway = new Gateway({
  handoff: handOff,
  providers: engines,
  makeVad,
  makeResampler,
  opus,
  httpTools: new HttpTools({ secrets: config.toolSecrets, allowLoopback: config.toolsAllowLoopback }),
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
  parameters: config.preemptiveReplies ? PREEMPTIVE_TURN_PARAMETERS : DEFAULT_TURN_PARAMETERS,
  liveness: config.liveness,
  clock,
  log,
  callsMax,
  onFull: (isFull) => void pauseListening(isFull),
  carrierSecrets: config.carrierSecrets,
  mediaUrl,
  telnyxOutboundCodec: config.carrierBOutboundCodec,
});
const { mediaTls } = config;
const certificate =
  mediaTls && new CertificateReloader({ files: mediaTls, prepare: () => server.prepareCertificate(), clock, log });
const serverOptions: MediaServerOptions = {
  admit: (token, headers) => gateway.admit(token, headers),
  tls: mediaTls,
  handshakesMax: () => descriptors - DESCRIPTORS_PER_CALL * gateway.load().callCount,
  corsOrigins: config.corsOrigins,
  log,
};
/** What the supervisor accepts for this worker, where it does. */
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

/** Others take who comes while this worker is full. Whoever knocks at the moment of closing would be reset: it is chosen. */
async function pauseListening(isFull: boolean): Promise<void> {
  if (isFull) await idleTurn(() => clock.nowMs());
  server.pauseListening(gateway.isFull && !draining);
}

let listening = false;
let retiring = false;
let draining = false;
/** Lets the calls end, until DRAIN_MS is over, and goes. */
async function drain(): Promise<void> {
  if (draining) return;
  draining = true;
  handOff.sendLoad();
  // Where the service drains it listens, full or not: whoever comes with a token is told 503, and the token is not spent.
  server.pauseListening(false);
  const cancel = clock.after(config.drainMs, () => gateway.endAllWithGoodbye());
  // Where a supervisor lives it does the same. What nobody has acknowledged by then is recovered from its journal.
  clock.after(config.drainMs + DRAIN_EXIT_MS_MAX, () => process.exit(1));
  await gateway.drain();
  cancel();
  // Without a control process nobody acknowledges.
  clock.after(DRAIN_EXIT_MS_MAX, () => process.exit(1));
  server.close();
  await Promise.all([handOff.close(), engines.close()]);
  process.exit(0);
}

/** Another worker stands in this one's place: it serves whom it has accepted, and takes no more. */
async function retire(): Promise<void> {
  retiring = true;
  handOff.sendLoad();
  await idleTurn(() => clock.nowMs());
  server.stopListening();
  const untilMs = clock.nowMs() + HANDSHAKE_MS_MAX;
  while (server.handshakes > 0 && clock.nowMs() < untilMs) {
    await new Promise<void>((resolve) => {
      clock.after(HANDSHAKE_POLL_MS, resolve);
    });
  }
  await drain();
}

/** The next supervisor's workers take the port; the calls of this one go on until DRAIN_MS is over. */
function retireOrphaned(): void {
  log.warn({ calls: gateway.load().callCount }, "supervisor is gone: new streams are refused, live calls continue");
  void retire();
}

/**
 * A worker that is started again must get its port though connections of the one before linger on it. uWebSockets.js asks
 * for that (SO_REUSEPORT) only where the port is given by number.
 */
async function listen(): Promise<number> {
  const chosen = await server.listen(config.mediaHost, port);
  if (port !== 0) return chosen;
  server.stopListening();
  return await server.listen(config.mediaHost, chosen);
}

handleSupervisorMessages({
  drain: () => void drain(),
  stop: () => process.exit(0),
  orphaned: retireOrphaned,
  retire: () => void retire(),
  connections,
});
// Where others listen too, whoever came here before the control process is known would be refused.
await handOff.firstAttempt;
// A worker that can redeem nothing must not take the place of one that can.
if (handOff.isIncompatible) process.exit(1);
const listeningPort = await listen();
listening = true;
handOff.sendLoad();
reportReady(listeningPort, clock);
