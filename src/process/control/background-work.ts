import { API_BASE_PATH } from "../../api/app.ts";
import { itemOf, turnItemsOf } from "../../api/calls/item.ts";
import { documentItemOf } from "../../api/corpora/items.ts";
import { TOOL_NAMES } from "../../api/tools/schemas.ts";
import { transcriptionEventItemOf } from "../../api/transcriptions/item.ts";
import { SchemaProcess } from "../../core/schemas/checker.ts";
import { HttpTools } from "../../core/tools/http/client.ts";
import { McpProcess } from "../../core/tools/mcp/client.ts";
import { McpLister } from "../../core/tools/mcp/lister.ts";
import { forkMcpProcess } from "../../core/tools/mcp/process.ts";
import { McpTools } from "../../core/tools/mcp/tools.ts";
import { EventDocuments } from "../../delivery/documents.ts";
import type { JobRunner } from "../../jobs/runner.ts";
import { JobStatisticsReader } from "../../jobs/statistics.ts";
import { toolRunsOf } from "../../record/events/tool-runs.ts";
import { accountLlms } from "../../speech/llm/accounts.ts";
import { DocumentFiles } from "../../store/data-dir/document-files.ts";
import { notifySupervisor } from "../channel/child-side.ts";
import { backgroundJobs } from "./background-jobs.ts";
import { ANALYSIS_DEADLINES, analysisLlms } from "./calls/analyses.ts";
import { type CorpusIndex, corpusIndex } from "./corpora/corpus-index.ts";
import { DocumentEnds } from "./corpora/document-ends.ts";
import { type DocumentProcessing, documentProcessing } from "./corpora/document-processing.ts";
import type { Foundation } from "./foundation.ts";
import type { LiveCallsOfService } from "./live-calls.ts";
import type { Records } from "./records.ts";
import { toolListings } from "./tool-listings.ts";
import { type FileTranscriptions, fileTranscriptions, providersOf } from "./transcriptions/file-transcriptions.ts";
import { TranscriptionEnds } from "./transcriptions/transcription-ends.ts";

/** What the control process does beside calls: jobs, and what they and the API use for it. */
export interface BackgroundWork extends Tools, Knowledge {
  transcriptions: FileTranscriptions;
  /** What webhooks and event streams are sent. */
  documents: EventDocuments;
  jobStatistics: JobStatisticsReader;
  jobs: JobRunner;
}

/**
 * Begins to follow the ends of transcriptions and documents, and to count jobs. The jobs wait for their `start`. Rejects with the errors of
 * the disk.
 */
export async function openBackgroundWork(
  base: Foundation,
  records: Records,
  { phone, transcriptionActivity }: Pick<LiveCallsOfService, "phone" | "transcriptionActivity">,
): Promise<BackgroundWork> {
  const { config, stores, accountSecrets, accountTotals, guardedHttp, metrics, clock, log } = base;
  const documents = eventDocuments(base, records);
  const transcriptions = await transcriptionsOf(base, records, transcriptionActivity);
  const knowledge = await knowledgeOf(base, records);
  const tools = toolsOf(base);
  const jobStatistics = new JobStatisticsReader(stores.jobs, clock);
  jobStatistics.start();
  const { webhooks, mediaKeys, carriers, inboundWebhooks } = base;
  const { journals, finalizer, retention, transcriptionRetention, shared } = records;
  const jobs = backgroundJobs({
    ...{ stores, webhooks, mediaKeys, accountSecrets, carriers, inboundWebhooks },
    ...{ journals, finalizer, retention, transcriptionRetention, shared, metrics, clock, log },
    toolListings: toolListings({ tools: stores.tools, accountSecrets, mcpLister: tools.mcpLister, clock, log }),
    phoneCalls: phone?.jobs,
    transcriptions: transcriptions.job,
    documentProcessing: knowledge.processing.job,
    corpusCleaning: knowledge.processing.cleaning,
    analysisLlmOf: analysisLlms({
      llms: accountLlms({ config, clock, log, deadlines: ANALYSIS_DEADLINES }),
      providersOf: (accountId) => providersOf({ stores, accountSecrets }, accountId),
    }),
    schemas: tools.schemas,
    isOverLimit: (accountId) => accountTotals.overLimit(accountId) !== undefined,
    prices: config.prices,
    documents,
    http: guardedHttp,
    dataDir: config.dataDir,
    statistics: jobStatistics,
  });
  metrics.observeTranscriptions(() => transcriptions.inProgress);
  return { ...tools, ...knowledge, transcriptions, documents, jobStatistics, jobs };
}

const eventDocuments = ({ config, stores }: Foundation, { events }: Records): EventDocuments =>
  new EventDocuments({
    calls: stores.calls,
    callDocument: itemOf,
    turnDocuments: turnItemsOf,
    toolRuns: (callId) => toolRunsOf(events, callId),
    transcriptions: stores.transcriptions,
    transcriptionDocument: (transcription, result) => transcriptionEventItemOf(transcription, result, config.prices),
    documents: stores.documents,
    documentDocument: documentItemOf,
    apiUrl: config.publicApiUrls[0] ?? API_BASE_PATH,
  });

async function transcriptionsOf(
  base: Foundation,
  { transcriptionAudio, openStoredRecording }: Records,
  activity: LiveCallsOfService["transcriptionActivity"],
): Promise<FileTranscriptions> {
  const { config, stores, accountSecrets, guardedHttp, disk, assignment, metrics, clock, log } = base;
  const ends = new TranscriptionEnds({
    transcriptions: stores.transcriptions,
    audio: transcriptionAudio,
    encryptsMedia: config.encryptMedia,
    metrics,
    clock,
    log,
  });
  await ends.start();
  return await fileTranscriptions({
    config,
    stores,
    accountSecrets,
    openStoredRecording,
    http: guardedHttp,
    audio: transcriptionAudio,
    isDiskLow: () => disk.isLow,
    speechSocketPath: assignment.speech?.socketPath,
    clock,
    log,
    onTranscriberDied: () => metrics.transcriberDied(),
    onProgress: (progress) => activity.report(progress),
  });
}

/** Documents, from their files to the index that answers questions. */
interface Knowledge {
  documentFiles: DocumentFiles;
  documentEnds: DocumentEnds;
  processing: DocumentProcessing;
  index: CorpusIndex;
}

async function knowledgeOf(base: Foundation, { shared }: Records): Promise<Knowledge> {
  const { config, stores, guardedHttp, disk, assignment, metrics, clock, log } = base;
  const documentFiles = new DocumentFiles(config.dataDir, shared?.files);
  const documentEnds = new DocumentEnds({
    documents: stores.documents,
    files: documentFiles,
    encryptsMedia: config.encryptMedia,
    metrics,
    clock,
    log,
  });
  await documentEnds.start();
  const processing = documentProcessing({
    stores,
    files: documentFiles,
    bytesMax: config.documentBytesMax,
    http: guardedHttp,
    isDiskLow: () => disk.isLow,
    metrics,
    clock,
    log,
  });
  const { socketPath, folder } = assignment.retrieval;
  const onNeeded = (): void => notifySupervisor({ kind: "retrieval-needed" });
  const index = corpusIndex({ socketPath, folder, source: stores.corpora, onNeeded, clock, log });
  return { documentFiles, documentEnds, processing, index };
}

/** Tools outside a call: what tests, lists and checks them. */
interface Tools {
  schemas: SchemaProcess;
  httpTools: HttpTools;
  mcpTools: McpTools;
  mcpLister: McpLister;
}

function toolsOf({ config, metrics, clock, log }: Foundation): Tools {
  const options = { secrets: config.toolSecrets, allowLoopback: config.toolsAllowLoopback };
  const schemas = new SchemaProcess({ clock, log, count: (outcome) => metrics.budgetedTask("schemas", outcome) });
  const clients = new McpProcess({ start: forkMcpProcess(config.toolsAllowLoopback), clock, log });
  const mcpTools = new McpTools({ ...options, clients });
  const mcpLister = new McpLister({ mcpTools, schemas, reservedNames: TOOL_NAMES, clock });
  return { schemas, httpTools: new HttpTools(options), mcpTools, mcpLister };
}
