import type { Schema } from "../../../../client/src/index.ts";
import { api } from "../../../app/api.ts";
import { firstOf, type Known } from "../load.ts";

/** So many numbers of the account are looked at, because the API has no filter for their agent. */
const NUMBERS_MAX = 2_000;

/** The telephone numbers that an agent answers. */
export async function loadNumbers(agentId: string, signal: AbortSignal): Promise<Known<Schema<"PhoneNumber">>> {
  const all = await firstOf(api.list("/phone-numbers", { query: { limit: 100 }, signal }), NUMBERS_MAX);
  return { ...all, items: all.items.filter((number) => number.agentId === agentId) };
}
