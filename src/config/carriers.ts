import type { CarrierSecrets } from "../gateway/server/signatures.ts";
import type { G711Codec } from "../media/g711.ts";
import { CARRIER_VARIABLES } from "./variables/carriers.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The G.711 codecs by the names that carriers use. */
const LAW_NAMES: Readonly<Record<string, G711Codec>> = { pcmu: "mulaw", pcma: "alaw" };

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
  return {
    carrier_a: secretsIn("CARRIER_A_AUTH_TOKEN", true),
    carrier_b: secretsIn("CARRIER_B_STREAM_AUTH_TOKEN", false),
    carrier_c: secretsIn("CARRIER_C_AUTH_TOKEN", true),
  };
}

/** The codec of the audio that is sent to carrier B. */
export function readCarrierBCodec(env: Environment, problems: string[]): G711Codec {
  const given = env.CARRIER_B_OUTBOUND_CODEC?.trim() || CARRIER_VARIABLES.CARRIER_B_OUTBOUND_CODEC.default;
  const codec = Object.hasOwn(LAW_NAMES, given) ? LAW_NAMES[given] : undefined;
  if (codec === undefined) {
    const names = Object.keys(LAW_NAMES).join(", ");
    problems.push(`CARRIER_B_OUTBOUND_CODEC must be one of ${names}, not ${JSON.stringify(given)}`);
  }
  return codec ?? "mulaw";
}
