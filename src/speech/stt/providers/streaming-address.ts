import type { Variable } from "../../../core/configuration/variable.ts";
import { addressVariable } from "../../server-settings.ts";

// The address of a streaming STT: it may have a query, whose parameters take precedence.

/** `address` is the provider's own. */
export const streamingAddressVariable = (address: string, provider: string): Variable =>
  addressVariable(
    address,
    `the address of ${provider}; query parameters in it override those that the service would send (\`?language=de\`: every call ` +
      "is transcribed as German)",
  );

/** What is wrong with the address. */
export const streamingAddressProblems = (variable: string, url: string): string[] =>
  URL.canParse(url) && /^wss?:$/.test(new URL(url).protocol) && /^[^#@\\\s]+$/.test(url)
    ? []
    : [`${variable} must be a wss:// or ws:// address without a fragment or a password`];
