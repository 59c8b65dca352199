import { CARRIER_FRAME_SAMPLES, CARRIER_RATE_HZ } from "../../src/core/limits/streams/media.ts";
import type { VoiceActivityDetection } from "../../src/media/voice-activity/detector.ts";
import { escaped } from "../report/html.ts";
import { CONDITIONS, type Sounds } from "./conditions.ts";
import { decisionsOf } from "./decisions.ts";
import type { Tape } from "./tapes.ts";

const CONDITION = "pink 10 dB";
const SHOWN_S = 30;
const WIDTH = 1_200;
const LABEL_WIDTH = 130;
const WAVE_HEIGHT = 160;
const ROW_HEIGHT = 26;
const FRAMES_A_SECOND = CARRIER_RATE_HZ / CARRIER_FRAME_SAMPLES;
const FULL_HEIGHT_AT = 12_000;

/** One row under the waveform: 1 where its bar is drawn. */
export interface PictureRow {
  title: string;
  colour: string;
  frames: Uint8Array;
}

/** The end of a call in noise: what was heard, where the speech is, and what each detector decided. SVG. */
export function drawPicture(
  tape: Tape,
  sounds: Sounds,
  detectors: readonly { name: string; detection: VoiceActivityDetection }[],
): string {
  const heard = CONDITIONS.find(({ name }) => name === CONDITION)?.sound(tape, sounds) as Int16Array;
  const { clear, silent } = tape.truth;
  const first = Math.max(0, clear.length - SHOWN_S * FRAMES_A_SECOND);
  const colours = ["#b4600b", "#6d4aa3", "#0f766e"];
  const rows = [
    { title: "clear speech", colour: "#1d2430", frames: clear.subarray(first) },
    { title: "not silent", colour: "#9aa5b5", frames: silent.map((value) => 1 - value).subarray(first) },
    ...detectors.map(({ name, detection }, at) => ({
      title: name,
      colour: colours[at % colours.length] as string,
      frames: decisionsOf(detection, heard).subarray(first),
    })),
  ];
  const title = `${CONDITION}, the last ${SHOWN_S} s of a call of ${Math.round(clear.length / FRAMES_A_SECOND / 60)} minutes`;
  return pictureOf(title, heard.subarray(first * CARRIER_FRAME_SAMPLES), rows);
}

/** A waveform with rows of decisions below it, one value a frame; all begin at the same time. */
export function pictureOf(title: string, samples: Int16Array, rows: readonly PictureRow[]): string {
  const frames = samples.length / CARRIER_FRAME_SAMPLES;
  const frameWidth = (WIDTH - LABEL_WIDTH) / frames;
  const bottom = WAVE_HEIGHT + rows.length * ROW_HEIGHT;
  const drawn = rows.map((row, at) => drawRow(row, WAVE_HEIGHT + at * ROW_HEIGHT, frameWidth));
  const seconds = Math.floor(frames / FRAMES_A_SECOND);
  const axis = Array.from({ length: seconds + 1 }, (_, second) => {
    const x = (LABEL_WIDTH + second * FRAMES_A_SECOND * frameWidth).toFixed(1);
    return `<text x="${x}" y="${bottom + 16}" text-anchor="middle">${second}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH + 10} ${bottom + 24}" role="img" aria-label="${escaped(title)}">`,
    `<style>text{font:12px system-ui,sans-serif;fill:#1d2430}</style><rect width="100%" height="100%" fill="#fff"/>`,
    `<text x="${LABEL_WIDTH}" y="14">${escaped(title)}</text>`,
    `<path d="${envelope(samples, frameWidth)}" fill="#a3afc0"/>`,
    ...drawn,
    ...axis,
    `</svg>`,
  ].join("\n");
}

/** The loudest sample of each frame, up and down from the middle line. */
function envelope(samples: Int16Array, frameWidth: number): string {
  const middle = WAVE_HEIGHT / 2 + 8;
  const points: string[] = [];
  const mirrored: string[] = [];
  for (let frame = 0; (frame + 1) * CARRIER_FRAME_SAMPLES <= samples.length; frame += 1) {
    let peak = 0;
    for (let at = 0; at < CARRIER_FRAME_SAMPLES; at += 1) {
      peak = Math.max(peak, Math.abs(samples[frame * CARRIER_FRAME_SAMPLES + at] as number));
    }
    const x = (LABEL_WIDTH + frame * frameWidth).toFixed(1);
    const height = (Math.min(1, peak / FULL_HEIGHT_AT) * WAVE_HEIGHT) / 2.3;
    points.push(`${x} ${(middle - height).toFixed(1)}`);
    mirrored.push(`${x} ${(middle + height).toFixed(1)}`);
  }
  return `M${points.join("L")}L${mirrored.reverse().join("L")}Z`;
}

function drawRow({ title, colour, frames }: PictureRow, y: number, frameWidth: number): string {
  const bars: string[] = [];
  for (let from = frames.indexOf(1); from >= 0; from = frames.indexOf(1, from)) {
    const end = frames.indexOf(0, from);
    const to = end < 0 ? frames.length : end;
    const x = LABEL_WIDTH + from * frameWidth;
    bars.push(
      `<rect x="${x.toFixed(1)}" y="${y + 4}" width="${((to - from) * frameWidth).toFixed(1)}" height="${ROW_HEIGHT - 8}" fill="${colour}"/>`,
    );
    from = to;
  }
  return `<text x="${LABEL_WIDTH - 8}" y="${y + 17}" text-anchor="end">${escaped(title)}</text>${bars.join("")}`;
}
