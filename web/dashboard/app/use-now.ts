import { useEffect, useState } from "preact/hooks";
import { serviceNowMs } from "./service-clock.ts";

/** The time at the service, again each second: for what has gone on since a time. */
export function useNow(): number {
  const [nowMs, setNowMs] = useState(serviceNowMs);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(serviceNowMs()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return nowMs;
}
