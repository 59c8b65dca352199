import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { monoWav } from "../../../src/media/wav.ts";
import { hasChromium } from "../../support/network/chromium.ts";
import { Service, until } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";
import { RATE_HZ, spoken } from "../../support/transcriptions/spoken.ts";
import { accessibilityFaults } from "../../support/web/accessibility.ts";
import { inDashboard, makePerson, type Person } from "../../support/web/dashboard.ts";
import { press, tick } from "../../support/web/keyboard.ts";

const SENTENCES = [
  "The bakery is open from Tuesday to Saturday.",
  "Birthday cakes must be ordered two days before.",
  "Delivery is free within three miles.",
];
const NAME = "opening <b>hours.wav";

let service: Service;
let owner: Person;
let wav: Buffer;
beforeAll(async () => {
  if (!hasChromium) return;
  const [started, speech] = await Promise.all([Service.start(), spoken(SENTENCES)]);
  service = started;
  wav = Buffer.from(monoWav(speech, RATE_HZ));
  owner = await makePerson(service);
});

const upload = (buffer: Buffer, name = NAME) => ({ name, mimeType: "audio/wav", buffer });
const list = (tab: Page) => tab.getByRole("table", { name: "Transcriptions" });
const words = (tab: Page) => tab.getByRole("region", { name: "What was said, in time" });

describe.skipIf(!hasChromium)("transcriptions", { retry: ifMachineStalled, timeout: 120_000 }, () => {
  test("a file is sent with options, appears with its words, is played from a word, saved in all formats, and deleted", async () => {
    const faults: Record<string, string[]> = {};
    const { errors, elsewhere } = await inDashboard(service, "transcriptions", owner, async (tab) => {
      await tab.getByText("There is no transcription yet.").waitFor();
      faults.none = await accessibilityFaults(tab);
      await fileIsSent(tab, faults);
      faults.list = await accessibilityFaults(tab);
      await press(list(tab).getByRole("link", { name: NAME }));
      await words(tab).getByText("Birthday", { exact: true }).waitFor();
      faults.words = await accessibilityFaults(tab);
      await wordsArePlayed(tab);
      await tab.setViewportSize({ width: 390, height: 844 });
      expect(await tab.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
      faults.narrow = await accessibilityFaults(tab);
      await tab.setViewportSize({ width: 1280, height: 720 });
      await filesAreSaved(tab);
      await press(tab.getByRole("button", { name: "Delete", exact: true }));
      await press(tab.getByRole("button", { name: "Delete the transcription" }));
      await tab.getByText("There is no transcription yet.").waitFor();
    });
    for (const [where, found] of Object.entries(faults)) expect(found, where).toEqual([]);
    // Chromium reports the answer that leads to the sign-in page.
    expect(errors.filter((text) => !text.includes("401"))).toEqual([]);
    expect(elsewhere).toEqual([]);
  });

  test("one that fails says why, a wrong option is said at its file, and one whose audio is deleted is read without it", async () => {
    await inDashboard(service, "transcriptions", owner, async (tab) => {
      await press(tab.getByRole("button", { name: "New transcription" }));
      await tick(tab.getByLabel("Distinguish speakers"));
      await tab.locator('input[type="file"]').setInputFiles(upload(wav));
      await press(tab.getByRole("button", { name: "Transcribe" }));
      await tab
        .getByRole("region", { name: "Uploads" })
        .getByText("must be false: no configured provider distinguishes speakers")
        .first()
        .waitFor();
      await press(tab.getByRole("button", { name: `Hide ${NAME}` }));

      await press(tab.getByRole("button", { name: "New transcription" }));
      await tick(tab.getByLabel("Delete the audio when it is transcribed"));
      await tab.locator('input[type="file"]').setInputFiles(upload(wav, "kept.wav"));
      await press(tab.getByRole("button", { name: "Transcribe" }));
      await list(tab).getByText("complete").waitFor();
      await press(list(tab).getByRole("link", { name: "kept.wav" }));
      await words(tab).getByText("Birthday", { exact: true }).waitFor();
      await tab.getByText("Its audio is not kept").waitFor();
      expect(await tab.getByRole("button", { name: "Play", exact: true }).count()).toBe(0);
    });
  });

  test("a viewer reads and plays, and changes nothing", async () => {
    const viewer = await makePerson(service, "viewer");
    await inDashboard(service, "transcriptions", viewer, async (tab) => {
      await press(list(tab).getByRole("link").first());
      await words(tab).getByText("Birthday", { exact: true }).waitFor();
      await tab.getByRole("button", { name: "Download" }).waitFor();
      expect(await tab.getByRole("button", { name: "Delete" }).count()).toBe(0);
    });
  });
});

async function fileIsSent(tab: Page, faults: Record<string, string[]>): Promise<void> {
  await press(tab.getByRole("button", { name: "New transcription" }));
  await press(tab.getByText("Vocabulary, redaction and metadata"));
  await tab.getByLabel("Metadata, as a JSON object").fill("A-17");
  await press(tab.getByRole("button", { name: "Transcribe" }));
  await tab.getByText("must be JSON").waitFor();
  faults.form = await accessibilityFaults(tab);
  await tab.getByLabel("Metadata, as a JSON object").fill('{"meeting": "A-17"}');
  await tab.getByLabel("Language").selectOption("en-US");
  await tab.getByLabel("Vocabulary").fill("Lario’s");
  await tab.locator('input[type="file"]').setInputFiles(upload(wav));
  await press(tab.getByRole("button", { name: "Transcribe" }));
  const uploads = tab.getByRole("region", { name: "Uploads" });
  await uploads.getByText("1 of 1 sent").waitFor();
  await uploads.getByRole("link", { name: "Open" }).waitFor();
  faults.uploads = await accessibilityFaults(tab);
  // By an event, without a reload of the page.
  await list(tab).getByText("complete").waitFor();
  await press(uploads.getByRole("button", { name: `Hide ${NAME}` }));
}

async function wordsArePlayed(tab: Page): Promise<void> {
  const position = tab.getByLabel("Position");
  // The pointer goes to any word at once; what the keyboard does instead follows.
  await words(tab).getByText("Birthday", { exact: true }).click();
  await tab.locator(".transcription-sounding").waitFor();
  await until("the audio to play", 5_000, async () => Number(await position.inputValue()) > 3_000);
  await press(tab.getByRole("button", { name: "Pause" }));
  // By the keyboard: from word to word, and from an utterance on.
  const before = Number(await position.inputValue());
  await words(tab).focus();
  await tab.keyboard.press("ArrowRight");
  await until("the next word", 5_000, async () => Number(await position.inputValue()) > before);
  await press(tab.getByRole("button", { name: /^Play from / }).first());
  await until("the first utterance", 5_000, async () => Number(await position.inputValue()) < before);
  await press(tab.getByRole("button", { name: "Pause" }));
}

async function filesAreSaved(tab: Page): Promise<void> {
  const saved: Record<string, string> = {};
  for (const choice of ["Text", "Subtitles, SRT", "Subtitles, WebVTT", "Everything, JSON", "The audio as it came"]) {
    const [download] = await Promise.all([
      tab.waitForEvent("download"),
      (async () => {
        await press(tab.getByRole("button", { name: "Download" }));
        await press(tab.getByRole("menuitem", { name: choice, exact: true }));
      })(),
    ]);
    saved[download.suggestedFilename().replace(/^.*\./, "")] = readFileSync(await download.path(), "latin1");
  }
  expect(Object.keys(saved)).toEqual(["txt", "srt", "vtt", "json", "wav"]);
  expect(saved.txt).toContain("Birthday");
  expect(saved.srt).toMatch(/^1\r?\n00:00:0/);
  expect(saved.vtt).toMatch(/^WEBVTT/);
  expect(JSON.parse(saved.json ?? "")).toMatchObject({ metadata: { meeting: "A-17" } });
  expect(saved.wav?.length).toBe(wav.length);
}
