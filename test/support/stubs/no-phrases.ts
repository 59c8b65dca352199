import type { PhraseFinder } from "../../../src/gateway/phrases/book.ts";

/** No custom or translated phrases: calls speak the built-in ones, or English. */
export const NO_PHRASES: PhraseFinder = { find: async () => undefined };
