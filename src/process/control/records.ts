import { readLoaderEnvironment } from "../../config/environment.ts";
import type { CallId } from "../../core/ids.ts";
import { EventPager } from "../../record/events/event-pages.ts";
import { CallFinalizer } from "../../record/finalization/finalizer.ts";
import type { JournalProcessor } from "../../record/finalization/journal-processor.ts";
import { WaveformReader } from "../../record/recording/waveform-reader.ts";
import { FilesElsewhere } from "../../record/retention/elsewhere.ts";
import { RetentionJob, type RetentionJobOptions } from "../../record/retention/job.ts";
import { TranscriptionRetention } from "../../record/retention/transcriptions.ts";
import { CallTraces } from "../../record/traces/call-traces.ts";
import { loadSpanExport } from "../../record/traces/exporter.ts";
import { TranscriptionAudio } from "../../store/data-dir/transcription-audio.ts";
import { RendererClient } from "../renderer/client.ts";
import { forkRenderer, journalBytesIn } from "../renderer/fork.ts";
import { usableTraces } from "../traces-support.ts";
import type { Foundation } from "./foundation.ts";
import { openSharedMedia, type SharedMediaOfService, storedRecordings } from "./storage/shared-media.ts";

/** Journals and what is made of them: records, events, recordings, waveforms and traces, on this disk and in the bucket. */
export interface Records extends Retention {
  renderer: RendererClient;
  /** Undefined where journals and recordings are on this disk alone. */
  shared: SharedMediaOfService | undefined;
  journals: JournalProcessor;
  traces: CallTraces | undefined;
  finalizer: CallFinalizer;
  /** The events of a call whose journal is at hand, or is fetched first. */
  events: Pick<EventPager, "page">;
  waveforms: WaveformReader;
  openStoredRecording: ReturnType<typeof storedRecordings>;
}

/** Called when a call has its record. */
export type OnFinalized = (callId: CallId) => void;

/** Opens the bucket, as `openSharedMedia` does, and the export of spans, as `loadSpanExport` does. Rejects as they do. */
export async function openRecords(base: Foundation, onFinalized: OnFinalized): Promise<Records> {
  const { config, metrics, findMediaKey, clock, log } = base;
  const { dataDir } = config;
  const renderer = new RendererClient({
    start: forkRenderer(dataDir, readLoaderEnvironment()),
    journalBytes: journalBytesIn(dataDir),
    findKey: findMediaKey,
    clock,
    log,
    onRestart: () => metrics.rendererRestarted(),
  });
  const shared = await sharedMediaOf(base, (callId, work) => finalizer.withFiles(callId, work));
  const journals: JournalProcessor = shared?.media.processing(renderer) ?? renderer;
  const traces = await tracesOf(base, renderer);
  const finalizer = new CallFinalizer({
    calls: base.stores.calls,
    dataDir,
    journals,
    prices: config.prices,
    traces,
    clock,
    log,
    onFinalized(callId, tookMs) {
      metrics.recordMade(tookMs);
      onFinalized(callId);
    },
  });
  metrics.observeRecords(() => finalizer.count);
  const pager = new EventPager(dataDir, findMediaKey);
  const waveforms = new WaveformReader({
    dataDir,
    findKey: findMediaKey,
    async makeWaveform(callId) {
      if (!(await shared?.recordings.fetchWaveform(callId))) await renderer.makeWaveform(callId);
    },
    withFiles: (callId, work) => finalizer.withFiles(callId, work),
  });
  return {
    ...retentionOf(base, shared),
    renderer,
    shared,
    journals,
    traces,
    finalizer,
    events: {
      async page(callId, from, limit) {
        await shared?.media.fetchComplete(callId);
        return await pager.page(callId, from, limit);
      },
    },
    waveforms,
    openStoredRecording: storedRecordings(dataDir, findMediaKey, shared?.recordings),
  };
}

async function sharedMediaOf(
  base: Foundation,
  withFiles: CallFinalizer["withFiles"],
): Promise<SharedMediaOfService | undefined> {
  const { config, stores, capacity, cluster, disk, metrics, findMediaKey, clock, log } = base;
  const shared =
    config.bucket &&
    (await openSharedMedia({
      config: config.bucket,
      dataDir: config.dataDir,
      stores,
      liveCalls: () => new Set(capacity.carriedCalls.keys()),
      ownershipOf: (callId) => cluster?.ownershipOf(callId) ?? "certain",
      findKey: findMediaKey,
      encryptsMedia: config.encryptMedia,
      isDiskLow: () => disk.isLow,
      withFiles,
      metrics,
      clock,
      log,
    }));
  metrics.observeShipping(() => shared?.waiting() ?? { bytesWaiting: 0, oldestMs: 0 });
  return shared;
}

async function tracesOf(base: Foundation, renderer: RendererClient): Promise<CallTraces | undefined> {
  const { config, stores, metrics, clock, log } = base;
  const settings = usableTraces(config);
  if (settings === undefined) return undefined;
  const exporter = await loadSpanExport(settings, (outcome, spans) => metrics.spansCounted(outcome, spans), log);
  return new CallTraces({ exporter, hasWords: settings.hasWords, calls: stores.calls, journals: renderer, clock, log });
}

interface Retention {
  retention: RetentionJob;
  transcriptionRetention: TranscriptionRetention;
  transcriptionAudio: TranscriptionAudio;
  /** What other nodes have of calls; undefined in a service that is alone. */
  elsewhere: FilesElsewhere | undefined;
}

function retentionOf(base: Foundation, shared: SharedMediaOfService | undefined): Retention {
  const { config, stores, cluster, metrics, clock, log } = base;
  const elsewhere = cluster && new FilesElsewhere({ own: cluster.holder.name, calls: stores.calls, jobs: stores.jobs });
  const transcriptionAudio = new TranscriptionAudio(config.dataDir, shared?.files);
  const common: Omit<RetentionJobOptions, "calls" | "dataDir"> = {
    rules: config.retention,
    accounts: stores.accounts,
    store: stores.retention,
    clock,
    log,
    onDeleted: (part, bytes) => metrics.retentionDeleted(part, bytes),
    onFailed: (part) => metrics.retentionFailed(part),
  };
  return {
    elsewhere,
    transcriptionAudio,
    retention: new RetentionJob({
      ...common,
      elsewhere,
      calls: stores.calls,
      dataDir: config.dataDir,
      removeShared: shared?.removeShared,
      onRun: () => metrics.retentionRan(clock.epochMs()),
    }),
    transcriptionRetention: new TranscriptionRetention({
      ...common,
      transcriptions: stores.transcriptions,
      audio: transcriptionAudio,
    }),
  };
}
