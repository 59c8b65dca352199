import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { inProject } from "../harness/project.ts";
import { median } from "../harness/statistics.ts";
import { type DashboardBrowser, inTab, type Seen } from "./browser/browser.ts";
import type { LoadResult, LoadTimes, Scene } from "./result.ts";
import type { FilledService } from "./service/filled.ts";

// The first load of the dashboard by a browser that has nothing of it, on a processor that is four times as slow.

const THROTTLING = 4;
/** What is not over by then is no part of the load. */
const SETTLED_MS = 3_000;
/** A task that takes longer blocks what a person does. */
const TASK_MS = 50;
const EMPTY = "<!doctype html><title>Empty</title><p>An empty page.</p>";
const FILE = /\/dashboard\/files\/([^/?]+\.(?:js|css))$/;

export async function measureLoad(
  { options, write }: Scene,
  browser: DashboardBrowser,
  service: FilledService,
): Promise<LoadResult> {
  const empty = createServer((_request, response) => response.setHeader("Content-Type", "text/html").end(EMPTY));
  await new Promise<void>((resolve) => empty.listen(0, "127.0.0.1", resolve));
  const pages = [
    { page: "the dashboard, Live", url: `${service.apiUrl}/dashboard/live`, row: "main table, main .empty" },
    { page: "an empty page", url: `http://127.0.0.1:${(empty.address() as AddressInfo).port}/`, row: "p" },
  ];
  const files = new Set<string>();
  const seen = new Map<string, Seen[]>(pages.map(({ page }) => [page, []]));
  try {
    for (let run = 0; run < options.runs; run += 1) {
      for (const { page, url, row } of pages) {
        const one = await browser.inProfile(service, (profile) =>
          inTab(profile, async ({ tab, tools }) => {
            tab.on("request", (request) => note(request.url(), files));
            await tools.send("Emulation.setCPUThrottlingRate", { rate: THROTTLING });
            await tab.goto(url);
            await tab.locator(row).first().waitFor();
            await delay(SETTLED_MS);
            for (const worker of await browser.sharedWorkers()) note(worker, files);
            return await tab.evaluate<Seen>("bench.seen");
          }),
        );
        seen.get(page)?.push(one);
        write(
          `load, ${run + 1} of ${options.runs}, ${page}: LCP ${one.lcpMs.toFixed(0)} ms, blocking ${blockingMs(one).toFixed(0)} ms`,
        );
      }
    }
  } finally {
    empty.closeAllConnections();
    empty.close();
  }
  return {
    throttling: THROTTLING,
    files: files.size,
    gzipBytes: sizeOf(files, "gz"),
    brotliBytes: sizeOf(files, "br"),
    pages: [...seen].map(
      ([page, all]): LoadTimes => ({
        page,
        runs: all.length,
        lcpMs: median(all.map(({ lcpMs }) => lcpMs)),
        blockingMs: median(all.map(blockingMs)),
      }),
    ),
  };
}

/** What a person who does something would wait for at most, after the first paint. */
const blockingMs = ({ longTasks, fcpMs }: Seen): number =>
  longTasks
    .filter(({ startMs, ms }) => startMs + ms > fcpMs)
    .reduce((sum, { ms }) => sum + Math.max(0, ms - TASK_MS), 0);

function note(url: string, files: Set<string>): void {
  const [, name] = FILE.exec(url) ?? [];
  if (name !== undefined) files.add(name);
}

/** As the build compressed them. */
const sizeOf = (files: ReadonlySet<string>, form: "gz" | "br"): number =>
  [...files].reduce((sum, name) => sum + readFileSync(inProject(`dist/web/dashboard/${name}.${form}`)).length, 0);
