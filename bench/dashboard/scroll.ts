import { setTimeout as delay } from "node:timers/promises";
import type { Locator } from "playwright-core";
import { type DashboardBrowser, inTab, type OpenTab } from "./browser/browser.ts";
import { callAddress, untilComplete } from "./open.ts";
import type { Scene, ScrollResult } from "./result.ts";
import type { FilledService } from "./service/filled.ts";

// What the main thread does in each frame while a person scrolls with a wheel.

const SPEED = 2_000;
const PIXELS = { full: 12_000, reduced: 4_000 };
/** Until nothing is loaded any more. */
const SETTLED_MS = 2_000;

interface Scrolled {
  what: string;
  address: string;
  /** Where the pointer is. */
  at: (tab: OpenTab["tab"]) => Locator;
  ready: (tab: OpenTab["tab"]) => Promise<unknown>;
}

const thingsOf = (service: FilledService): readonly Scrolled[] => [
  {
    what: `the transcript of a call of ${service.longCallMinutes} minutes`,
    address: callAddress(service),
    at: (tab) => tab.locator(".call-transcript-rows"),
    ready: untilComplete,
  },
  {
    what: "its events",
    address: callAddress(service, "?list=events"),
    at: (tab) => tab.getByRole("region", { name: "Events" }),
    ready: untilComplete,
  },
  {
    what: "its silences",
    address: callAddress(service, "?list=silences"),
    at: (tab) => tab.getByRole("region", { name: "Silences" }),
    ready: untilComplete,
  },
  {
    what: "its whole page, over the time line",
    address: callAddress(service),
    at: (tab) => tab.getByRole("region", { name: "Time line" }),
    ready: untilComplete,
  },
  {
    what: `the list of ${service.calls.toLocaleString("en")} calls`,
    address: `${service.apiUrl}/dashboard/calls`,
    at: (tab) => tab.getByRole("region", { name: "Calls" }),
    ready: (tab) => tab.locator("tbody tr[aria-rowindex]").first().waitFor(),
  },
];

export async function measureScroll(
  { options, write, problems }: Scene,
  browser: DashboardBrowser,
  service: FilledService,
): Promise<ScrollResult[]> {
  const results: ScrollResult[] = [];
  const pixels = options.reduced ? PIXELS.reduced : PIXELS.full;
  for (const { what, address, at, ready } of thingsOf(service)) {
    const times = await browser.inProfile(service, (profile) =>
      inTab(profile, async ({ tab, tools }) => {
        await tab.goto(address);
        await ready(tab);
        const place = at(tab);
        await place.scrollIntoViewIfNeeded();
        await delay(SETTLED_MS);
        const box = await place.boundingBox();
        if (box === null) throw new Error(`${what} is not on the screen`);
        const [x, y] = [box.x + box.width / 2, Math.min(box.y + box.height / 2, 700)];
        return await browser.trace(tab, async () => {
          // Down and up again.
          for (const yDistance of [-pixels / 2, pixels / 2])
            await tools.send("Input.synthesizeScrollGesture", {
              x,
              y,
              yDistance,
              speed: SPEED,
              gestureSourceType: "mouse",
            });
        });
      }),
    );
    if (times.frames < 20) problems.push(`scroll: ${what}: only ${times.frames} frames were drawn`);
    write(
      `scroll: ${what}: ${times.frames} frames, script and layout p95 ${times.scriptAndLayoutP95Ms.toFixed(1)} ms, longest task ${times.longestTaskMs.toFixed(0)} ms`,
    );
    results.push({ what, ...times });
  }
  return results;
}
