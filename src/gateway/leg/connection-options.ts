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

/** What the connection of one leg is made of. */
export interface ConnectionOptions {
  redeemed: RedeemedCall;
  socket: LegSocket;
  wire: Wire;
  /** Where the wire puts what it decodes; shared by all connections of the process. */
  inbound: InboundAudio;
  /** The connection's own from here on. */
  vad: Vad;
  makeResampler: ResamplerFactory;
  stt: Stt | undefined;
  llm: Llm;
  tts: Tts;
  parameters: Readonly<TurnParameters>;
  /** What a prompt of the call may come to, estimated tokens; absent where there is no bound. */
  promptTokensMax?: number;
  liveness: LivenessOptions;
  httpTools: Pick<HttpTools, "carryOut">;
  /** Checks arguments of tools; shared by all connections of the process. */
  schemas: Pick<SchemaChecks, "prepare" | "check">;
  /** Service phrases; shared by all connections of the process. */
  phrases: PhraseFinder;
  /** What the call spends, and may spend. */
  spend: AgentPipelineOptions["spend"];
  journal: JournalWriter;
  metrics: Pick<WorkerMetrics, "callEnded"> & AgentPipelineOptions["metrics"];
  clock: Clock;
  /** The call's own, which from the stream's beginning on names the carrier's id for the call, too. */
  log: Logger;
  /** The stream has begun, and its carrier knows the call by this id. */
  onStarted: (carrierCallId: string) => void;
  /** The call is over, its journal complete or failed, and nothing of it is alive. */
  onDone: (end: EndSummary) => void;
}
