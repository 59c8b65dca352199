import { signal } from "@preact/signals";
import type { Schema } from "../../client/src/index.ts";
import { askOwnService } from "./own-routes.ts";

/** Who is signed in, as `GET /dashboard/session/me` has it. */
export interface Session {
  user: Schema<"User">;
  accountId: string;
  csrfToken: string;
  /** ISO 8601. */
  expiresAt: string;
}

export type SessionState =
  | { status: "loading" }
  | { status: "failed"; error: unknown }
  | { status: "signed-out" }
  | { status: "signed-in"; session: Session };

/** Who is signed in, as far as the page knows. */
export const sessionState = signal<SessionState>({ status: "loading" });

/** The session; undefined where no person is signed in. */
export const currentSession = (): Session | undefined =>
  sessionState.value.status === "signed-in" ? sessionState.value.session : undefined;

const UNAUTHORIZED = 401;

/** The tabs of a browser share the cookie of the session. */
let otherTabs: BroadcastChannel | undefined;
/** Which of several questions is the latest: an answer to an earlier one may be of the session before. */
let latest = 0;

/** Asks again who is signed in when another tab has signed in or out, until the returned function is called. */
export function followOtherTabs(): () => void {
  const channel = new BroadcastChannel("trunkline-session");
  channel.onmessage = () => void loadSession();
  otherTabs = channel;
  return () => {
    channel.close();
    otherTabs = undefined;
  };
}

function setState(state: SessionState): void {
  latest += 1;
  sessionState.value = state;
}

/** Asks the service who is signed in. Without an answer a person who was signed in still is, as far as the page knows. */
export async function loadSession(): Promise<void> {
  latest += 1;
  const asked = latest;
  const answer = await askOwnService<Session>("me").then(
    (session): SessionState => ({ status: "signed-in", session }),
    (error: unknown): SessionState => {
      if ((error as { status?: unknown }).status === UNAUTHORIZED) return { status: "signed-out" };
      return currentSession() === undefined ? { status: "failed", error } : sessionState.value;
    },
  );
  if (asked === latest) sessionState.value = answer;
}

/** Rejects with a TrunklineApiError. */
export async function signIn(email: string, password: string): Promise<void> {
  const session = await askOwnService<Session>("sign-in", { method: "POST", body: { email, password } });
  setState({ status: "signed-in", session });
  otherTabs?.postMessage("signed in");
}

/** Ends the session; where that fails, the page shows what the service says of it. */
export async function signOut(): Promise<void> {
  try {
    await askOwnService("sign-out", { method: "POST", csrfToken: currentSession()?.csrfToken });
    noteSignedOut();
    otherTabs?.postMessage("signed out");
  } catch {
    await loadSession();
  }
}

/** The service has said that the session has ended. */
export function noteSignedOut(): void {
  setState({ status: "signed-out" });
}
