import type { Machine } from "../harness/machine.ts";
import type { Spread } from "../harness/statistics.ts";
import type { Verdict } from "../harness/verdict.ts";

export const STORE_NAMES = ["SQLite", "Postgres"] as const;
export type StoreName = (typeof STORE_NAMES)[number];

/** What is measured, by the names of `--only`. */
export const PARTS = [
  "creation",
  "lists",
  "accounts",
  "redemptions",
  "slow-endpoint",
  "deliveries",
  "interference",
] as const;
export type Part = (typeof PARTS)[number];

export interface StoresOptions {
  stores: readonly StoreName[];
  parts: readonly Part[];
  /** Two minutes; only gross excess fails. */
  reduced: boolean;
}

/** How long requests took, ms. */
export interface RequestTimes {
  name: string;
  /** Undefined for what has no store. */
  store: StoreName | undefined;
  tookMs: Spread;
}

/** One filter of `GET /calls`, at one place of the list. */
export interface ListTimes {
  store: StoreName;
  filter: string;
  /** `first page`, or where the page begins. */
  place: string;
  /** How many calls the page has. */
  items: number;
  tookMs: Spread;
}

/** An installation with many accounts. */
export interface AccountsResult {
  store: StoreName;
  accounts: number;
  agents: number;
  /** From the start of the supervisor until the service is ready and has an API key, ms. */
  startMs: number;
  lists: { path: string; tookMs: Spread }[];
  /** What it takes of a request: with an API key in use, and with one that is used for the first time. */
  authentication: { inUse: Spread; firstUse: Spread };
}

/** Deliveries to the endpoints that answer, in one round. */
export interface DeliveryRound {
  delivered: number;
  /** From the time of the event until the endpoint has read it, ms. */
  delayMs: Spread;
}

export interface SlowEndpointResult {
  store: StoreName;
  quickEndpoints: number;
  /** Rounds in turn: without the slow endpoint, and with it. */
  pairs: { without: DeliveryRound; with: DeliveryRound }[];
  /** Attempts at the slow endpoint, each of which hangs until its deadline. */
  slowAttempts: number;
}

export interface DeliveryRateResult {
  store: StoreName;
  endpoints: number;
  seconds: number;
  offeredPerSecond: number;
  deliveredPerSecond: number;
  delayMs: Spread;
  /** What was not delivered when the last event was made. */
  leftOver: number;
  /** CPU time in cores: of the control process with all its threads, and of Postgres. */
  controlCores: number;
  databaseCores: number;
}

/** Fifty live calls in one round. */
export interface FrameRound {
  frames: number;
  /** Frame due → written to the socket, ms. */
  writtenMs: Spread;
  loopP99Ms: number;
  loopMaxMs: number;
}

/** What was done to the service in a loaded round, a second. */
export interface LoadDone {
  callsPerSecond: number;
  listsPerSecond: number;
  deliveriesPerSecond: number;
  rendersPerSecond: number;
}

export interface InterferenceResult {
  store: StoreName;
  /** With `WORKER_REALTIME=true`. */
  realtime: boolean;
  calls: number;
  seconds: number;
  pairs: { quiet: FrameRound; loaded: FrameRound; load: LoadDone }[];
}

export interface StoresResult {
  machine: Machine;
  commit: string;
  options: StoresOptions;
  /** Why the figures mean nothing; none when they do. */
  problems: string[];
  creation: RequestTimes[];
  lists: ListTimes[];
  accounts: AccountsResult[];
  redemptions: RequestTimes[];
  slowEndpoint: SlowEndpointResult[];
  deliveries: DeliveryRateResult[];
  interference: InterferenceResult[];
  goals: Verdict[];
}
