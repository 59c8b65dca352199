import { TrunklineClient } from "../../client/src/index.ts";
import { SESSION_BASE } from "./addresses.ts";
import { noteServiceTime } from "./service-clock.ts";
import { currentSession, loadSession, noteSignedOut } from "./session.ts";

const UNAUTHORIZED = 401;
const FORBIDDEN = 403;

/** Sends requests with the token of the session; an answer that says that the session has ended leads to the sign-in page. */
async function fetchInSession(url: Parameters<typeof fetch>[0], init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  const csrfToken = currentSession()?.csrfToken;
  if (csrfToken !== undefined) headers.set("X-CSRF-Token", csrfToken);
  const response = await fetch(url, { ...init, headers });
  noteServiceTime(response.headers.get("date"));
  if (response.status === UNAUTHORIZED) noteSignedOut();
  // Somebody else may have signed in in this browser, for whom the service refuses the token of this page.
  if (response.status === FORBIDDEN) void loadSession();
  return response;
}

/** The API, for the person who is signed in. Its methods reject with TrunklineApiError. */
export const api = new TrunklineClient({ baseUrl: SESSION_BASE, fetch: fetchInSession });
