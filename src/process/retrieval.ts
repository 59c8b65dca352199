import { readdirSync, rmSync, statSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import { join, resolve } from "node:path";
import { systemClock } from "../core/clock.ts";
import { codeOf } from "../core/errors.ts";
import { RETRIEVAL_NICE } from "../core/limits/knowledge/retrieval.ts";
import { createLogger } from "../core/log/logger.ts";
import { collectProcessMetrics } from "../core/metrics/process-metrics.ts";
import { RetrievalMetrics } from "../core/metrics/retrieval-metrics.ts";
import { IndexHost } from "../knowledge/host/index-host.ts";
import { QuestionQueue } from "../knowledge/host/question-queue.ts";
import { RetrievalServer } from "../knowledge/host/server.ts";
import { WriterThread } from "../knowledge/index/writer-client.ts";
import { HttpEmbeddings } from "../knowledge/vectors/embeddings.ts";
import { makePrivateFolder } from "../store/data-dir/data-dir.ts";
import { prepareSocket, withShortPath } from "../store/handoff/socket-path.ts";
import {
  exitOnUncaughtException,
  handleSupervisorMessages,
  reportReady,
  waitForAssignment,
} from "./channel/child-side.ts";

/**
 * Composition root of the retrieval process: it alone has the index of corpora, and answers the questions of all calls of the machine. It
 * has no state but its files, which the control process makes again from the store.
 */
exitOnUncaughtException(createLogger("retrieval", "info"));
const clock = systemClock;
const { retrieval } = await waitForAssignment();
const { socketPath, folder, embeddings, logLevel } = retrieval;
const log = createLogger("retrieval", logLevel);
makePrivateFolder(resolve(folder));
const metrics = new RetrievalMetrics(() => ({
  waiting: questions.count,
  openCorpora: host.corpora.count,
  indexBytes: bytesIn(folder),
  vectorBytes: host.vectorBytes,
}));
collectProcessMetrics(metrics.registry);
const writer = new WriterThread(folder, {
  onFailed(error) {
    log.fatal({ err: error, code: codeOf(error) }, "writer of the index failed");
    process.exit(1);
  },
  onCompactionFailed: (code) => log.warn({ code }, "words of removed documents are not overwritten yet"),
});
const host = new IndexHost({
  folder,
  changer: writer,
  embeddings: embeddings && new HttpEmbeddings(embeddings),
  clock,
  log,
  onLost(corpusId) {
    metrics.indexLost();
    server.reportLost(corpusId);
  },
  onRanked: (by) => metrics.ranked(by),
  onEmbedded: (vectors) => metrics.embedded(vectors),
});
const questions = new QuestionQueue({ retriever: host.retriever });
const server = new RetrievalServer({
  questions,
  change: (change) => host.change(change),
  state: (after) => host.corpora.page(after),
  metrics: () => metrics.registry.metrics(),
  clock,
  onQuestion: (outcome, tookMs) => metrics.questionEnded(outcome, tookMs),
  onDefect: (error) => log.error({ err: error, code: codeOf(error), fault: "bug" }, "request to the index failed"),
  onAbandoned: () => isOrphaned && exit(),
});
let isOrphaned = false;

function exit(): void {
  rmSync(socketPath, { force: true });
  host.close();
  process.exit(0);
}

/** The workers may go on with their calls for DRAIN_MS. */
function onOrphaned(): void {
  isOrphaned = true;
  if (server.connectionCount === 0) exit();
}

/** What the files of a folder take on disk; 0 where it cannot be read. */
function bytesIn(path: string): number {
  try {
    return readdirSync(path).reduce(
      (sum, name) => sum + (statSync(join(path, name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
  } catch {
    return 0;
  }
}

// Questions must not take CPU time from the media workers.
setPriority(Math.max(getPriority(), RETRIEVAL_NICE));
handleSupervisorMessages({ drain: () => {}, stop: exit, orphaned: onOrphaned });
prepareSocket(socketPath);
await server.listen((listener) => withShortPath(socketPath, (path) => void listener.listen(path)));
host.start();
reportReady(0, clock);
