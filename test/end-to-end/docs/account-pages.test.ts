import { accountPages, FollowedPages } from "../../support/docs/followed-pages.ts";

// The pages about accounts, people and agents, in a fresh checkout of their own: see pages.test.ts.

new FollowedPages().test(accountPages);
