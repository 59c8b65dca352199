import { ApiError } from "../errors.ts";

/** Throws ApiError `precondition_failed` unless the header If-Match is absent, `*`, or has the ETag of `what` now. */
export function requireMatch(ifMatch: string | undefined, etag: string, what: string): void {
  if (ifMatch === undefined || ifMatch.trim() === "*") return;
  if (ifMatch.split(",").some((text) => text.trim() === etag)) return;
  throw new ApiError("precondition_failed", `the ${what} was changed meanwhile: its ETag is ${etag}`);
}
