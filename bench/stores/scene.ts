import type { PostgresServer } from "../../test/support/postgres/server.ts";
import { Child, type Questions } from "../rig/child-process.ts";
import { type BenchService, type BenchServiceOptions, withService } from "../rig/service.ts";
import type { LoadReport } from "./clients/requests.ts";
import type { StoreName, StoresOptions } from "./result.ts";

/** What every part of the bench is given. */
export interface Scene {
  options: StoresOptions;
  /** A line of progress. */
  write(line: string): void;
  /** Why the run means nothing. */
  problems: string[];
  /** Undefined where Postgres is not measured. */
  postgres: PostgresServer | undefined;
}

/** The least that makes a call with the reference STT and TTS. */
export const NEW_CALL = {
  systemPrompt: "The bakery is closed on Monday.",
  voice: "reference/gmw/en-US",
  language: "en-US",
  connectionType: "websocket",
  firstSpeaker: "user",
};

/** Starts a service on one of the stores, with a new database, and stops it when `work` is over. */
export async function withStore<T>(
  { postgres }: Scene,
  store: StoreName,
  options: Omit<BenchServiceOptions, "databaseUrl">,
  work: (service: BenchService) => Promise<T>,
): Promise<T> {
  const databaseUrl = store === "Postgres" ? await postgres?.createDatabase() : undefined;
  return await withService({ ...options, databaseUrl }, work);
}

/** Starts a process of the bench, whose module is `path` from this folder, and stops it when `work` is over. */
export async function withChild<Q extends Questions, T>(
  path: string,
  work: (child: Child<Q>) => Promise<T>,
): Promise<T> {
  const child = await Child.start<Q>(import.meta.url, path);
  try {
    return await work(child);
  } finally {
    child.stop();
  }
}

/** Requests that failed, as problems of the run. */
export const failuresOf = (what: string, { failures }: Pick<LoadReport, "failures">): string[] =>
  Object.entries(failures).map(([why, count]) => `${what}: ${count} failed: ${why}`);

/** Several measurements of the same, put together. */
export function pooled(parts: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
