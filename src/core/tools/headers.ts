import { fillSecrets, secretsIn } from "./http-tool.ts";

/** Headers that are sent to a server, and the secrets in them, which its answer must not show. */
export interface FilledHeaders {
  readonly headers: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
}

/** Fills the secrets into the headers of a tool; undefined when `secretFor` does not have one of them. */
export function filledHeaders(
  headers: Readonly<Record<string, string>>,
  secretFor: (name: string) => string | undefined,
): FilledHeaders | undefined {
  const named = Object.values(headers).flatMap(secretsIn);
  const secrets = new Map(named.map((name) => [name, secretFor(name)]));
  if ([...secrets.values()].includes(undefined)) return undefined;
  const secretOf = (name: string): string => secrets.get(name) ?? "";
  const filled = Object.entries(headers).map(([name, value]) => [name, fillSecrets(value, secretOf)]);
  return { headers: Object.fromEntries(filled), secrets: named.map(secretOf) };
}

/** Headers whose values are no secrets; any other may hold one, whatever its name. */
const SHOWN_HEADERS = /^(?:accept|accept-language|content-type|user-agent)$/i;

/** The headers of a tool as they may be shown to its account: `***` in place of secrets, and of values that may be some. */
export const maskedHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      secretsIn(value).length > 0 ? fillSecrets(value, () => MASK) : SHOWN_HEADERS.test(name) ? value : MASK,
    ]),
  );

const MASK = "***";

/**
 * A text of a server without the secrets that it was sent: unchanged, within JSON, or in base64. One secret may be a prefix of
 * another.
 */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const inBase64 = (sent: string): string[] => {
    const bytes = Buffer.from(sent);
    return [bytes.toString("base64").replace(/=+$/, ""), bytes.toString("base64url")];
  };
  const spellings = secrets.flatMap((secret) => [
    ...[secret, JSON.stringify(secret).slice(1, -1)],
    ...[secret, `Bearer ${secret}`].flatMap(inBase64),
  ]);
  spellings.sort((a, b) => b.length - a.length);
  return spellings.reduce((redacted, spelling) => redacted.replaceAll(spelling, MASK), text);
}
