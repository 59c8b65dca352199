import type { RequestOptions } from "../../../../client/src/index.ts";

/** The filters of the deliveries, as they are called in the address and in the API. */
export const FILTERS = ["status", "eventType", "callId", "createdAfter", "createdBefore"] as const;

type Query = NonNullable<RequestOptions<"get", "/webhooks/{id}/deliveries">["query"]>;
export type DeliveryFilters = Pick<Query, (typeof FILTERS)[number]>;

/** What the list is asked, of what stands in the address. */
export function filtersOf(query: Readonly<Record<string, string>>): DeliveryFilters {
  const given = FILTERS.flatMap((name) => (query[name] ? [[name, query[name]] as const] : []));
  // The service refuses what is none of its values, and says which there are.
  return Object.fromEntries(given) as DeliveryFilters;
}

/** What is sent again of the deliveries that match: those that failed, unless the filter is for those that were delivered. */
export const replayOf = ({ status, ...filters }: DeliveryFilters) => ({
  ...filters,
  status: status === "delivered" ? ("delivered" as const) : ("failed" as const),
});
