import { z } from "zod";
import { wholeNumber } from "../http/requests/fields.ts";
import { integerOf } from "../http/requests/query.ts";

/** The largest number that both databases store in a column of integers. */
const VERSION_MAX = 2_147_483_647;

/** The number of a version in a body. */
export const versionNumber = wholeNumber(1, VERSION_MAX);

/** The same in a path or a query, where every value is a string. */
export const versionParameter = z.preprocess(integerOf, versionNumber);

/** An agent as `agentId` or `agentId@version`. Undefined for a text whose version is no number of one. */
export function pinnedAgent(text: string): { id: string; version?: number } | undefined {
  const at = text.lastIndexOf("@");
  if (at === -1) return { id: text };
  const version = versionParameter.safeParse(text.slice(at + 1));
  return version.success ? { id: text.slice(0, at), version: version.data } : undefined;
}
