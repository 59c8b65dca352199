import { TrunklineClient } from "../../client/src/index.ts";
import { SESSION_BASE } from "./addresses.ts";
import { EarlyRequest } from "./early-request.ts";
import { noteServiceTime } from "./service-clock.ts";
import { currentSession, loadSession, noteSignedOut } from "./session.ts";

const UNAUTHORIZED = 401;
const FORBIDDEN = 403;

/** Made by the first request, so that models that name the API can be tested without a page. */
let early: EarlyRequest | undefined;

/** Sends requests with the token of the session; an answer that says that the session has ended leads to the sign-in page. */
async function fetchInSession(url: Parameters<typeof fetch>[0], init: RequestInit = {}): Promise<Response> {
  early ??= new EarlyRequest(location);
  if (early.take(String(url), init.method ?? "GET")) return await noted(fetch(url, { signal: init.signal ?? null }));
  const headers = new Headers(init.headers);
  const csrfToken = currentSession()?.csrfToken;
  if (csrfToken !== undefined) headers.set("X-CSRF-Token", csrfToken);
  return await noted(fetch(url, { ...init, headers }));
}

async function noted(answer: Promise<Response>): Promise<Response> {
  const response = await answer;
  noteAnswer(response.status, response.headers.get("date"));
  return response;
}

/** What an answer says beside its content: whether the session is over, and the time at the service. `date` is its header. */
export function noteAnswer(status: number, date: string | null): void {
  noteServiceTime(date);
  if (status === UNAUTHORIZED) noteSignedOut();
  // Somebody else may have signed in in this browser, for whom the service refuses the token of this page.
  if (status === FORBIDDEN) void loadSession();
}

/** The API, for the person who is signed in. Its methods reject with TrunklineApiError. */
export const api = new TrunklineClient({ baseUrl: SESSION_BASE, fetch: fetchInSession });
