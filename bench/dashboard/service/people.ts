import { systemClock } from "../../../src/core/clock.ts";
import type { AccountId } from "../../../src/core/ids.ts";
import { BY_SERVICE } from "../../../src/store/accounts/audit-store.ts";
import { openStores, type StorePlace } from "../../../src/store/open-stores.ts";

/** A person who can sign in once they have accepted their invitation. */
export interface Person {
  email: string;
  password: string;
  /** Of the invitation. */
  token: string;
}

/** Invites an owner of an account. */
export async function inviteOwner(place: StorePlace, accountId: AccountId, email: string): Promise<Person> {
  const stores = await openStores(place, systemClock);
  try {
    const invited = await stores.users.invite({ accountId, email, name: "Kim", role: "owner" }, BY_SERVICE);
    if (invited === "exists") throw new Error(`${email} exists`);
    return { email, password: "four quite random words", token: invited.link.token };
  } finally {
    await stores.close();
  }
}

/** Accepts the invitation. Resolves with the cookies of the session that begins, as a request sends them. */
export async function acceptInvitation(apiUrl: string, { token, password }: Person): Promise<string> {
  const response = await fetch(`${apiUrl}/dashboard/session/accept`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token, password }),
  });
  if (!response.ok) throw new Error(`an invitation cannot be accepted: ${response.status} ${await response.text()}`);
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";", 1)[0])
    .join("; ");
}
