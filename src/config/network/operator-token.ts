import { OPERATOR_TOKEN_CHARS_MIN } from "../../core/limits/control-api/api.ts";

/** What a header can carry as it is (RFC 6750, section 2.1, is narrower). */
const PRINTABLE = /^[\x21-\x7e]+$/;

/** The token of `POST /drain`; undefined where none is set. A token that is refused is not shown. */
export function readOperatorToken(given: string, servesMetrics: boolean, problems: string[]): string | undefined {
  if (given === "") return undefined;
  if (given.length < OPERATOR_TOKEN_CHARS_MIN || !PRINTABLE.test(given))
    problems.push(
      `OPERATOR_TOKEN must have ${OPERATOR_TOKEN_CHARS_MIN} characters or more, printable ASCII without spaces; \`openssl rand -hex 32\` makes one`,
    );
  if (!servesMetrics) problems.push("OPERATOR_TOKEN needs the metrics port, and METRICS_PORT is off");
  return given;
}
