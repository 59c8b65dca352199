import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CarrierEmulator } from "../../../src/simulator/emulator/emulator.ts";
import { hasChromium, inChromium } from "../../support/network/chromium.ts";
import { accessibilityFaults } from "../../support/web/accessibility.ts";

const [NUMBER, PERSON, TARGET] = ["+12025550187", "+12025550142", "+12025550147"];

describe.skipIf(!hasChromium)(
  "the emulator's page in a real browser (only where Debian's chromium is installed)",
  () => {
    let emulator: CarrierEmulator;
    let url: string;
    beforeAll(async () => {
      emulator = new CarrierEmulator({ carrier: "twilio" });
      url = await emulator.start();
    });
    afterAll(() => emulator.stop());

    const ring = (): void => {
      const leg = emulator.call({ from: PERSON ?? "", to: NUMBER ?? "" });
      emulator.network.dial({ from: NUMBER ?? "", to: TARGET ?? "", ringMsMax: 60_000, parent: leg });
      leg.receivedDigits = "12#";
    };
    const widthOf = (page: Page): Promise<number> => page.evaluate("document.documentElement.scrollWidth");

    test("has no fault of accessibility, is no wider than the screen, and shows a new call without being loaded again", async () => {
      const misdeeds = await inChromium(url, async (page) => {
        for (const width of [390, 1_280]) {
          await page.setViewportSize({ width, height: 900 });
          await page.goto(url);
          expect(await accessibilityFaults(page)).toEqual([]);
          expect(await widthOf(page)).toBe(width);
          await page.evaluate("window.isSame = true");
          const before = await page.locator("tbody tr").count();
          ring();
          await page
            .locator("tbody tr")
            .nth(before + 1)
            .waitFor();
          expect(await page.evaluate("window.isSame")).toBe(true);
          expect(await accessibilityFaults(page)).toEqual([]);
          expect(await widthOf(page)).toBe(width);
        }
      });
      expect(misdeeds).toEqual({ errors: [], elsewhere: [] });
    }, 120_000);
  },
);
