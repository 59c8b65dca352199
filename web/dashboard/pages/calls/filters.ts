import type { RequestOptions } from "../../../client/src/index.ts";

/** The filters of the list, as they are called in the address and in `GET /calls`. */
export const FILTERS = [
  "status",
  "endReason",
  "direction",
  "connectionType",
  "agentId",
  "from",
  "to",
  "carrierCallId",
  "createdAfter",
  "createdBefore",
  "metadata",
  "header",
] as const;

/** Those that have several conditions, written as `key=value&key=value`. */
const CONDITIONS: readonly string[] = ["metadata", "header"];

export type CallFilters = NonNullable<RequestOptions<"get", "/calls">["query"]>;

/** What `GET /calls` is asked, of what stands in the address. Other names of the address are not of the list. */
export function callFiltersOf(query: Readonly<Record<string, string>>): CallFilters {
  const filters = FILTERS.flatMap((name) => {
    const value = query[name];
    if (value === undefined || value === "") return [];
    return [[name, CONDITIONS.includes(name) ? conditionsOf(value) : value] as const];
  });
  // The service refuses what is none of its values, and says which there are.
  return Object.fromEntries(filters) as CallFilters;
}

/** The conditions of a text such as `order=A-17&plan=gold`; `%26` stands for a `&` within a value. */
export function conditionsOf(text: string): Readonly<Record<string, string>> {
  const pairs = text.split("&").map((pair) => {
    const [key = "", ...value] = pair.split("=");
    return [decoded(key.trim()), decoded(value.join("="))] as const;
  });
  return Object.fromEntries(pairs.filter(([key]) => key !== ""));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
