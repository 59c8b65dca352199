import { randomUUID } from "node:crypto";
import { DEFAULT_TURN_PARAMETERS, PREEMPTIVE_TURN_PARAMETERS } from "./call/parameters.ts";
import { readConfig } from "./config.ts";
import { systemClock } from "./core/clock.ts";
import { callsMaxWith, descriptorsMax } from "./core/descriptors.ts";
import { codeOf } from "./core/errors.ts";
import { packageFolder } from "./core/installed-package.ts";
import { DESCRIPTORS_PER_CALL, DESCRIPTORS_RESERVED, DRAIN_EXIT_MS_MAX, HANDSHAKE_MS_MAX } from "./core/limits.ts";
import { createLogger } from "./core/log.ts";
import { WorkerMetrics } from "./core/metrics.ts";
import type { ProcessMetrics } from "./core/metrics-sum.ts";
import { watchProcess } from "./core/process-metrics.ts";
import { SchemaProcess } from "./core/schema-checks.ts";
import { SOFTWARE } from "./core/software.ts";
import { AccountSpends } from "./gateway/account-spend.ts";
import { CertificateWatch } from "./gateway/certificate.ts";
import { Gateway } from "./gateway/gateway.ts";
import { JournalWriters } from "./gateway/journal-writer.ts";
import { LoopLag } from "./gateway/loop-lag.ts";
import { PortConnections } from "./gateway/media-server/connection-source.ts";
import type { MediaServerOptions } from "./gateway/media-server/media-server.ts";
import { loadUws } from "./gateway/media-server/uws-module.ts";
import { UwsServer } from "./gateway/media-server/uws-server.ts";
import { WsServer } from "./gateway/media-server/ws-server.ts";
import { PhraseBook } from "./gateway/phrase-book.ts";
import { PhraseCache } from "./gateway/phrase-cache.ts";
import { quietTurn } from "./gateway/quiet-turn.ts";
import { HttpTools } from "./gateway/tools/http-client.ts";
import { HandedConnections } from "./handed-connections.ts";
import { loadOpus } from "./media/load-opus.ts";
import { loadResampler } from "./media/resampler.ts";
import { loadVad } from "./media/vad.ts";
import { failInOneLine, onSupervisor, placeGiven, tellReady } from "./processes.ts";
import { createEngines } from "./speech/engines.ts";
import { findSocket } from "./store/control-socket.ts";
import { IpcHandOff } from "./store/ipc-hand-off.ts";

/** How often a worker that is replaced looks whether all whom it has accepted are served. */
const HANDSHAKE_LOOK_MS = 50;

/** Composition root of a media worker: one process, one share of the calls. */
failInOneLine(createLogger("worker", "info"));
const clock = systemClock;
const [makeVad, makeResampler, opus] = await Promise.all([loadVad(), loadResampler(), loadOpus()]);
const { socketPath, port, mediaUrl, mediaServer, isFirst } = await placeGiven();
// The supervisor has read the same, but not the same files when the worker is started again.
const config = readConfig();
const log = createLogger("worker", config.logLevel);
const metrics = new WorkerMetrics(() => gateway.readings());
watchProcess(metrics.registry, mediaServer.mediaServer);
const { implementation, nativeFailure } = opus;
const library = implementation === "native" ? "@discordjs/opus (native)" : "libopus-wasm (WebAssembly)";
// It is the same in every worker.
log[isFirst ? "info" : "debug"]({ opus: implementation }, `Opus codec: ${library}`);
if (nativeFailure !== undefined && packageFolder("@discordjs/opus", import.meta.url) !== undefined) {
  log[isFirst ? "warn" : "debug"](
    { code: nativeFailure },
    "@discordjs/opus is installed and cannot be loaded: libopus-wasm takes its place",
  );
}

const engines = createEngines(config, clock, log, metrics);
/** What the system lets this process have open for calls, and for those who may become calls. */
const descriptors = descriptorsMax() - DESCRIPTORS_RESERVED;
const callsMax = callsMaxWith(descriptorsMax(), config.callsPerWorker);
const loopLag = LoopLag.watch(clock, log);
const journals = new JournalWriters({ dataDir: config.dataDir, software: SOFTWARE, clock, log });
const accounts = new AccountSpends({ limits: config.spend.account, clock });
// From here on nothing waits but for the hand-off to connect: it tells of the gateway, and of a port that calls can be sent to.
const handOff = new IpcHandOff({
  // Read at each connection: without its supervisor a worker hands its calls to the control process of the next service.
  get path() {
    return process.connected ? socketPath : (findSocket(config.dataDir) ?? socketPath);
  },
  workerId: randomUUID(),
  callIds: () => gateway.callIds(),
  load: () => ({ ...gateway.load(), loopLagMs: loopLag.ms, takesCalls: listening && !leaving && !retiring }),
  takeSpends: (all) => accounts.take(all),
  onAccountsOver: (over) => accounts.over(over),
  onEnd: (callId) => gateway.end(callId, "api_hangup"),
  onForeignControl: () => log.error("the control process is of another version than this worker: restart the service"),
  metrics: tellMetrics,
  clock,
});
const gateway = new Gateway({
  handOff,
  engines,
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
  accounts,
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
  carrierBOutboundCodec: config.carrierBOutboundCodec,
});
const { mediaTls } = config;
const certificate =
  mediaTls && new CertificateWatch({ files: mediaTls, prepare: () => server.prepareCertificate(), clock, log });
const serverOptions: MediaServerOptions = {
  admit: (token, headers) => gateway.admit(token, headers),
  tls: mediaTls,
  handshakesMax: () => descriptors - DESCRIPTORS_PER_CALL * gateway.load().callCount,
  corsOrigins: config.corsOrigins,
  log,
};
/** What the supervisor accepts for this worker, where it does. */
const connections = new HandedConnections();
const server =
  mediaServer.mediaServer === "uws"
    ? new UwsServer({ ...serverOptions, uws: loadUws(mediaServer.folder) })
    : new WsServer({
        ...serverOptions,
        connections: mediaServer.sharesPort ? new PortConnections(log, { sharesPort: true }) : connections,
      });
metrics.watchSockets(() => server.streams.bufferedBytes);
certificate?.start();
if (certificate !== undefined) metrics.watchCertificate(() => certificate.notAfterMs);

async function tellMetrics(): Promise<ProcessMetrics | undefined> {
  try {
    return await metrics.told();
  } catch (error) {
    log.error({ err: error, code: codeOf(error), fault: "bug" }, "the metrics could not be told");
    return undefined;
  }
}

/** Others take who comes while this worker is full. Whoever knocks at the moment of closing would be reset: it is chosen. */
async function pauseListening(isFull: boolean): Promise<void> {
  if (isFull) await quietTurn(() => clock.nowMs());
  server.pauseListening(gateway.isFull && !leaving);
}

let listening = false;
let retiring = false;
let leaving = false;
/** Lets the calls end, until DRAIN_MS is over, and goes. */
async function leave(): Promise<void> {
  if (leaving) return;
  leaving = true;
  handOff.tellLoad();
  // Where the service drains it listens, full or not: whoever comes with a token is told 503, and the token is not spent.
  server.pauseListening(false);
  const cancel = clock.after(config.drainMs, () => gateway.sayGoodbye());
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
  handOff.tellLoad();
  await quietTurn(() => clock.nowMs());
  server.stopListening();
  const untilMs = clock.nowMs() + HANDSHAKE_MS_MAX;
  while (server.handshakes > 0 && clock.nowMs() < untilMs) {
    await new Promise<void>((resolve) => {
      clock.after(HANDSHAKE_LOOK_MS, resolve);
    });
  }
  await leave();
}

/** The next supervisor's workers take the port; the calls of this one go on until DRAIN_MS is over. */
function leaveOrphaned(): void {
  log.warn({ calls: gateway.load().callCount }, "the supervisor is gone: no new streams are taken, live calls go on");
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

onSupervisor({
  drain: () => void leave(),
  stop: () => process.exit(0),
  orphaned: leaveOrphaned,
  retire: () => void retire(),
  connections,
});
// Where others listen too, whoever came here before the control process is known would be refused.
await handOff.tried;
// A worker that can redeem nothing must not take the place of one that can.
if (handOff.isForeign) process.exit(1);
const listeningPort = await listen();
listening = true;
handOff.tellLoad();
tellReady(listeningPort, clock);
