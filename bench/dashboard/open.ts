import type { Page } from "playwright-core";
import { spreadOf } from "../harness/statistics.ts";
import { type DashboardBrowser, firstPaintOf, inTab } from "./browser/browser.ts";
import type { OpenResult, Scene } from "./result.ts";
import type { FilledService } from "./service/filled.ts";

// How soon the page of a long call shows what was said.

const ROW = ".call-transcript-rows [data-row]";
/** It says of how many events it shows which, once all are there. */
const EVENTS = /of ([\d,]+) events/;
const WARM_UPS = 2;
const ALL_MS_MAX = 120_000;

export const callAddress = ({ apiUrl, longCallId }: FilledService, query = ""): string =>
  `${apiUrl}/dashboard/calls/${longCallId}${query}`;

export async function measureOpen(
  { options, write }: Scene,
  browser: DashboardBrowser,
  service: FilledService,
): Promise<OpenResult> {
  const firstMs: number[] = [];
  const allMs: number[] = [];
  const counts = await browser.inProfile(service, async (profile) => {
    let found = { events: 0, turns: 0 };
    for (let run = -WARM_UPS; run < 2 * options.runs; run += 1) {
      found = await inTab(profile, async ({ tab }) => {
        await tab.goto(callAddress(service, "?list=events"), { waitUntil: "commit" });
        const [first, all] = [await firstPaintOf(tab, ROW), await untilComplete(tab)];
        write(
          `open: first rows after ${first.toFixed(0)} ms, all events after ${all.toFixed(0)} ms${run < 0 ? " (warm-up)" : ""}`,
        );
        if (run >= 0) {
          firstMs.push(first);
          allMs.push(all);
        }
        return { events: await eventCount(tab), turns: await turnCount(tab) };
      });
    }
    return found;
  });
  const page = `the page of a call of ${service.longCallMinutes} minutes`;
  return {
    callMinutes: service.longCallMinutes,
    ...counts,
    rows: [
      { page, how: "first rows", tookMs: spreadOf(Float32Array.from(firstMs)) },
      { page, how: "all events", tookMs: spreadOf(Float32Array.from(allMs)) },
    ],
  };
}

/** Resolves with when all events of the call were there, ms since the navigation. */
export async function untilComplete(tab: Page): Promise<number> {
  await tab.locator(ROW).first().waitFor();
  await tab.getByText("Loading the events").waitFor({ state: "hidden", timeout: ALL_MS_MAX });
  return await tab.evaluate<number>("performance.now()");
}

async function eventCount(tab: Page): Promise<number> {
  const text = await tab
    .getByRole("status")
    .getByText(EVENTS)
    .textContent()
    .catch(() => "");
  return Number(EVENTS.exec(text ?? "")?.[1]?.replaceAll(",", "") ?? Number.NaN);
}

const turnCount = async (tab: Page): Promise<number> =>
  Number(await tab.locator(ROW).first().getAttribute("aria-setsize"));
