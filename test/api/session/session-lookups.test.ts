import { expect, test } from "vitest";
import { SessionLookups } from "../../../src/api/session/session-lookups.ts";
import type { SessionPrincipal } from "../../../src/store/users/session-store.ts";

/** Look-ups in a store in which every session but `ended` is alive, and what the store is asked. */
function countedLookups() {
  const asked: (readonly string[])[] = [];
  const lookups = new SessionLookups({
    authenticateAll: async (secrets) => {
      asked.push(secrets);
      if (secrets.includes("broken")) throw new Error("the store does not answer");
      const alive = secrets.filter((secret) => secret !== "ended");
      return new Map(alive.map((secret) => [secret, { user: { id: secret } } as unknown as SessionPrincipal]));
    },
  });
  return { lookups, asked };
}

test("those who ask in the same step share one query, in which each session is named once", async () => {
  const { lookups, asked } = countedLookups();
  const found = await Promise.all(["one", "other", "ended", "one"].map((secret) => lookups.authenticate(secret)));
  expect(found.map((principal) => principal?.user.id)).toEqual(["one", "other", undefined, "one"]);
  expect(asked).toEqual([["one", "other", "ended"]]);
});

test("who asks in a later step gets a later answer", async () => {
  const { lookups, asked } = countedLookups();
  const earlier = lookups.authenticate("one");
  await Promise.resolve();
  await Promise.all([earlier, lookups.authenticate("one")]);
  expect(asked).toEqual([["one"], ["one"]]);
});

test("an error of the store reaches all who asked, and none of those who ask later", async () => {
  const { lookups } = countedLookups();
  const settled = await Promise.allSettled(["one", "broken"].map((secret) => lookups.authenticate(secret)));
  expect(settled.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect((await lookups.authenticate("one"))?.user.id).toBe("one");
});
