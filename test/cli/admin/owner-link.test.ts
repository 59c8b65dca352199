import { expect, onTestFinished, test } from "vitest";
import { printOwnerLink } from "../../../src/cli/admin/owner-link.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { BY_SERVICE } from "../../../src/store/accounts/audit-store.ts";
import { openStores } from "../../../src/store/open-stores.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

test("owner-link prints a link of the account `default`, as an act of the operator, and replaces the one before", async () => {
  const place = { dataDir: temporaryDirectory(), databaseUrl: undefined };
  const stores = await openStores(place, systemClock);
  onTestFinished(() => stores.close());
  const said: string[] = [];
  await printOwnerLink(place, (line) => said.push(line));
  await printOwnerLink(place, (line) => said.push(line));
  const [first = "", second = ""] = said;
  for (const link of said) expect(link).toMatch(/^http:\/\/127\.0\.0\.1:8080\/talk#tlo_[\w-]{43}$/);
  const use = (link: string) => stores.ownerLinks.use(link.split("#")[1] ?? "", BY_SERVICE);
  expect(await use(first)).toBeUndefined();
  expect(await use(second)).toBeDefined();
  const { events } = await stores.audit.list(await stores.accounts.ensure("default"), {
    limit: 9,
    action: "owner_link.created",
  });
  expect(events.map(({ actor }) => actor.kind)).toEqual(["operator", "operator"]);
});
