import type { Endpoint } from "../connections.ts";

/** What connections know of the service. */
export interface Target {
  media: Endpoint;
  api: Endpoint;
  metrics: Endpoint;
  /** API keys of the attackers, each of an account of its own. */
  keys: readonly [string, ...string[]];
  /** Paths of streams, one for each attacker, where the attack needs them. */
  paths: readonly string[];
}

export interface Size {
  attackers: number;
  /** Of those attacks that go on. */
  seconds: number;
}

/** What came of it, as the attackers saw it. */
export interface Outcome {
  attackers: number;
  /** How many connections the service closed, and how long the longest of them stayed open. */
  closed: number;
  longestMs: number;
  /** HTTP statuses, or what else there is to tell. */
  answers: Readonly<Record<string, number>>;
}

export interface Attack {
  /** The row of the fault catalogue. */
  id: string;
  name: string;
  /** At full size, and as the tests run it. */
  full: Size;
  small: Size;
  /** By then the service must have closed every attacker. */
  closedMsMax: number;
  /** Each attacker has the token of such a call. */
  call?: Readonly<Record<string, unknown>>;
  /** How each of those calls must end. */
  endReason?: string | readonly string[];
  /** What each of those calls may ask of LLMs at most, as long as it lasts, which must be less than a minute. */
  spendMax?: { llmRequests: number; inputTokens: number };
  /** Its tokens are invented: none of them may reach the control process. */
  inventsTokens?: boolean;
  /**
   * How long the opening of a good stream may take meanwhile, at p99, where that is what the attack is about: then many are opened.
   * 500 ms otherwise.
   */
  upgradeMsMax?: number;
  /** What the worker grows by for each such call while it goes on, where its peer does nothing wrong. */
  callBytes?: number;
  /** What must be there before anybody stands anywhere: it may take longer than a stream may wait for its start. */
  prepare?(target: Target, size: Size): Promise<void>;
  /** Calls `ready` when all attackers stand where they mean to, and begins when that resolves. */
  run(target: Target, size: Size, ready: Ready): Promise<Outcome>;
}

export type Ready = () => Promise<void>;

/** uWebSockets.js closes what asks for nothing after 10 s, and looks every four. */
export const SILENT_MS_MAX = 15_000;
/** What is closed at once: on a machine that has other things to do. */
export const SOON_MS_MAX = 5_000;
