import { setTimeout as delay } from "node:timers/promises";
import { spreadOf } from "../harness/statistics.ts";
import { type DashboardBrowser, firstPaintOf, inTab, type OpenTab } from "./browser/browser.ts";
import type { ListResult, Scene } from "./result.ts";
import type { FilledService } from "./service/filled.ts";

// The list of all calls: how soon it shows the first ones, and whether its memory grows with what is scrolled through.

const ROW = "tbody tr[aria-rowindex]";
const ROW_PIXELS = 32;
const WARM_UPS = 2;
/** At the first of these the list has as many pages in memory as it ever has. */
const HEAP_AT_ROWS = { full: [1_000, 3_000, 5_000], reduced: [1_000, 2_000] };
/** Rows that are scrolled at once: the list must load each page on the way. */
const STEP_ROWS = 50;
const LOADED_MS_MAX = 10_000;

export async function measureList(
  scene: Scene,
  browser: DashboardBrowser,
  service: FilledService,
): Promise<ListResult> {
  const address = `${service.apiUrl}/dashboard/calls`;
  const { options, write } = scene;
  const loadedMs: number[] = [];
  const openedMs: number[] = [];
  return await browser.inProfile(service, async (profile) => {
    for (let run = -WARM_UPS; run < 4 * options.runs; run += 1) {
      await inTab(profile, async ({ tab }) => {
        await tab.goto(address, { waitUntil: "commit" });
        const loaded = await firstPaintOf(tab, ROW);
        await tab.goto(`${service.apiUrl}/dashboard/live`);
        await tab.getByRole("heading", { name: "Live" }).waitFor();
        await tab.locator("main table").first().waitFor();
        const opened = await tab.evaluate<number>(
          `(async () => {
            const fromMs = performance.now();
            document.querySelector('nav a[href$="/dashboard/calls"]').click();
            return (await bench.firstPaintOf(${JSON.stringify(ROW)})) - fromMs;
          })()`,
        );
        if (run >= 0) {
          loadedMs.push(loaded);
          openedMs.push(opened);
        }
      });
    }
    const rows = [
      { page: "the list of calls", how: "address opened", tookMs: spreadOf(Float32Array.from(loadedMs)) },
      { page: "the list of calls", how: "from Live, by its link", tookMs: spreadOf(Float32Array.from(openedMs)) },
    ];
    for (const { how, tookMs } of rows)
      write(`list: first rows, ${how}: p95 ${tookMs.p95.toFixed(0)} ms of ${tookMs.count}`);
    const heap = await inTab(profile, async (open) => {
      await open.tab.goto(address);
      await open.tab.locator(ROW).first().waitFor();
      return await measureHeap(scene, open);
    });
    return { calls: service.calls, rows, heap };
  });
}

async function measureHeap({ options, write, problems }: Scene, { tab, tools }: OpenTab): Promise<ListResult["heap"]> {
  const heap: { rows: number; bytes: number }[] = [];
  let shown = 0;
  for (const rows of options.reduced ? HEAP_AT_ROWS.reduced : HEAP_AT_ROWS.full) {
    for (; shown < rows; shown += STEP_ROWS) {
      await tab.evaluate(`document.querySelector(".table-long").scrollTop = ${(shown + STEP_ROWS) * ROW_PIXELS}`);
      // The row at the top of what is seen is there, with its cells.
      const place = `${ROW}[aria-rowindex="${shown + STEP_ROWS + 2}"] a`;
      await tab.locator(place).first().waitFor({ state: "attached", timeout: LOADED_MS_MAX });
    }
    await delay(500);
    await tools.send("HeapProfiler.collectGarbage");
    const { usedSize } = await tools.send("Runtime.getHeapUsage");
    heap.push({ rows, bytes: usedSize });
    write(`list: ${(usedSize / 1e6).toFixed(1)} MB of heap after ${rows} rows`);
  }
  if (heap.length < 2) problems.push("list: the heap was not measured twice");
  return heap;
}
