import type { ConversationOptions } from "../conversations/bench.ts";
import type { ProviderDelays } from "../conversations/protocol.ts";
import type { Machine } from "../harness/machine.ts";
import type { Spread } from "../harness/statistics.ts";
import type { Verdict } from "../harness/verdict.ts";
import type { Cores } from "../rig/cpu-cores.ts";

export interface TurnCase {
  title: string;
  delays: ProviderDelays;
  /** What the engines and the endpoint take of every turn, ms. */
  expectedMs: number;
  /** From the caller's last voiced frame to the first frame of the answer, at the caller, ms. */
  voiceToVoiceMs: Spread;
  /** What is left of it: the service's own, with sockets and the wait for the next tick. */
  overheadMs: Spread;
}

export interface TurnResult {
  machine: Machine;
  cores: Cores | undefined;
  options: ConversationOptions;
  /** Why the figures mean nothing; none when they do. */
  problems: string[];
  cases: TurnCase[];
  budgets: Verdict[];
}
