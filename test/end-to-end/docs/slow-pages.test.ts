import { FollowedPages, slowPages } from "../../support/docs/followed-pages.ts";

// The page with the longest programs, in a fresh checkout of its own: see pages.test.ts.

new FollowedPages().test(slowPages);
