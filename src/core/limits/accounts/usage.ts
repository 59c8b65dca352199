// GET /usage: src/api/usage/.

/** The longest range, and the one without `from`. */
export const USAGE_DAYS_MAX = 366;
export const USAGE_DAYS_DEFAULT = 30;

/** Calls that one answer adds up, and groups that it has. */
export const USAGE_CALLS_MAX = 50_000;
export const USAGE_GROUPS_MAX = 5_000;

/** Calls in one query; other requests run between two. */
export const USAGE_CALLS_PER_READ = 500;
