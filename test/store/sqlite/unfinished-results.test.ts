import { join } from "node:path";
import Libsql from "libsql";
import { expect, test } from "vitest";
import { openSqliteStores } from "../../../src/store/sqlite/open-stores.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { ageClockOf } from "../../support/tokens.ts";
import { FAILURE, newTranscription } from "../../support/transcriptions/stored.ts";

test.each([
  "failed",
  "cancelled",
] as const)("of a result that a crash left unfinished nothing stays when its transcription has %s", async (status) => {
  const [directory, clock] = [temporaryDirectory(), new ManualClock()];
  const open = () => openSqliteStores(directory, clock, { ageClock: ageClockOf(clock) });
  const before = await open();
  const accountId = await before.accounts.ensure("first");
  const { id } = await before.transcriptions.create(newTranscription(accountId));
  await before.close();
  const file = new Libsql(join(directory, "trunkline.db"));
  const insert = "INSERT INTO transcription_results (transcription_id, position, account_id, text) VALUES (?, 0, ?, ?)";
  file.prepare(insert).run(id, accountId, "{");
  file.close();
  const stores = await open();
  if (status === "failed") await stores.transcriptions.end(id, { status, failure: FAILURE });
  else await stores.transcriptions.cancel(accountId, id);
  const sums = await stores.transfer.export(async () => {});
  await stores.close();
  expect(sums.transcription_results?.rows).toBe(0);
});
