import type { TurnParameters } from "../call/parameters.ts";
import type { MediaState, PhoneRequest } from "../core/calls/phone-requests.ts";
import type { Clock } from "../core/clock.ts";
import type { EpochMs } from "../core/clocks.ts";
import type { CarrierCallId } from "../core/ids.ts";
import type { Retriever } from "../core/knowledge/passages.ts";
import type { Logger } from "../core/log/logger.ts";
import type { WorkerMetrics } from "../core/metrics/worker-metrics.ts";
import type { SchemaChecks } from "../core/schemas/checker.ts";
import type { ServerToolsOfCall } from "../core/tools/server-tools.ts";
import type { ResamplerFactory } from "../media/resampler.ts";
import type { JournaledLeg } from "../record/journal/records.ts";
import type { CallLlm, CallStt, CallTts } from "../speech/contracts.ts";
import type { LocalSpeech } from "../speech/local/jobs.ts";
import type { EndSummary, RedeemedCall } from "../store/call-handoff.ts";
import type { AgentPipelineOptions } from "./agent/pipeline.ts";
import type { JournalWriter } from "./journal/writer.ts";
import type { TurnTakingMetrics } from "./metrics/turn-taking.ts";
import type { PhraseFinder } from "./phrases/book.ts";

/** What a call wants of the telephone network, and says to it. */
export interface PhoneNetwork {
  /** Passes on what the agent wants; false where that is not possible at present. */
  request(request: PhoneRequest): boolean;
  /** The call has a media stream from now on, or has lost it. */
  mediaChanged(state: MediaState): void;
}

/** What the session of a call needs. */
export interface CallSessionOptions {
  redeemed: Omit<RedeemedCall, "providers" | "toolSecrets">;
  /** The format of every leg that will be attached: see `legFormatOf`. */
  format: JournaledLeg;
  makeResampler: ResamplerFactory;
  stt: CallStt | undefined;
  /** The processes with the turn model; undefined where none is configured. */
  turnModel?: LocalSpeech | undefined;
  llm: CallLlm;
  tts: CallTts;
  parameters: Readonly<TurnParameters>;
  /** The maximum size of a prompt of this call, estimated tokens; unlimited when absent. */
  promptTokensMax?: number;
  httpTools: ServerToolsOfCall;
  /** Answers questions from corpora; undefined where this process has no index to ask. */
  retriever?: Retriever | undefined;
  /** Checks arguments of tools; shared by all calls of the process. */
  schemas: Pick<SchemaChecks, "prepare" | "check">;
  /** Service phrases; shared by all calls of the process. */
  phrases: PhraseFinder;
  /** Charges the call and checks its spend limits. */
  spend: AgentPipelineOptions["spend"];
  journal: JournalWriter;
  /** A leg that is lost ends the call only when no other one is attached within RESUME_MS_MAX. */
  mayResume: boolean;
  /** Undefined where the service does not control the telephone call. */
  phone?: PhoneNetwork | undefined;
  metrics: TurnTakingMetrics &
    Pick<WorkerMetrics, "callEnded" | "toolRan" | "retrievalEnded" | "retrievalAnswered"> &
    AgentPipelineOptions["metrics"];
  clock: Clock;
  /** The call's own logger; once the stream has started, it also names the carrier's id of the call. */
  log: Logger;
  /** The stream has started, and the carrier knows the call by this id. */
  onStarted: (carrierCallId: CarrierCallId) => void;
  /** The caller is on hold since then, or no longer. */
  onHold?: (sinceMs: EpochMs | undefined) => void;
  /** The call goes on without a leg, or has one again. */
  onDetached?: () => void;
  /** The call is over, its journal is complete or failed, and all its resources are released. */
  onDone: (end: EndSummary) => void;
}
