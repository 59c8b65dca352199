import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { addMs } from "../../../src/core/clocks.ts";
import type { AccountId } from "../../../src/core/ids.ts";
import { OWNER_LINK_MS, OWNER_PAGE_MS, OWNER_PAGES_MAX } from "../../../src/core/limits/accounts/owner-links.ts";
import { BY_SERVICE } from "../../../src/store/accounts/audit-store.ts";
import type { OwnerSecret } from "../../../src/store/accounts/owner-link-store.ts";
import type { Stores } from "../../../src/store/stores.ts";
import type { StoresUnderTest } from "./calls.ts";

/** What every OwnerLinkStore must do. */
export function ownerLinkContract(name: string, make: () => StoresUnderTest): void {
  describe(`OwnerLinkStore contract: ${name}`, () => {
    let under: StoresUnderTest;
    let stores: Stores;
    let accountId: AccountId;

    beforeEach(async () => {
      under = make();
      stores = await under.open();
      accountId = await stores.accounts.ensure("default");
    });
    afterEach(() => stores.close());

    const create = (of = accountId) => stores.ownerLinks.create(of, BY_SERVICE);
    const use = ({ secret }: Pick<OwnerSecret, "secret">) => stores.ownerLinks.use(secret, BY_SERVICE);
    const open = async (): Promise<OwnerSecret> => {
      const page = await use(await create());
      if (page === undefined) throw new Error("the link works");
      return page;
    };

    test("a link opens one page of its account, once; both are in the audit log, and neither text is", async () => {
      const link = await create();
      expect(link).toEqual({
        secret: expect.stringMatching(/^tlo_[\w-]{43}$/),
        expiresAtMs: addMs(under.clock.epochMs(), OWNER_LINK_MS),
      });
      const page = await use(link);
      expect(page).toEqual({
        secret: expect.stringMatching(/^tlp_[\w-]{43}$/),
        expiresAtMs: addMs(under.clock.epochMs(), OWNER_PAGE_MS),
        accountId,
      });
      expect(await use(link)).toBeUndefined();
      expect(await stores.ownerLinks.findPage(page?.secret ?? "")).toMatchObject({
        accountId,
        account: { name: "default" },
        expiresAtMs: page?.expiresAtMs,
      });
      const { events } = await stores.audit.list(accountId, { limit: 10, targetKind: "owner_link" });
      expect(events.map(({ action }) => action)).toEqual(["owner_link.used", "owner_link.created"]);
      expect(JSON.stringify(events)).not.toMatch(/tl[op]_/);
    });

    test("of uses at the same time one alone succeeds", async () => {
      const link = await create();
      const pages = await Promise.all(Array.from({ length: 8 }, () => use(link)));
      expect(pages.filter((page) => page !== undefined)).toHaveLength(1);
    });

    test("a link works for 15 minutes, and a page for two hours", async () => {
      const [late, early] = [await create(), await create(await stores.accounts.ensure("other"))];
      under.clock.advance(OWNER_LINK_MS - 1);
      const page = await use(early);
      under.clock.advance(1);
      expect(await use(late)).toBeUndefined();
      under.clock.advance(OWNER_PAGE_MS - 2);
      expect(await stores.ownerLinks.findPage(page?.secret ?? "")).toBeDefined();
      under.clock.advance(1);
      expect(await stores.ownerLinks.findPage(page?.secret ?? "")).toBeUndefined();
    });

    test("another link replaces the one before, and leaves the pages that are open and other accounts alone", async () => {
      const page = await open();
      const other = await create(await stores.accounts.ensure("other"));
      const [first, second] = [await create(), await create()];
      expect(await use(first)).toBeUndefined();
      expect(await use(second)).toBeDefined();
      expect(await use(other)).toBeDefined();
      expect(await stores.ownerLinks.findPage(page.secret)).toBeDefined();
    });

    test("a forged link uses nothing up, and neither kind of text is taken for the other", async () => {
      const link = await create();
      expect(await use({ secret: `${link.secret}x` })).toBeUndefined();
      expect(await use({ secret: "" })).toBeUndefined();
      expect(await stores.ownerLinks.findPage(link.secret)).toBeUndefined();
      const page = await use(link);
      expect(page).toBeDefined();
      expect(await use({ secret: page?.secret ?? "" })).toBeUndefined();
    });

    test("an account has as many pages as the limit: the one that was opened first ends", async () => {
      const pages: OwnerSecret[] = [];
      for (let opened = 0; opened <= OWNER_PAGES_MAX; opened += 1) {
        pages.push(await open());
        under.clock.advance(1);
      }
      const found = await Promise.all(pages.map(({ secret }) => stores.ownerLinks.findPage(secret)));
      expect(found.map((page) => page !== undefined)).toEqual([false, ...Array(OWNER_PAGES_MAX).fill(true)]);
    });
  });
}
