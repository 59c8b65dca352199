import { CARRIERS } from "../../carriers/list.ts";
import type { Variables } from "../../core/configuration/variable.ts";
import type { G711Codec } from "../../media/g711.ts";

const SECRETS = "printable ASCII; several, separated by commas, for the time of a change";

/** The G.711 codecs by the names that carriers use. */
export const LAW_NAMES: Readonly<Record<string, G711Codec>> = { pcmu: "mulaw", pcma: "alaw" };
export const LAW_NAME_DEFAULT = "pcmu";

/** What proves that a stream comes from a carrier, where the carrier's API is, and what the carrier expects. */
export const CARRIER_VARIABLES: Variables = Object.fromEntries([
  ...CARRIERS.map(({ secret: { variable, meaning } }) => [variable, { format: SECRETS, meaning }] as const),
  ...CARRIERS.map(({ connectionType, telephony: { apiUrl } }) => {
    const format = "an `https://` or `http://` address";
    const meaning = `the API of ${connectionType}, for [calls and numbers](phone-numbers.md) of its accounts`;
    return [apiUrl.variable, { default: apiUrl.value, format, meaning }] as const;
  }),
  ...CARRIERS.flatMap(({ outboundCodec }) => {
    if (outboundCodec === undefined) return [];
    const { variable, meaning } = outboundCodec;
    return [[variable, { default: LAW_NAME_DEFAULT, oneOf: Object.keys(LAW_NAMES), meaning }] as const];
  }),
]);
