import { SCOPES } from "../../../src/core/accounts/scopes.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { openPostgresStores } from "../../../src/store/postgres/open-stores.ts";
import { S3_CREDENTIALS, type S3Server } from "../bucket/s3-server.ts";
import type { PostgresServer } from "../postgres/server.ts";
import { Service } from "./service.ts";

/** The same at all nodes of the tests. */
export const SECRETS_KEY = Buffer.alloc(32, 7).toString("base64");

/** A database that nodes share, with an API key that may do everything. */
export interface SharedPlace {
  url: string;
  apiKey: string;
}

export async function sharedPlace(server: PostgresServer): Promise<SharedPlace> {
  const url = await server.createDatabase();
  const stores = await openPostgresStores(url, systemClock);
  const accountId = await stores.accounts.ensure("cluster");
  const { key } = await stores.apiKeys.create({ accountId, name: "test", scopes: SCOPES });
  await stores.close();
  return { url, apiKey: key };
}

/** What a node needs of a bucket. */
export const bucketEnvironment = ({ url }: Pick<S3Server, "url">): Readonly<Record<string, string>> => ({
  BUCKET_URL: url,
  BUCKET_ACCESS_KEY_ID: S3_CREDENTIALS.accessKeyId,
  BUCKET_SECRET_ACCESS_KEY: S3_CREDENTIALS.secretAccessKey,
  BUCKET_SEGMENT_S: "1",
});

/** The built service as a node of this name, on a data directory of its own unless one is given. */
export const startNode = (
  { url, apiKey }: SharedPlace,
  name: string,
  { env, dataDir }: { env?: Readonly<Record<string, string>>; dataDir?: string } = {},
): Promise<Service> =>
  Service.start({
    apiKey,
    ...(dataDir !== undefined && { dataDir }),
    env: { DATABASE_URL: url, NODE_NAME: name, SECRETS_KEY, WORKERS: "1", ...env },
  });
