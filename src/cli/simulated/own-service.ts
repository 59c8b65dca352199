import { childModule } from "../../core/child-module.ts";
import { openStores } from "../../store/sqlite/stores.ts";
import { ApiClient } from "./api-client.ts";
import { type ServiceOptions, startService } from "./service.ts";

export interface OwnServiceOptions extends Omit<ServiceOptions, "program"> {
  /** Of the account and of its key. */
  name: string;
}

/**
 * Starts this very service as a child of its own, makes a key there, and has `use` do with it what it wants; whatever
 * happens, the service is stopped. Rejects as `startService` and as `use` do.
 */
export async function withOwnService<Result>(
  { name, ...options }: OwnServiceOptions,
  signal: AbortSignal,
  use: (api: ApiClient) => Promise<Result>,
): Promise<Result> {
  const program = childModule(import.meta.url, "../../main");
  const service = await startService({ ...options, program }, signal);
  try {
    return await use(new ApiClient(service.apiUrl, await makeApiKey(options, name), signal));
  } finally {
    await service.stop();
  }
}

/** As `npm run keys -- create` does, beside the running service. */
async function makeApiKey({ dataDir, clock }: Omit<ServiceOptions, "program">, name: string): Promise<string> {
  const stores = await openStores(dataDir, clock);
  try {
    const { key } = await stores.apiKeys.create({ accountId: await stores.accounts.ensure(name), name });
    return key;
  } finally {
    await stores.close();
  }
}
