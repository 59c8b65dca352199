// Owner links and the page /talk: src/api/talk/, src/store/sql/accounts/owner-links.ts.

/** How long an owner link works. */
export const OWNER_LINK_MS = 15 * 60_000;
/** How long the page that it opens may start calls. */
export const OWNER_PAGE_MS = 2 * 3_600_000;
/** Pages of one account; the one that was opened first ends for another. */
export const OWNER_PAGES_MAX = 10;

/** Calls that one page may start within SCRATCH_WINDOW_MS. */
export const SCRATCH_CALLS_MAX = 10;
export const SCRATCH_WINDOW_MS = 60_000;
/** The longest call of a page, in seconds. */
export const SCRATCH_CALL_S_MAX = 900;
