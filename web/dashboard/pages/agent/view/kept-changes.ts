import { useEffect, useRef } from "preact/hooks";
import { currentSession } from "../../../app/session.ts";

/** What was not saved when a session ended, by what it belongs to. It is in memory alone, and of one person. */
const kept = new Map<string, { userId: string; changes: unknown }>();

/** Keeps changes that are not saved while their person signs in again; undefined where all is saved. */
export function useKeptChanges<Changes>(key: string, changes: Changes | undefined): void {
  const latest = useRef(changes);
  latest.current = changes;
  useEffect(() => {
    const userId = currentSession()?.user.id;
    return () => {
      const isSignedOut = currentSession() === undefined;
      if (isSignedOut && userId !== undefined && latest.current !== undefined) {
        kept.set(key, { userId, changes: latest.current });
      }
    };
  }, [key]);
}

/** The changes that were kept for the person who is signed in, once. */
export function takeKeptChanges<Changes>(key: string): Changes | undefined {
  const found = kept.get(key);
  kept.delete(key);
  return found?.userId === currentSession()?.user.id ? (found?.changes as Changes | undefined) : undefined;
}
