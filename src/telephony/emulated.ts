import type { Exchange } from "../carriers/telephony.ts";
import { isLocalhost, isLoopbackAddress } from "../core/tools/addresses.ts";

/** Whether the API of a carrier is on this machine: there it is an emulator, such as that of `npm run carrier`. */
export function isOnThisMachine(apiUrl: string): boolean {
  const host = new URL(apiUrl).hostname.replace(/^\[(.*)\]$/, "$1");
  return isLocalhost(host) || isLoopbackAddress(host);
}

/** Someone at an emulated carrier who calls a number. */
export interface TestCaller {
  /** E.164, both. */
  from: string;
  to: string;
  /** What they say, each after the other end has spoken; they hang up after the last reply. */
  says: readonly string[];
}

/** They hang up after it whatever they have heard. */
const HANGS_UP_AFTER_MS = 60_000;
/** Without anything to say. */
const LISTENS_MS = 10_000;

/** Has a person of the emulator call; docs/emulators.md has its API. The carriers themselves have nothing of the kind. */
export const testCall = ({ from, to, says }: TestCaller): Exchange<undefined> => ({
  request: {
    operation: "test_call",
    method: "POST",
    path: "/emulator/calls",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      from,
      to,
      ...(says.length > 0 && { says }),
      hangsUpAfterMs: says.length > 0 ? HANGS_UP_AFTER_MS : LISTENS_MS,
    }),
  },
  read({ status }) {
    if (status === 201) return { kind: "done", value: undefined };
    return status === 404 ? { kind: "gone" } : { kind: "refused", status, code: "" };
  },
});
