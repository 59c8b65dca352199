import type { Attack, Outcome, Size } from "./attacks/attack.ts";
import type { ControlReport } from "./control-calls.ts";

/** An attack and how large it is. */
export interface PlannedAttack {
  attack: Attack;
  size: Size;
}

/** An attack, and what the service made of it. */
export interface AttackResult extends Outcome {
  id: string;
  name: string;
  /** How the attackers' calls ended, and how long the longest of them lasted; none where they had no call. */
  endReasons: Readonly<Record<string, number>>;
  /** Requests to LLMs and their input tokens, each of the call that had the most; 0 where neither is bounded. */
  llmRequests: number;
  inputTokens: number;
}

/** Times in ms; percentiles are exact. */
export interface Answers {
  count: number;
  p50: number;
  p99: number;
  max: number;
}

export interface StageResult {
  attacks: AttackResult[];
  /** What the worker, and the control process, held in memory at most beyond what they had held before. */
  workerGrowthBytes: number;
  controlGrowthBytes: number;
  /** For each attacker. */
  perAttackerBytes: number;
  /** Processor time that they took for all that went on meanwhile. */
  workerCpuMs: number;
  controlCpuMs: number;
  control: ControlReport;
  /** How soon the service answered the control calls, before and during. */
  quiet: Answers;
  during: Answers;
  /** New streams with valid tokens that were opened during the attacks. */
  upgrades: Answers;
  /** How many good streams were not taken, by the answer: a status, or `none`. */
  upgradesFailed: Readonly<Record<string, number>>;
  /** Tokens that the store refused meanwhile. */
  refusedByStore: number;
  /** Of the worker's event loop, ms. */
  loopDelay: { p99: number; max: number };
  /** What must not be, whatever the machine does meanwhile. */
  problems: string[];
  /** What took longer than it should. */
  late: string[];
}
