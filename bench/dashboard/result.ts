import type { Machine } from "../harness/machine.ts";
import type { Spread } from "../harness/statistics.ts";
import type { Verdict } from "../harness/verdict.ts";
import type { FrameTimes } from "./trace/frames.ts";

/** What is measured, by the names of `--only`. */
export const PARTS = ["load", "open", "scroll", "list", "streams"] as const;
export type Part = (typeof PARTS)[number];

export interface DashboardOptions {
  parts: readonly Part[];
  /** First loads, and twice as many of everything else that is repeated. */
  runs: number;
  /** Some minutes, less of everything; only gross excess fails. */
  reduced: boolean;
}

/** What a part is measured with. */
export interface Scene {
  options: DashboardOptions;
  write(line: string): void;
  /** Why the figures mean nothing; none when they do. */
  problems: string[];
}

/** A page that is loaded for the first time, on a processor that is throttled. */
export interface LoadTimes {
  page: string;
  runs: number;
  /** The largest contentful paint since the navigation, and the total blocking time: what tasks take beyond 50 ms each. Medians. */
  lcpMs: number;
  blockingMs: number;
}

export interface LoadResult {
  throttling: number;
  /** JS and CSS of the shell and of Live. */
  files: number;
  gzipBytes: number;
  brotliBytes: number;
  pages: readonly LoadTimes[];
}

/** How long it took until the first rows of a page were painted. */
export interface FirstRows {
  page: string;
  how: string;
  tookMs: Spread;
}

export interface OpenResult {
  callMinutes: number;
  events: number;
  turns: number;
  rows: readonly FirstRows[];
}

/** What was scrolled, and what the page's main thread did. */
export interface ScrollResult extends FrameTimes {
  what: string;
}

export interface ListResult {
  calls: number;
  rows: readonly FirstRows[];
  /** After a garbage collection, with so many rows scrolled through. */
  heap: readonly { rows: number; bytes: number }[];
}

export interface StreamRound {
  name: string;
  streams: number;
  calls: number;
  /** Whether events of the accounts are stored meanwhile. */
  storesEvents: boolean;
  seconds: number;
  /** Of a core, of all threads of the control process. */
  cpuShare: number;
  /** Messages and bytes a second that one stream got, on average. */
  messagesPerSecond: number;
  bytesPerSecond: number;
}

export interface DashboardResult {
  machine: Machine;
  commit: string;
  options: DashboardOptions;
  problems: readonly string[];
  load: LoadResult | undefined;
  open: OpenResult | undefined;
  scroll: readonly ScrollResult[];
  list: ListResult | undefined;
  streams: readonly StreamRound[];
  goals: readonly Verdict[];
}
