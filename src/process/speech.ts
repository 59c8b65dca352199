import { strict as assert } from "node:assert";
import { rmSync } from "node:fs";
import { systemClock } from "../core/clock.ts";
import { createLogger } from "../core/log/logger.ts";
import { collectProcessMetrics } from "../core/metrics/process-metrics.ts";
import { SpeechMetrics } from "../core/metrics/speech-metrics.ts";
import { SpeechServer } from "../speech/local/host/server.ts";
import { URGENCIES } from "../speech/local/jobs.ts";
import { forkSpeechChild } from "../speech/local/pool/child.ts";
import { loggedChildren } from "../speech/local/pool/open.ts";
import { SpeechPool } from "../speech/local/pool/pool.ts";
import { prepareSocket, withShortPath } from "../store/handoff/socket-path.ts";
import {
  exitOnUncaughtException,
  handleSupervisorMessages,
  reportReady,
  waitForAssignment,
} from "./channel/child-side.ts";

/**
 * Composition root of the speech process: it owns the children with the local speech models, which all calls of the machine share,
 * and the queue before them. It has no state: the workers send again what was pending when it dies.
 */
exitOnUncaughtException(createLogger("speech", "info"));
const clock = systemClock;
const { speech } = await waitForAssignment();
assert.ok(speech !== undefined, "the speech process is started where it is needed");
const { socketPath, settings, logLevel } = speech;
const log = createLogger("speech", logLevel);
const metrics = new SpeechMetrics(URGENCIES, () => pool.readings);
collectProcessMetrics(metrics.registry);
const pool = new SpeechPool({
  processes: settings.processes,
  start: forkSpeechChild(settings),
  clock,
  observer: {
    childReady: (child) => log.info(child, "local speech model loaded"),
    childEnded(cause, detail) {
      loggedChildren(log).childEnded(cause, detail);
      metrics.processEnded(cause);
    },
    jobEnded: (urgency, outcome, times) => metrics.jobEnded(urgency, outcome, times),
  },
});
const server = new SpeechServer({
  speech: pool,
  metrics: () => metrics.registry.metrics(),
  onAbandoned: () => isOrphaned && exit(),
});
let isOrphaned = false;

function exit(): void {
  rmSync(socketPath, { force: true });
  pool.close();
  process.exit(0);
}

/** The workers may go on with their calls for DRAIN_MS. */
function onOrphaned(): void {
  isOrphaned = true;
  if (server.connectionCount === 0) exit();
}

handleSupervisorMessages({ drain: () => {}, stop: exit, orphaned: onOrphaned });
prepareSocket(socketPath);
await server.listen((listener) => withShortPath(socketPath, (path) => void listener.listen(path)));
reportReady(0, clock);
