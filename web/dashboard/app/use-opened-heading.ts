import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

/**
 * For the heading of details that open below a list: it gets the focus, and what had it gets it back when they are closed. `key` says
 * what is shown.
 */
export function useOpenedHeading(key: string): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    heading.current?.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected && before !== document.body) before.focus();
    };
  }, [key]);
  return heading;
}
