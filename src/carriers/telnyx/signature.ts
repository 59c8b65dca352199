import type { UpgradeHeaders } from "../../wire/upgrade.ts";
import { isSameText } from "../signatures.ts";

const TOKEN = "x-telnyx-streaming-auth-token";
/** `Bearer`: a proxy may convert the token into it. */
const AUTHORIZATION = "authorization";

export const TELNYX_HEADERS: readonly string[] = [TOKEN, AUTHORIZATION];

/** The token itself: the carrier was given it with the address, and returns it. */
export function isFromTelnyx(
  secret: string,
  _url: string,
  { [TOKEN]: token = "", [AUTHORIZATION]: authorization = "" }: UpgradeHeaders,
): boolean {
  const bearer = /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? "";
  return isSameText(token, secret) || isSameText(bearer, secret);
}
