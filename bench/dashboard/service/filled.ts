import { fileURLToPath } from "node:url";
import { systemClock } from "../../../src/core/clock.ts";
import type { CallId } from "../../../src/core/ids.ts";
import { openStores, type StorePlace } from "../../../src/store/open-stores.ts";
import { insertManyCalls, openSqlDatabase } from "../../../test/support/stores/many-calls.ts";
import { inProject } from "../../harness/project.ts";
import { accountName, type BenchService, withService } from "../../rig/service.ts";
import { longJournal } from "../long-call/journal.ts";
import { placeLongCall, untilRendered } from "../long-call/place.ts";
import type { Scene } from "../result.ts";
import { acceptInvitation, inviteOwner, type Person } from "./people.ts";

const CALLS = { full: 100_000, reduced: 10_000 };
const CALL_MINUTES = { full: 120, reduced: 10 };
/** More than the long call takes, so that it ended in the past. */
const AGO_MS = 3 * 3_600_000;

/** The program that is shipped: it has the dashboard. */
export const PROGRAM = { path: fileURLToPath(inProject("dist/main.js")), execArgv: [] };

/** A service with many calls and a long one, all of one account. */
export interface FilledService {
  apiUrl: string;
  pids: BenchService["pids"];
  calls: number;
  longCallId: CallId;
  longCallMinutes: number;
  /** Of the owner's session. */
  cookies: string;
}

/** Fills a service as built, starts it, makes its owner, and stops it when `work` is over. */
export async function withFilledService<T>(
  { options: { reduced }, write }: Scene,
  work: (service: FilledService) => Promise<T>,
): Promise<T> {
  const size = reduced ? "reduced" : "full";
  const [calls, longCallMinutes] = [CALLS[size], CALL_MINUTES[size]];
  const journal = await longJournal(longCallMinutes, write);
  let filled: { owner: Person; longCallId: CallId } | undefined;
  const prepare = async (place: StorePlace): Promise<void> => {
    write(`${calls} calls are written, and one of ${longCallMinutes} minutes`);
    const accountId = await accountOf(place);
    const owner = await inviteOwner(place, accountId, "kim@example.com");
    const database = openSqlDatabase(place);
    try {
      await insertManyCalls(database, { calls, accounts: [accountId], agents: [] });
    } finally {
      await database.db.destroy();
    }
    filled = { owner, longCallId: await placeLongCall(place, accountId, journal, AGO_MS) };
  };
  return await withService({ accounts: 1, prepare, program: PROGRAM }, async ({ apiUrl, pids, keys: [key] }) => {
    const { owner, longCallId } = filled as NonNullable<typeof filled>;
    write("the recording of the long call is rendered");
    await untilRendered({ apiUrl, key }, longCallId);
    const cookies = await acceptInvitation(apiUrl, owner);
    return await work({ apiUrl, pids, calls, longCallId, longCallMinutes, cookies });
  });
}

/** The account whose API key `withService` makes. */
async function accountOf(place: StorePlace) {
  const stores = await openStores(place, systemClock);
  try {
    return await stores.accounts.ensure(accountName(0));
  } finally {
    await stores.close();
  }
}
