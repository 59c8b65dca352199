import type { CallSpec } from "../core/calls/spec.ts";
import type { CallSink } from "./events.ts";
import type { TurnParameters } from "./parameters.ts";

/** What a call machine is made of. */
export interface CallOptions {
  spec: CallSpec;
  /** The rate of the agent's audio: what samples in events are counted at, Hz. */
  rateHz: number;
  sttHasInterim: boolean;
  parameters?: Readonly<TurnParameters>;
  /** What a prompt may come to, estimated tokens; past it old turns are dropped. Absent where there is no bound. */
  promptTokensMax?: number | undefined;
  sink: CallSink;
}
