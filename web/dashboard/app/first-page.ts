/** Rows of the first page of a list: what a screen has at most, so that it is there sooner. */
export const FIRST_PAGE_ROWS = 50;
