/** What this browser keeps of a choice; null where there is nothing, and where it may keep nothing. */
export function readStored(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** Keeps a choice for the next time. A browser that may not, or whose place is used up, forgets it. */
export function writeStored(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // The choice counts until the page is closed.
  }
}
