import { randomUUID } from "node:crypto";
import { readConfig } from "./config.ts";
import { systemClock } from "./core/clock.ts";
import { codeOf } from "./core/errors.ts";
import { createLogger } from "./core/log.ts";
import { WorkerMetrics, watchProcess } from "./core/metrics.ts";
import { SOFTWARE } from "./core/software.ts";
import { CertificateWatch } from "./gateway/certificate.ts";
import { Gateway } from "./gateway/gateway.ts";
import { JournalWriters } from "./gateway/journal-writer.ts";
import { MediaServer } from "./gateway/server.ts";
import { HttpTools } from "./gateway/tools/http-client.ts";
import { loadOpus } from "./media/opus.ts";
import { loadResampler } from "./media/resampler.ts";
import { loadVad } from "./media/vad.ts";
import { childArguments, failInOneLine, onSupervisor } from "./processes.ts";
import { createEngines } from "./speech/engines.ts";
import { IpcHandOff } from "./store/ipc-hand-off.ts";

/** Composition root of a media worker: one process, one share of the calls. */
// The supervisor has read the same, but not the same files when the worker is started again.
failInOneLine(createLogger("worker", "info"));
const config = readConfig();
const { socketPath, port, mediaUrl, restarts } = childArguments();
const log = createLogger("worker", config.logLevel);
const clock = systemClock;
const metrics = new WorkerMetrics(() => gateway.readings());
watchProcess(metrics.registry, restarts);

const engines = createEngines(config, clock, log);
if (engines.stt === undefined) {
  log.warn("no ear is configured: callers are not understood. Set STT, for example STT=reference for a trial");
}
if (config.toolsAllowLoopback) {
  log.warn("TOOLS_ALLOW_LOOPBACK is set: tools may call this machine. Never set it where others create calls");
}
const [makeVad, makeResampler, opus] = await Promise.all([loadVad(), loadResampler(), loadOpus()]);
const journals = new JournalWriters({ dataDir: config.dataDir, software: SOFTWARE, clock, log });
// From here to `listen` nothing waits: a connected hand-off tells of the gateway, and of a port that calls can be sent to.
const handOff = new IpcHandOff({
  path: socketPath,
  workerId: randomUUID(),
  callIds: () => gateway.callIds(),
  onEnd: (callId) => gateway.end(callId, "api_hangup"),
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
  journals,
  metrics,
  clock,
  log,
  callsMax: config.callsPerWorker,
  carrierSecrets: config.carrierSecrets,
  mediaUrl,
  carrierBOutboundCodec: config.carrierBOutboundCodec,
});
const { mediaTls } = config;
const certificate =
  mediaTls && new CertificateWatch({ files: mediaTls, prepare: () => server.prepareCertificate(), clock, log });
const server = new MediaServer({ admit: (token, headers) => gateway.admit(token, headers), tls: mediaTls, log });
certificate?.start();
if (certificate !== undefined) metrics.watchCertificate(() => certificate.notAfterMs);

async function tellMetrics(): Promise<string | undefined> {
  try {
    return await metrics.exposition();
  } catch (error) {
    log.error({ err: error, code: codeOf(error), fault: "bug" }, "the metrics could not be told");
    return undefined;
  }
}

let draining = false;
async function drain(): Promise<void> {
  if (draining) return;
  draining = true;
  // It goes on listening: whoever comes with a token is told 503, and the token is not spent.
  const cancel = clock.after(config.drainMs, () => gateway.endAll());
  await gateway.drain();
  cancel();
  server.close();
  await Promise.all([handOff.close(), engines.close()]);
  process.exit(0);
}

/**
 * A worker that is started again must get its port though connections of the one before linger on it. uWebSockets.js asks
 * for that (SO_REUSEPORT) only where the port is given by number.
 */
async function listen(): Promise<number> {
  const listening = await server.listen(config.mediaHost, port);
  if (port !== 0) return listening;
  server.stopListening();
  return await server.listen(config.mediaHost, listening);
}

onSupervisor({ drain: () => void drain(), stop: () => process.exit(0) });
process.send?.({ kind: "ready", port: await listen() });
