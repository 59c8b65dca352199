import type { z } from "zod";
import { isoTime } from "../../core/clock.ts";
import type { UserRecord, UserWithLink } from "../../store/users/user-store.ts";
import type { UserItem, UserWithLinkItem } from "./schemas.ts";

/** A person as the API shows them. */
export const userItemOf = (record: UserRecord): z.output<typeof UserItem> => ({
  id: record.id,
  email: record.email,
  name: record.name,
  role: record.role,
  status: record.status,
  lastSignInAt: record.lastSignInAtMs === undefined ? null : isoTime(record.lastSignInAtMs),
  createdAt: isoTime(record.createdAtMs),
  updatedAt: isoTime(record.updatedAtMs),
});

/** The same with the link; `origin` is the address of the service, without a path. */
export const userWithLinkItemOf = (
  { record, link }: UserWithLink,
  serviceUrl: string,
): z.output<typeof UserWithLinkItem> => ({
  ...userItemOf(record),
  link: { kind: link.kind, url: linkUrl(serviceUrl, link.token), expiresAt: isoTime(link.expiresAtMs) },
});

/**
 * Where a one-time link leads. The token is in the fragment, which browsers send to no server, so that no log has it.
 * `serviceUrl` is the address at which people reach the service, without a slash at its end.
 */
export const linkUrl = (serviceUrl: string, token: string): string => `${serviceUrl}/dashboard/accept#${token}`;
