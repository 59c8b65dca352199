import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Stores } from "../../src/store/stores.ts";

/** How long a request is repeated while nothing answers: on a busy machine a service that is killed every few seconds seldom does. */
const ASK_MS_MAX = 300_000;
const RETRY_MS = 500;
/** Busy, or a request that took too long to arrive on a machine that is, or at a node that is cut off. */
const LATER: readonly number[] = [408, 429, 503, 504];

export type Method = "GET" | "POST" | "PATCH";

/** Asks the API; an answer other than a success is an error. */
export interface Api {
  ask<Body>(method: Method, path: string, body?: object): Promise<Body>;
}

export interface ApiAnswer<Body> {
  status: number;
  body: Body;
}

/** A service whose processes are killed meanwhile, and its stores. */
export interface AskedService extends Api {
  /** Undefined while nothing answers. */
  api<Body>(
    method: Method,
    path: string,
    body?: object,
    headers?: Readonly<Record<string, string>>,
  ): Promise<ApiAnswer<Body> | undefined>;
  withStores<T>(work: (stores: Stores) => Promise<T>): Promise<T>;
}

/** Whether the same request may be answered otherwise later. */
export const isForLater = (status: number): boolean => LATER.includes(status);

/** Asks again while nothing answers, with a key that makes one request of all; undefined where nothing does for long. */
export async function askUntilAnswered<Body>(
  service: Pick<AskedService, "api">,
  method: Method,
  path: string,
  body?: object,
): Promise<Body | undefined> {
  const headers = { "Idempotency-Key": randomUUID() };
  for (const endMs = performance.now() + ASK_MS_MAX; performance.now() < endMs; await delay(RETRY_MS)) {
    const answer = await service.api<Body>(method, path, body, headers);
    if (answer === undefined || isForLater(answer.status)) continue;
    if (answer.status < 300) return answer.body;
    throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  }
  return undefined;
}
