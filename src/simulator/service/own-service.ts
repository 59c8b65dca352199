import type { TrunklineClient } from "#client";
import { childModule } from "../../core/child-processes/child-module.ts";
import { firstApiKeyPath } from "../../store/data-dir/first-api-key.ts";
import { openLocalService } from "./local-service.ts";
import { type ServiceOptions, startService } from "./process.ts";

type OwnServiceOptions = Omit<ServiceOptions, "program">;

/**
 * Starts this service as a child process and calls `use` with its API, with the first API key of its new `dataDir`, and its
 * address. The service is stopped in every case. Rejects as `startService` and as `use` do.
 */
export async function withOwnService<Result>(
  options: OwnServiceOptions,
  signal: AbortSignal,
  use: (api: TrunklineClient, apiUrl: string) => Promise<Result>,
): Promise<Result> {
  const program = childModule(import.meta.url, "../../main");
  const { apiUrl, stop } = await startService({ ...options, program }, signal);
  try {
    const local = { apiUrl, firstKeyPath: firstApiKeyPath(options.dataDir) };
    return await use(await openLocalService(local, undefined, signal), apiUrl);
  } finally {
    await stop();
  }
}
