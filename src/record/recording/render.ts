import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { BACKLOG_MS_MAX } from "../../core/limits/caller-audio.ts";
import { CARRIER_RATE_HZ, FRAME_MS, OUTPUT_LEAD_MS, OUTPUT_RING_FRAMES_MAX } from "../../core/limits/media.ts";
import type { FrameCodec } from "../../media/frame-codec.ts";
import { PlaybackClock } from "../../media/playback-clock.ts";
import type { Resampler, ResamplerFactory } from "../../media/resampler.ts";
import { JournalReader } from "../journal/reader.ts";
import type { JournaledLeg, JournalRecord } from "../journal/records.ts";
import { summarizeJournal } from "../journal/summary.ts";
import { ChannelTimeline, type ChannelTimelineOptions } from "./channel-timeline.ts";
import { MediaClockAlignment } from "./media-clock-alignment.ts";
import { StereoInterleaver, WAV_CHANNELS, wavHeader, writeAtomically } from "./wav-file.ts";

/** Where the recording of a call is. Ids are ours, so a path is never made of what a peer said. */
export const recordingPath = (dataDir: string, callId: string): string => join(dataDir, "recordings", `${callId}.wav`);

export interface Recording {
  /** The caller is left, the agent right. */
  channels: 2;
  sampleRateHz: number;
  durationMs: number;
  /** Nothing is missing: the journal has its end, and the audio of every frame. */
  complete: boolean;
}

/** A call ends this late after its maxDuration at most; a clock that says otherwise (a stopped process) must not cost disk. */
const OVERTIME_MS_MAX = 60_000;

const WIDE_RATE_HZ = 16_000;

/** The caller's audio may come so late, and the agent's be sent so far ahead of its time. */
const LATE_MS_MAX = BACKLOG_MS_MAX;
const AHEAD_MS_MAX = OUTPUT_RING_FRAMES_MAX * FRAME_MS + OUTPUT_LEAD_MS;
/** How much of the journal is read before what has become final is written. */
const STRIDE_MS = 8_000;
const WINDOW_MS = LATE_MS_MAX + STRIDE_MS + AHEAD_MS_MAX;
/** How much is written between two turns of the loop: resampling it takes a few milliseconds. */
const STEP_MS = 500;

/**
 * Renders a journal as a stereo WAV file of 16-bit PCM, as long as the call: at 8,000 Hz when that is the rate of both sides, at
 * 16,000 Hz otherwise.
 *
 * The caller is placed by media time, the agent by when it was played as far as the playback clock can tell; what a clear took
 * back is not in it. A side of another rate is resampled as a whole, silence and all, so that it has no seams and stays where it
 * is. The file is written beside its place and moved there when it is whole, over an older one. Whatever the length of the call,
 * less than a minute of both sides is in memory.
 *
 * Resolves with undefined, and writes nothing, when the call was not to be recorded. Rejects with `journal_unreadable`, with
 * `unavailable` when there is no memory for a resampler, or with what the file system says. One rendering of a file at a time.
 */
export async function renderRecording(
  journalFile: string,
  wavFile: string,
  makeResampler: ResamplerFactory,
): Promise<Recording | undefined> {
  const survey = new JournalSurvey();
  const { header, durationMs, complete } = await summarizeJournal(journalFile, (record) => survey.take(record));
  if (header.spec === undefined) return undefined;
  const rateHz = recordingRateHz(header.leg);
  const lengthMs = Math.min(durationMs, header.spec.maxDurationMs + OVERTIME_MS_MAX);
  const samples = Math.round((lengthMs * rateHz) / 1_000);
  await writeAtomically(wavFile, async (file) => {
    const rendering = new Rendering({ file, rateHz, samples, leg: header.leg, survey, makeResampler });
    try {
      await file.writeFile(wavHeader(samples, rateHz));
      await rendering.run(journalFile);
    } finally {
      rendering.destroy();
    }
  });
  return { channels: WAV_CHANNELS, sampleRateHz: rateHz, durationMs: (samples * 1_000) / rateHz, complete };
}

const recordingRateHz = ({ inboundRateHz, outboundRateHz }: JournaledLeg): number =>
  inboundRateHz === CARRIER_RATE_HZ && outboundRateHz === CARRIER_RATE_HZ ? CARRIER_RATE_HZ : WIDE_RATE_HZ;

/** What must be known of a journal before its audio can be placed. */
class JournalSurvey {
  callerCodec: FrameCodec = "mulaw";
  callerClock = new MediaClockAlignment(true);

  take(record: JournalRecord): void {
    if (record.kind === "frame-in") this.callerClock.observe(record.timeMs, record.mediaMs);
    else if (record.kind === "header") {
      this.callerClock = new MediaClockAlignment(record.header.spec?.connectionType !== "websocket");
    } else if (record.kind === "event" && record.event.kind === "leg-started") this.callerCodec = record.event.codec;
  }
}

interface RenderingOptions {
  file: FileHandle;
  rateHz: number;
  /** Of each channel, in all. */
  samples: number;
  leg: JournaledLeg;
  survey: JournalSurvey;
  makeResampler: ResamplerFactory;
}

/** Places the audio of a journal on both sides, and writes what nothing can change any more. */
class Rendering {
  readonly #file: FileHandle;
  readonly #samples: number;
  readonly #mediaClock: MediaClockAlignment;
  readonly #playback: PlaybackClock;
  readonly #caller: Channel;
  readonly #agent: Channel;
  readonly #stereo: StereoInterleaver;
  /** Everything before it has left the planes. */
  #readMs = 0;
  /** A record that lies behind the planes' windows, until they have moved on. */
  #waiting: JournalRecord | undefined;

  constructor({ file, rateHz, samples, leg, survey, makeResampler }: RenderingOptions) {
    this.#file = file;
    this.#samples = samples;
    this.#mediaClock = survey.callerClock;
    this.#playback = new PlaybackClock(leg.outboundRateHz);
    const caller = { rateHz: leg.inboundRateHz, codec: survey.callerCodec, windowMs: WINDOW_MS };
    const agent = { rateHz: leg.outboundRateHz, codec: leg.outboundCodec, windowMs: WINDOW_MS };
    this.#caller = new Channel(caller, rateHz, makeResampler);
    this.#agent = new Channel(agent, rateHz, makeResampler);
    // What a resampler holds back of one side waits here on the other.
    this.#stereo = new StereoInterleaver((2 * STEP_MS * rateHz) / 1_000);
  }

  async run(journalFile: string): Promise<void> {
    const reading = new JournalReader(journalFile, (record) => {
      if (record.timeMs < this.#readMs + LATE_MS_MAX + STRIDE_MS) this.#place(record);
      else this.#waiting = copyOf(record);
    });
    for (;;) {
      await reading.readMore(() => this.#waiting !== undefined);
      if (this.#waiting === undefined) break;
      await this.#writeUntil(this.#waiting.timeMs - LATE_MS_MAX);
      this.#place(this.#waiting);
      this.#waiting = undefined;
    }
    await this.#writeUntil(Number.POSITIVE_INFINITY);
  }

  destroy(): void {
    this.#caller.destroy();
    this.#agent.destroy();
  }

  #place(record: JournalRecord): void {
    switch (record.kind) {
      case "frame-in":
        this.#caller.timeline.place(record.audio, this.#mediaClock.startMs(record.timeMs, record.mediaMs));
        return;
      case "frame-out":
        this.#agent.timeline.place(record.audio, this.#playback.sent(record.samples, record.timeMs));
        return;
      case "command":
        if (record.command.kind !== "cancel-reply" || !record.command.clear) return;
        this.#playback.flush(record.timeMs);
        this.#agent.timeline.silenceFrom(record.timeMs);
        return;
      case "header":
      case "event":
        return;
    }
  }

  /** Writes step by step until less than a step is left before `untilMs`, or the file is as long as the call. */
  async #writeUntil(untilMs: number): Promise<void> {
    const stereo = this.#stereo;
    while (stereo.taken < this.#samples && this.#readMs + STEP_MS <= untilMs) {
      stereo.put(0, this.#caller.read());
      stereo.put(1, this.#agent.read());
      this.#readMs += STEP_MS;
      await stereo.take(this.#samples - stereo.taken, (pcm) => this.#file.writeFile(pcm));
    }
  }
}

/** A record that stays good when the function that was given it has returned. */
const copyOf = (record: JournalRecord): JournalRecord =>
  "audio" in record ? { ...record, audio: record.audio.slice() } : record;

/** One side, read at the rate of the recording. */
class Channel {
  readonly timeline: ChannelTimeline;
  readonly #step: Int16Array;
  readonly #resampler: Resampler | undefined;

  constructor(options: ChannelTimelineOptions, rateHz: number, makeResampler: ResamplerFactory) {
    this.timeline = new ChannelTimeline(options);
    this.#step = new Int16Array((STEP_MS * options.rateHz) / 1_000);
    this.#resampler = options.rateHz === rateHz ? undefined : makeResampler(options.rateHz, rateHz);
  }

  /** The next STEP_MS, less what the resampler holds back: lent until the next call. */
  read(): Int16Array {
    this.timeline.read(this.#step);
    return this.#resampler?.process(this.#step) ?? this.#step;
  }

  destroy(): void {
    this.#resampler?.destroy();
  }
}
