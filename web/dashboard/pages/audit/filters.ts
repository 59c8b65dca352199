import type { RequestOptions } from "../../../client/src/index.ts";

/** The filters of the list, as they are called in the address and in `GET /audit-events`. */
export const FILTERS = [
  "action",
  "actorKind",
  "actorId",
  "targetKind",
  "targetId",
  "createdAfter",
  "createdBefore",
] as const;

export type AuditFilters = NonNullable<RequestOptions<"get", "/audit-events">["query"]>;

/** What `GET /audit-events` is asked, of what stands in the address. The service refuses what is none of its values. */
export const auditFiltersOf = (query: Readonly<Record<string, string>>): AuditFilters =>
  Object.fromEntries(
    FILTERS.flatMap((name) => {
      const value = query[name];
      return value === undefined || value === "" ? [] : [[name, value] as const];
    }),
  ) as AuditFilters;

/** Events are written within this time of the one in their ids. */
const ID_MS_MAX = 5_000;

/**
 * A query that has one event in its answer: the list has no other way to read it. By the time in its id, a UUIDv7 (RFC 9562, section
 * 5.7); undefined for what is no such id.
 */
export function aroundEvent(id: string): AuditFilters | undefined {
  const hex = /^audit_([\da-f]{8})-([\da-f]{4})-7/.exec(id);
  if (hex === null) return undefined;
  const ms = Number.parseInt(`${hex[1]}${hex[2]}`, 16);
  const at = (timeMs: number): string => new Date(timeMs).toISOString();
  return { createdAfter: at(Math.max(0, ms - ID_MS_MAX)), createdBefore: at(ms + ID_MS_MAX) };
}
