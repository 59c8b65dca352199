import type { PhraseFinder } from "../../../src/gateway/phrases/book.ts";

/** Where nobody sets or translates phrases: calls speak the built-in ones, or English. */
export const NO_PHRASES: PhraseFinder = { find: async () => undefined };
