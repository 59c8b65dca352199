import { describeMachine } from "../harness/machine.ts";
import { commitHere } from "../harness/project.ts";
import { type DashboardBrowser, withChromium } from "./browser/browser.ts";
import { goalsOf } from "./goals.ts";
import { measureList } from "./list.ts";
import { measureLoad } from "./load.ts";
import { measureOpen } from "./open.ts";
import type { DashboardOptions, DashboardResult, Part, Scene } from "./result.ts";
import { measureScroll } from "./scroll.ts";
import { type FilledService, withFilledService } from "./service/filled.ts";
import { measureStreams } from "./streams.ts";

type InBrowser = Pick<DashboardResult, "load" | "open" | "scroll" | "list">;
const NOTHING: InBrowser = { load: undefined, open: undefined, scroll: [], list: undefined };

/** Measures the parts one after the other. Rejects where what one needs is not installed. */
export async function runDashboardBench(
  options: DashboardOptions,
  write: (line: string) => void,
): Promise<DashboardResult> {
  const scene: Scene = { options, write, problems: [] };
  const needsBrowser = options.parts.some((part) => part !== "streams");
  const measured = {
    options,
    ...(needsBrowser ? await measureInBrowser(scene) : NOTHING),
    streams: options.parts.includes("streams") ? await measureStreams(scene) : [],
  };
  const { problems } = scene;
  return { machine: describeMachine(), commit: commitHere(), problems, ...measured, goals: goalsOf(measured) };
}

const measureInBrowser = (scene: Scene): Promise<InBrowser> =>
  withFilledService(scene, (service) =>
    withChromium(async (browser) => {
      const when = async <T>(
        part: Part,
        measure: (scene: Scene, browser: DashboardBrowser, service: FilledService) => Promise<T>,
      ): Promise<T | undefined> =>
        scene.options.parts.includes(part) ? await measure(scene, browser, service) : undefined;
      return {
        load: await when("load", measureLoad),
        open: await when("open", measureOpen),
        scroll: (await when("scroll", measureScroll)) ?? [],
        list: await when("list", measureList),
      };
    }),
  );
