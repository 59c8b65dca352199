import type { Clock } from "../../../core/clock.ts";
import type { Retriever } from "../../../core/knowledge/passages.ts";
import type { Logger } from "../../../core/log/logger.ts";
import { RetrievalClient } from "../../../knowledge/host/client.ts";
import { type IndexSource, IndexSynchronizer } from "../../../knowledge/host/synchronizer.ts";
import { corporaIn } from "../../../knowledge/index/corpus-path.ts";
import { connectorTo } from "../../../store/handoff/socket-path.ts";

export interface CorpusIndexOptions {
  /** Of the retrieval process. */
  socketPath: string;
  /** The folder of its files. */
  folder: string;
  source: IndexSource;
  /** The retrieval process must run. */
  onNeeded: () => void;
  clock: Clock;
  log: Logger;
}

/** The index of corpora, as the control process has it. */
export interface CorpusIndex {
  readonly retriever: Retriever;
  /** Keeps the index equal to the store from now on. */
  start(): void;
  /** Something in the store has changed. */
  wake(): void;
  /** The metrics of the retrieval process; undefined where it does not run, or does not answer within `answerMsMax`. */
  metrics(answerMsMax: number): Promise<string | undefined>;
  close(): void;
}

/** The client of the retrieval process, and what keeps its index equal to the store. */
export function corpusIndex({ socketPath, folder, source, onNeeded, clock, log }: CorpusIndexOptions): CorpusIndex {
  let isNeeded = false;
  const client = new RetrievalClient({
    connect: connectorTo(socketPath),
    clock,
    onLost: () => synchronizer.compare(),
    onReconnected: () => synchronizer.compare(),
  });
  const synchronizer = new IndexSynchronizer({
    source,
    index: client,
    onNeeded: () => {
      isNeeded = true;
      onNeeded();
    },
    hasFiles: () => corporaIn(folder).length > 0,
    clock,
    log,
  });
  return {
    retriever: client,
    start: () => synchronizer.start(),
    wake: () => synchronizer.wake(),
    metrics: async (answerMsMax) => (isNeeded ? await client.metrics(answerMsMax) : undefined),
    close() {
      synchronizer.close();
      client.close();
    },
  };
}
