import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from "playwright-core";
import { CHROMIUM, hasChromium } from "../../../test/support/network/chromium.ts";
import { TRACED, type TraceEvent } from "../trace/events.ts";
import { type FrameTimes, framesOf } from "../trace/frames.ts";

/** Notes when things are painted, and which tasks are long. It runs before every page, which knows nothing of it. */
const OBSERVER = `(() => {
  const seen = { lcpMs: 0, fcpMs: 0, longTasks: [] };
  const observe = (type, take) => new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
  observe("largest-contentful-paint", ({ startTime }) => { seen.lcpMs = startTime; });
  observe("paint", ({ name, startTime }) => { if (name === "first-contentful-paint") seen.fcpMs = startTime; });
  observe("longtask", ({ startTime, duration }) => seen.longTasks.push({ startMs: startTime, ms: duration }));
  const painted = (then) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => then(performance.now());
    port2.postMessage(0);
  });
  // Resolves with when an element that there was not is painted.
  const firstPaintOf = (selector) => new Promise((resolve) => {
    const look = () => {
      if (document.querySelector(selector) === null) return false;
      painted(resolve);
      return true;
    };
    if (look()) return;
    const observer = new MutationObserver(() => { if (look()) observer.disconnect(); });
    observer.observe(document, { childList: true, subtree: true });
  });
  globalThis.bench = { seen, firstPaintOf };
})()`;

/** What OBSERVER has seen, ms since the navigation. */
export interface Seen {
  lcpMs: number;
  fcpMs: number;
  longTasks: { startMs: number; ms: number }[];
}

/** A tab, with the protocol of Chromium's developer tools. */
export interface OpenTab {
  tab: Page;
  tools: CDPSession;
}

/** A window of a person who is signed in. */
export const VIEWPORT = { width: 1_280, height: 800 };

/** Chromium for `work`; without cores or a screen of its own. Rejects where it is not installed. */
export async function withChromium<T>(work: (browser: DashboardBrowser) => Promise<T>): Promise<T> {
  if (!hasChromium) throw new Error(`Chromium is not installed at ${CHROMIUM}: install it, or use --only streams`);
  // As root, which containers run benches as, Chromium has no sandbox.
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  try {
    return await work(new DashboardBrowser(browser));
  } finally {
    await browser.close();
  }
}

export class DashboardBrowser {
  readonly #browser: Browser;

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  /** A profile that has nothing in its cache, in which a person is signed in. Closed when `work` is over. */
  async inProfile<T>(
    { apiUrl, cookies }: { apiUrl: string; cookies: string },
    work: (profile: BrowserContext) => Promise<T>,
  ): Promise<T> {
    const profile = await this.#browser.newContext({ viewport: VIEWPORT });
    try {
      await profile.addCookies(
        cookies.split("; ").map((cookie) => {
          const [name = "", value = ""] = cookie.split("=");
          return { name, value, url: apiUrl };
        }),
      );
      await profile.addInitScript(OBSERVER);
      return await work(profile);
    } finally {
      await profile.close();
    }
  }

  /** What the main thread of a tab does during `work`. */
  async trace(tab: Page, work: () => Promise<void>): Promise<FrameTimes> {
    await this.#browser.startTracing(tab, { categories: [...TRACED] });
    let trace: Buffer;
    try {
      await work();
    } finally {
      trace = await this.#browser.stopTracing();
    }
    const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
    return framesOf(traceEvents);
  }

  /** The addresses of the programs that run in shared workers. */
  async sharedWorkers(): Promise<string[]> {
    const tools = await this.#browser.newBrowserCDPSession();
    const { targetInfos } = await tools.send("Target.getTargets");
    await tools.detach();
    return targetInfos.filter(({ type }) => type === "shared_worker").map(({ url }) => url);
  }
}

/** Opens a tab for `work`. */
export async function inTab<T>(profile: BrowserContext, work: (open: OpenTab) => Promise<T>): Promise<T> {
  const tab = await profile.newPage();
  try {
    return await work({ tab, tools: await profile.newCDPSession(tab) });
  } finally {
    await tab.close();
  }
}

/** Resolves with when the first element of `selector` was painted, ms since the navigation to where the tab is. */
export const firstPaintOf = (tab: Page, selector: string): Promise<number> =>
  tab.evaluate<number>(`bench.firstPaintOf(${JSON.stringify(selector)})`);
