import type { ConversationOptions } from "../conversations/bench.ts";
import type { Machine } from "../harness/machine.ts";
import type { Spread } from "../harness/statistics.ts";
import type { Verdict } from "../harness/verdict.ts";
import type { Cores } from "../rig/cpu-cores.ts";

export interface BargeInResult {
  machine: Machine;
  cores: Cores | undefined;
  options: ConversationOptions;
  /** Why the figures mean nothing; none when they do. */
  problems: string[];
  /** From the first sample of the caller's voice to the last frame of the agent that came to the caller, ms. */
  fromSpeechMs: Spread;
  /** And from the frame with which the detector knew; below 0 it had come before. */
  fromDetectionMs: Spread;
  budgets: Verdict[];
}
