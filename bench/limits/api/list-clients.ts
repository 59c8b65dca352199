import { setPriority } from "node:os";
import { serve } from "../../rig/child-process.ts";
import { sendRequest } from "../../rig/service.ts";
import { LARGE_LIST } from "./large-lists.ts";

// The clients that list, in a process of their own: what they read must not hold up the measurement.

export type ListQuestions = {
  /** Begins with so many lists at once for each key, one after the other each. */
  begin: { ask: { apiUrl: string; keys: readonly string[]; perKey: number }; answer: undefined };
  /** Resolves with how many were read whole, once no more are under way. */
  end: { ask: undefined; answer: number };
};

setPriority(19);
let running = true;
let lists = 0;
let listing: Promise<void>[] = [];

async function list(apiUrl: string, key: string): Promise<void> {
  for (; running; lists += 1) await sendRequest({ apiUrl, key }, "GET", LARGE_LIST, 200);
}

serve<ListQuestions>({
  begin: ({ apiUrl, keys, perKey }) => {
    listing = keys.flatMap((key) => Array.from({ length: perKey }, () => list(apiUrl, key)));
    return undefined;
  },
  end: async () => {
    running = false;
    await Promise.all(listing);
    return lists;
  },
});
