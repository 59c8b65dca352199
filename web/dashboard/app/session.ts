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

/** The session; undefined where nobody is signed in. */
export const currentSession = (): Session | undefined =>
  sessionState.value.status === "signed-in" ? sessionState.value.session : undefined;

const UNAUTHORIZED = 401;

/** Asks the service who is signed in. */
export async function loadSession(): Promise<void> {
  try {
    sessionState.value = { status: "signed-in", session: await askOwnService<Session>("me") };
  } catch (error) {
    const isSignedOut = (error as { status?: unknown }).status === UNAUTHORIZED;
    sessionState.value = isSignedOut ? { status: "signed-out" } : { status: "failed", error };
  }
}

/** Rejects with a TrunklineApiError. */
export async function signIn(email: string, password: string): Promise<void> {
  const session = await askOwnService<Session>("sign-in", { method: "POST", body: { email, password } });
  sessionState.value = { status: "signed-in", session };
}

/** Ends the session; where that fails, the page shows what the service says of it. */
export async function signOut(): Promise<void> {
  try {
    await askOwnService("sign-out", { method: "POST", csrfToken: currentSession()?.csrfToken });
    noteSignedOut();
  } catch {
    await loadSession();
  }
}

/** The service has said that the session has ended. */
export function noteSignedOut(): void {
  sessionState.value = { status: "signed-out" };
}
