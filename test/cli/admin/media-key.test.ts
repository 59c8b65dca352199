import { expect, onTestFinished, test } from "vitest";
import { printMediaKey } from "../../../src/cli/admin/media-key.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { openStores } from "../../../src/store/open-stores.ts";
import { openSecretsKeys } from "../../../src/store/sealing/secrets-key.ts";
import { createCall } from "../../support/calls/stored-calls.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { redeemedBy } from "../../support/tokens.ts";

test("media-key prints the key of an encrypted call, with the key file of its data directory, and says where there is none", async () => {
  const place = { dataDir: temporaryDirectory(), databaseUrl: undefined };
  const mediaSealing = openSecretsKeys({ ...place, fromEnvironment: undefined, usedKeyIds: [] });
  const stores = await openStores(place, systemClock, { mediaSealing });
  onTestFinished(() => stores.close());
  const accountId = await stores.accounts.ensure("default");
  const { id, tokenHash } = await createCall(stores, accountId);
  const said: string[] = [];
  const printed = () => printMediaKey(place, id, (line) => said.push(line));
  await expect(printed()).rejects.toThrow(`${id} has no media key`);
  const call = await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
  await printed();
  expect(said).toEqual([call?.mediaKey]);
});
