import { z } from "zod";
import { ROLE_MEANINGS, ROLES } from "../../core/accounts/roles.ts";
import { asUserId, type UserId } from "../../core/ids.ts";
import { EMAIL_CHARS_MAX, USER_NAME_CHARS_MAX } from "../../core/limits/accounts/people.ts";
import { isEmail } from "../../core/text/emails.ts";
import { LINK_KINDS, USER_STATUSES } from "../../store/users/user-store.ts";
import { meaningsOf } from "../calls/schemas/meanings.ts";
import { time } from "../calls/schemas/response-schemas.ts";
import { oneOf } from "../http/requests/fields.ts";
import { isBlank } from "../http/requests/validation.ts";
import { pageFields } from "../http/responses/cursor.ts";
import { pageSchema } from "../http/responses/pages.ts";

// Each `error` continues the field's name: see fields.ts.

const userId = z.string().meta({
  description: "`user_` and a UUIDv7.",
  examples: ["user_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"],
}) as unknown as z.ZodType<UserId, string>;

export const UserParams = z.object({ id: userId });

const emailRule = { error: `must be an email address of at most ${EMAIL_CHARS_MAX} characters` };
const nameRule = {
  error: `must be a string of 1 to ${USER_NAME_CHARS_MAX} characters that is not blank and has no control characters`,
};

/** In any case; it is compared in lower case. Non-ASCII letters are allowed on both sides of the `@`. */
export const email = z
  .string(emailRule)
  .refine((value) => value.length <= EMAIL_CHARS_MAX && isEmail(value), emailRule)
  .meta({ description: "An email address, by which the person signs in.", examples: ["kim@example.com"] });

const name = z
  .string(nameRule)
  .refine((value) => [...value].length <= USER_NAME_CHARS_MAX && !isBlank(value) && !/\p{Cc}/u.test(value), nameRule)
  .meta({ description: "What the person is called.", examples: ["Kim Miller"] });
const role = oneOf(ROLES).meta({
  description: `What the person may do. ${meaningsOf(ROLE_MEANINGS)}`,
  examples: ["editor"],
});

/** `POST /users`. */
export const NewUserBody = z.strictObject({ email, name, role }).meta({
  id: "NewUser",
  description: "Who is invited, and what they may do.",
  examples: [{ email: "kim@example.com", name: "Kim Miller", role: "editor" }],
});

/** `PATCH /users/{id}`. */
export const UserChangesBody = z
  .strictObject({ name: name.optional(), role: role.optional() })
  .meta({ id: "UserChanges", description: "What to change; the rest stays.", examples: [{ role: "viewer" }] });

const EXAMPLE = {
  id: asUserId("user_019aa5c8-5f00-7b3e-9c41-3b8f6a2d7e10"),
  email: "kim@example.com",
  name: "Kim Miller",
  role: "editor" as const,
  status: "invited" as const,
  lastSignInAt: null,
  createdAt: "2026-11-20T08:00:00.000Z",
  updatedAt: "2026-11-20T08:00:00.000Z",
};

const fields = {
  id: userId,
  email: z.string().meta({ description: "In lower case; an account has it once." }),
  name: z.string().meta({ description: "What the person is called." }),
  role: z.enum(ROLES).meta({ description: "What the person may do." }),
  status: z.enum(USER_STATUSES).meta({ description: "`invited` until the person has set a password." }),
  lastSignInAt: time.nullable().meta({ description: "When the person last signed in; null before the first time." }),
  createdAt: time,
  updatedAt: time.meta({ description: "When the name, the role or the password was last changed." }),
};

export const UserItem = z
  .object(fields)
  .meta({ id: "User", description: "A person of the account.", examples: [EXAMPLE] });

export const UserWithLinkItem = z
  .object({
    ...fields,
    link: z
      .object({
        kind: z.enum(LINK_KINDS).meta({ description: "Whether it sets the first password or another one." }),
        url: z.string().meta({ description: "For the person alone. It is not shown again." }),
        expiresAt: time.meta({ description: "Until when it works: 72 hours for an invitation, one hour for a reset." }),
      })
      .meta({ description: "The one-time link by which the person sets a password." }),
  })
  .meta({
    id: "UserWithLink",
    description: "A person with a one-time link.",
    examples: [
      {
        ...EXAMPLE,
        link: {
          kind: "invitation",
          url: "https://phone.example.com/dashboard/accept#tll_ZkQ3x8WnR0cVb5mJhT2yLw9sUeXa7dGfKi4oPq1NzYE",
          expiresAt: "2026-11-23T08:00:00.000Z",
        },
      },
    ],
  });

export const UserFilters = z.strictObject({
  ...pageFields,
  role: oneOf(ROLES).optional().meta({ description: "People with this role." }),
  status: oneOf(USER_STATUSES).optional().meta({ description: "People in this state." }),
});

export const UserList = pageSchema(UserItem, "A page of people, in the order in which they were invited.");
