import { expect, test } from "vitest";
import { loadFvadDetection } from "../../../src/media/voice-activity/fvad.ts";
import { spokenEnglish } from "../../support/audio/spoken.ts";
import { decide, framesIn, framesOf, silence, white } from "../../support/voice-activity/sounds.ts";
import { loadTwoStageDetection } from "../../support/voice-activity/two-stage.ts";

const HOUR_MINUTES = 60;

test.each([
  // Its noise model goes on adapting.
  ["fvad", 0.05, loadFvadDetection],
  ["two stages", 0.02, () => loadTwoStageDetection(1)],
])(
  "at the end of an hour of speech, pauses and noise, %s decides the same, but for a share of at most %d, as in the second minute",
  async (_name, differenceMax, load) => {
    const spoken = framesIn((await spokenEnglish())[8_000], 8_000);
    const others = [
      ...framesOf(silence, 10, 8_000),
      ...framesOf(white(300), 10, 8_000),
      ...framesOf(silence, 5, 8_000),
    ];
    const minute = [...spoken, ...others];
    const detection = await load();
    const detector = detection.open(8_000);
    decide(detector, minute);
    const second = decide(detector, minute);
    const frames = HOUR_MINUTES * 60 * 50;
    for (let at = 3 * minute.length; at < frames; at += minute.length) decide(detector, minute);
    const last = decide(detector, minute);
    detector.destroy();
    expect(second.filter((isVoiced) => isVoiced).length).toBeGreaterThan(0.5 * spoken.length);
    expect(last.filter((isVoiced, frame) => isVoiced !== second[frame]).length / minute.length).toBeLessThan(
      differenceMax,
    );
  },
  300_000,
);
