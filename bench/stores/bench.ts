import { hasPostgres, PostgresServer } from "../../test/support/postgres/server.ts";
import { describeMachine } from "../harness/machine.ts";
import { commitHere } from "../harness/project.ts";
import { withoutSessionsFirst } from "../rig/priority.ts";
import { measureAccounts } from "./accounts/bench.ts";
import { measureCreation } from "./creation.ts";
import { goalsOf } from "./goals.ts";
import { measureInterference } from "./interference/bench.ts";
import { measureLists } from "./lists/bench.ts";
import { measureRedemptions } from "./redemptions.ts";
import type { Part, StoreName, StoresOptions, StoresResult } from "./result.ts";
import type { Scene } from "./scene.ts";
import { measureDeliveries } from "./webhooks/deliveries.ts";
import { measureSlowEndpoint } from "./webhooks/slow-endpoint.ts";

/** A server for a small machine: commits reach the disk. */
const POSTGRES_SETTINGS = { fsync: "on", shared_buffers: "128MB" };

/** Measures what is asked of the stores on whole services. Rejects when a process cannot be started. */
export async function runStoresBench(options: StoresOptions, write: (line: string) => void): Promise<StoresResult> {
  const problems: string[] = [];
  const needsPostgres = options.stores.includes("Postgres");
  if (needsPostgres && !hasPostgres) throw new Error("PostgreSQL is not installed: install it, or use --stores SQLite");
  const postgres = needsPostgres ? await PostgresServer.start({ settings: POSTGRES_SETTINGS }) : undefined;
  try {
    const scene: Scene = { options, write, problems, postgres };
    const measured = {
      options,
      creation: options.parts.includes("creation") ? await measureCreation(scene) : [],
      lists: (await forEachStore(scene, "lists", measureLists)).flat(),
      accounts: await forEachStore(scene, "accounts", measureAccounts),
      redemptions: (await forEachStore(scene, "redemptions", measureRedemptions)).flat(),
      slowEndpoint: await forEachStore(scene, "slow-endpoint", measureSlowEndpoint),
      deliveries: await forEachStore(scene, "deliveries", measureDeliveries),
      interference: (await withoutSessionsFirst(() => forEachStore(scene, "interference", measureInterference))).flat(),
    };
    return { machine: describeMachine(), commit: commitHere(), problems, ...measured, goals: goalsOf(measured) };
  } finally {
    await postgres?.remove();
  }
}

async function forEachStore<T>(
  scene: Scene,
  part: Part,
  measure: (scene: Scene, store: StoreName) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  const { parts, stores } = scene.options;
  for (const store of parts.includes(part) ? stores : []) results.push(await measure(scene, store));
  return results;
}
