import { CARRIERS, type CarrierName, type CarrierSecrets, type OutboundCodecs } from "../carriers/list.ts";
import { isAddress, redactedAddress } from "./network/addresses.ts";
import { LAW_NAMES } from "./variables/carriers.ts";
import type { VariableReader } from "./variables/reader.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The secrets with which carriers sign. Problems never quote a secret. */
export function readCarrierSecrets(env: Environment, problems: string[], hasPublicUrl: boolean): CarrierSecrets {
  const secretsIn = (key: string, signsUrl: boolean): string[] => {
    const given = env[key]?.trim() ?? "";
    if (given === "") return [];
    const secrets = given.split(",").map((secret) => secret.trim());
    if (secrets.some((secret) => !/^[\x21-\x7e]+$/.test(secret))) {
      problems.push(`${key} must be secrets of printable ASCII, separated by commas`);
    }
    if (signsUrl && !hasPublicUrl)
      problems.push(`PUBLIC_MEDIA_URL must be set together with ${key}: the carrier signs it`);
    return secrets;
  };
  return Object.fromEntries(
    CARRIERS.map(({ connectionType, secret }) => [connectionType, secretsIn(secret.variable, secret.signsUrl)]),
  );
}

/** The addresses of the carriers' APIs, without slashes at their ends. */
export const readCarrierApiUrls = (reader: VariableReader, problems: string[]): Readonly<Record<CarrierName, string>> =>
  Object.fromEntries(
    CARRIERS.map(({ connectionType, telephony: { apiUrl } }) => {
      const url = reader.text(apiUrl.variable).replace(/\/+$/, "");
      if (!isAddress(url, ["http:", "https:"])) {
        const rule = "must be an http:// or https:// address without a query or a password";
        problems.push(`${apiUrl.variable} ${rule}, not ${redactedAddress(url)}`);
      }
      return [connectionType, url];
    }),
  ) as Readonly<Record<CarrierName, string>>;

/** The codecs of outbound audio, of the carriers that can have more than one. */
export const readOutboundCodecs = (reader: VariableReader): OutboundCodecs =>
  Object.fromEntries(
    CARRIERS.flatMap(({ connectionType, outboundCodec }) => {
      if (outboundCodec === undefined) return [];
      const name = reader.word(outboundCodec.variable, Object.keys(LAW_NAMES));
      return [[connectionType, LAW_NAMES[name] ?? "mulaw"] as const];
    }),
  );
