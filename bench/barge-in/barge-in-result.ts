import type { Cores } from "../load/processes.ts";
import type { Machine } from "../machine.ts";
import type { Spread } from "../statistics.ts";
import type { ConversationOptions } from "../talk/talk-bench.ts";
import type { Verdict } from "../verdict.ts";

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
