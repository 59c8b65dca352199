import { z } from "zod";
import { asAccountId } from "../../core/ids.ts";
import { PASSWORD_CHARS_MAX, PASSWORD_CHARS_MIN } from "../../core/limits/accounts/people.ts";
import { normalizedEmail } from "../../core/text/emails.ts";
import type { Path } from "../http/display-path.ts";
import type { Problem } from "../http/errors.ts";
import { parameter } from "../http/requests/query.ts";
import { problemWithoutValue } from "../http/requests/validation.ts";
import { email } from "../users/schemas.ts";

/** A field whose value no answer may show: it is checked by the functions below. */
const secret = z.unknown();

export const SignInBody = z.strictObject({
  email,
  password: secret,
  accountId: parameter.transform(asAccountId).optional(),
});
export const AcceptBody = z.strictObject({ token: secret, password: secret });
export const PasswordBody = z.strictObject({ currentPassword: secret, newPassword: secret });

/** The problem of a password or a token that was given; never shows the value. */
export function givenSecretProblems(path: Path, value: unknown): readonly Problem[] {
  const isGiven = typeof value === "string" && value.length > 0 && [...value].length <= PASSWORD_CHARS_MAX;
  return isGiven ? [] : [problemWithoutValue(path, `must be a string of 1 to ${PASSWORD_CHARS_MAX} characters`)];
}

/** The problem of a password that is to be set; never shows the value. `of` is the email of the person, if it is known. */
export function newPasswordProblems(path: Path, value: unknown, of?: string): readonly Problem[] {
  const chars = typeof value === "string" ? [...value].length : 0;
  if (chars < PASSWORD_CHARS_MIN || chars > PASSWORD_CHARS_MAX) {
    const rule = `must be a string of ${PASSWORD_CHARS_MIN} to ${PASSWORD_CHARS_MAX} characters`;
    return [problemWithoutValue(path, rule)];
  }
  const isEmail = of !== undefined && normalizedEmail(String(value)) === of;
  return isEmail ? [problemWithoutValue(path, "must not be the email of the person")] : [];
}
