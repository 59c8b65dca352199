import { useEffect, useRef } from "preact/hooks";

/** Calls `onShown` when the person comes back to the page from another tab or window: for what no event reports. */
export function useShownAgain(onShown: () => void): void {
  const latest = useRef(onShown);
  latest.current = onShown;
  useEffect(() => {
    const onChange = (): void => {
      if (!document.hidden) latest.current();
    };
    document.addEventListener("visibilitychange", onChange);
    addEventListener("focus", onChange);
    return () => {
      document.removeEventListener("visibilitychange", onChange);
      removeEventListener("focus", onChange);
    };
  }, []);
}
