import type { Page } from "playwright-core";
import type { Role } from "../../../src/core/accounts/roles.ts";
import { BY_SERVICE } from "../../../src/store/accounts/audit-store.ts";
import { inChromium, type PageViolations } from "../network/chromium.ts";
import { type Service, withStores } from "../services/service.ts";
import { press } from "./keyboard.ts";

/** A person who can sign in. */
export interface Person {
  email: string;
  password: string;
}

/** Makes a person of the account of the service's API key, who has accepted their invitation. */
export async function makePerson(
  service: Service,
  role: Role = "owner",
  email = `${role}@example.com`,
): Promise<Person> {
  const password = "four quite random words";
  const token = await withStores(service.dataDir, async ({ users }, accountId) => {
    const invited = await users.invite({ accountId, email, name: `Kim ${role}`, role }, BY_SERVICE);
    if (invited === "exists") throw new Error(`${email} exists`);
    return invited.link.token;
  });
  const answer = await fetch(`${service.apiUrl}/dashboard/session/accept`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token, password }),
  });
  if (!answer.ok) throw new Error(`${email} cannot accept: ${await answer.text()}`);
  return { email, password };
}

/** Signs a person in on the sign-in page, from where a page of the dashboard has led. */
export async function signIn(tab: Page, { email, password }: Person): Promise<void> {
  await tab.getByLabel("Email").fill(email);
  await tab.getByLabel("Password").fill(password);
  await press(tab.getByRole("button", { name: "Sign in" }));
  await tab.getByRole("heading", { name: "Sign in" }).waitFor({ state: "detached" });
}

/** Opens a page of the dashboard, such as `live`, for a person who signs in; see `inChromium`. */
export const inDashboard = (
  service: Service,
  page: string,
  person: Person,
  use: (tab: Page) => Promise<void>,
  options: Parameters<typeof inChromium>[2] = {},
): Promise<PageViolations> =>
  inChromium(
    `${service.apiUrl}/dashboard/${page}`,
    async (tab) => {
      await signIn(tab, person);
      await use(tab);
    },
    options,
  );
