import type { TurnParameters } from "../../call/parameters.ts";
import type { Clock } from "../../core/clock.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { WorkerMetrics } from "../../core/metrics/worker-metrics.ts";
import type { SchemaChecks } from "../../core/schemas/checker.ts";
import type { ResamplerFactory } from "../../media/resampler.ts";
import type { Vad } from "../../media/vad.ts";
import type { Llm, Stt, Tts } from "../../speech/contracts.ts";
import type { EndSummary, RedeemedCall } from "../../store/call-handoff.ts";
import type { InboundAudio, Wire } from "../../wire/wire.ts";
import type { AgentPipelineOptions } from "../agent/pipeline.ts";
import type { JournalWriter } from "../journal/writer.ts";
import type { PhraseFinder } from "../phrases/book.ts";
import type { HttpTools } from "../tools/http-client.ts";
import type { LegSocket } from "./leg.ts";
import type { LivenessOptions } from "./liveness.ts";

/** What the connection of one leg needs. */
export interface ConnectionOptions {
  redeemed: RedeemedCall;
  socket: LegSocket;
  wire: Wire;
  /** The wire's decode buffer; shared by all connections of the process. */
  inbound: InboundAudio;
  /** Owned by the connection from here on. */
  vad: Vad;
  makeResampler: ResamplerFactory;
  stt: Stt | undefined;
  llm: Llm;
  tts: Tts;
  parameters: Readonly<TurnParameters>;
  /** The maximum size of a prompt of this call, estimated tokens; unlimited when absent. */
  promptTokensMax?: number;
  liveness: LivenessOptions;
  httpTools: Pick<HttpTools, "carryOut">;
  /** Checks arguments of tools; shared by all connections of the process. */
  schemas: Pick<SchemaChecks, "prepare" | "check">;
  /** Service phrases; shared by all connections of the process. */
  phrases: PhraseFinder;
  /** Charges the call and checks its spend limits. */
  spend: AgentPipelineOptions["spend"];
  journal: JournalWriter;
  metrics: Pick<WorkerMetrics, "callEnded"> & AgentPipelineOptions["metrics"];
  clock: Clock;
  /** The call's own logger; once the stream has started, it also names the carrier's id of the call. */
  log: Logger;
  /** The stream has started, and the carrier knows the call by this id. */
  onStarted: (carrierCallId: string) => void;
  /** The call is over, its journal is complete or failed, and all its resources are released. */
  onDone: (end: EndSummary) => void;
}
