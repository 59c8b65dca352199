import { describe } from "vitest";
import { FollowedPages, postgresPages } from "../../support/docs/followed-pages.ts";
import { hasPostgres } from "../../support/postgres/server.ts";

// The pages that need PostgreSQL, in a fresh checkout of their own: see pages.test.ts.

describe.skipIf(!hasPostgres)("with a server of its own (only where postgresql is installed)", () => {
  new FollowedPages().test(postgresPages);
});
