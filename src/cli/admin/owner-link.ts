import { readServiceUrl } from "../../config/environment.ts";
import { systemClock } from "../../core/clock.ts";
import { createOwnerLink } from "../../store/data-dir/owner-link.ts";
import { openStores, type StorePlace } from "../../store/open-stores.ts";
import { operatorAct } from "../operator.ts";

/** Prints a link that opens the page /talk once, within 15 minutes; also while the service runs. Earlier links no longer work. */
export async function printOwnerLink(place: StorePlace, say: (line: string) => void): Promise<void> {
  const serviceUrl = readServiceUrl();
  const stores = await openStores(place, systemClock, { migrates: false });
  try {
    const url = await createOwnerLink(stores, serviceUrl, operatorAct());
    process.stderr.write("The link works once, within 15 minutes, and cannot be shown again.\n");
    say(url);
  } finally {
    await stores.close();
  }
}
