import { FollowedPages, slowPages } from "../../support/docs/followed-pages.ts";

// The pages with the longest programs, in a fresh checkout of their own: see pages.test.ts.

new FollowedPages().test(slowPages);
