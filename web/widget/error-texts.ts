import type { CallErrorCode, ErrorDetail } from "../sdk/src/index.ts";
import type { Texts } from "./texts/texts.ts";

/** What is said of an error; of every other one that the call did not start. */
const ERROR_TEXTS: Partial<Record<CallErrorCode, keyof Texts>> = {
  microphone_refused: "microphoneRefused",
  no_microphone: "noMicrophone",
  microphone_in_use: "noMicrophone",
  microphone_lost: "noMicrophone",
  needs_gesture: "gesture",
  rate_limited: "busy",
  spend_limit: "busy",
  service_unavailable: "busy",
  unreachable: "unreachable",
  connection_lost: "lost",
  forbidden: "forbidden",
};

/**
 * The text that a visitor reads of an error; undefined for one that is the page's alone. A call that was lost once it had been ready
 * is not one that could not be started.
 */
export function errorTextOf({ code, fatal }: ErrorDetail, wasReady: boolean): keyof Texts | undefined {
  if (fatal && wasReady) return "lost";
  return ERROR_TEXTS[code] ?? (fatal ? "failed" : undefined);
}
