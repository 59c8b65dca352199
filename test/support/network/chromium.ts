import { existsSync } from "node:fs";
import { chromium, type Page } from "playwright-core";

/** Where Debian's package has it. */
const CHROMIUM = "/usr/bin/chromium";

/** Tests in a real browser run only where one is installed. */
export const hasChromium = existsSync(CHROMIUM);

/** What a page did that it should not have. */
export interface PageViolations {
  /** Violations of the content security policy, and errors on the console. */
  errors: string[];
  /** Addresses of other origins that it asked for. */
  elsewhere: string[];
}

/** Opens a page of Chromium at `url`, hands it to `use`, and closes the browser. Resolves with what the page did meanwhile. */
export async function inChromium(url: string, use: (page: Page) => Promise<void>): Promise<PageViolations> {
  const { origin } = new URL(url);
  // As root, which containers run tests as, Chromium has no sandbox.
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  try {
    const misdeeds: PageViolations = { errors: [], elsewhere: [] };
    const page = await browser.newPage();
    page.on("console", (message) => {
      if (message.type() === "error") misdeeds.errors.push(message.text());
    });
    page.on("pageerror", ({ message }) => misdeeds.errors.push(message));
    page.on("request", (request) => {
      if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== origin) {
        misdeeds.elsewhere.push(request.url());
      }
    });
    await page.addInitScript(
      `document.addEventListener("securitypolicyviolation", (event) => console.error("policy", event.violatedDirective, event.blockedURI))`,
    );
    await page.goto(url);
    await use(page);
    return misdeeds;
  } finally {
    await browser.close();
  }
}
