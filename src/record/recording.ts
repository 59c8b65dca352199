import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { G711_LAWS } from "../media/g711.ts";
import { PlaybackClock } from "../media/playback-clock.ts";
import { AudioPlane } from "./audio-plane.ts";
import { CallerClock } from "./caller-clock.ts";
import { readJournal } from "./journal-reader.ts";
import type { LegCodec } from "./journal-records.ts";
import { summarizeJournal } from "./journal-summary.ts";

export interface Recording {
  /** The caller is left, the agent right. */
  channels: 2;
  sampleRateHz: number;
  durationMs: number;
  /** Nothing is missing: the journal has its end, and the audio of every frame. */
  complete: boolean;
}

/** A call ends this late after its maxDuration at most; a clock that says otherwise (a stopped process) must not cost memory. */
const OVERTIME_MS_MAX = 60_000;

const CHANNELS = 2;
const SAMPLE_BYTES = 2;
const WAV_HEADER_BYTES = 44;
/** Samples of each channel that are decoded and written at once: well under a millisecond between two turns of the loop. */
const CHUNK_SAMPLES = 16 * 1_024;

/**
 * Renders a journal as a stereo WAV file of 16-bit PCM at the leg's rate, as long as the call.
 *
 * The caller is placed by media time, the agent by when it was played as far as the playback clock can tell; what a clear took
 * back is not in it. Each is decoded by its own law. The file is written beside its place and moved there when it is whole, over an
 * older one. In memory are both sides in their codecs, and a chunk.
 *
 * Resolves with undefined, and writes nothing, when the call was not to be recorded. Rejects with `journal_unreadable`, or with
 * what the file system says. One rendering of a file at a time.
 */
export async function renderRecording(journalFile: string, wavFile: string): Promise<Recording | undefined> {
  const callerClock = new CallerClock();
  let callerCodec: LegCodec = "mulaw";
  const { header, durationMs, complete } = await summarizeJournal(journalFile, (record) => {
    if (record.kind === "frame-in") callerClock.observe(record.timeMs, record.mediaMs);
    else if (record.kind === "event" && record.event.kind === "leg-started") callerCodec = record.event.codec;
  });
  if (header.spec === undefined) return undefined;
  const { rateHz, outboundCodec } = header.leg;
  const lengthMs = Math.min(durationMs, header.spec.maxDurationMs + OVERTIME_MS_MAX);
  const samples = Math.round((lengthMs * rateHz) / 1_000);
  const caller = new AudioPlane(samples, rateHz, G711_LAWS[callerCodec]);
  const agent = new AudioPlane(samples, rateHz, G711_LAWS[outboundCodec]);
  await placeAudio(journalFile, { callerClock, playback: new PlaybackClock(rateHz), caller, agent });
  await writeWhole(wavFile, async (file) => {
    await file.writeFile(wavHeader(samples, rateHz));
    for (const chunk of interleaved(caller, agent)) await file.writeFile(chunk);
  });
  return { channels: CHANNELS, sampleRateHz: rateHz, durationMs: (samples * 1_000) / rateHz, complete };
}

interface Stage {
  callerClock: CallerClock;
  playback: PlaybackClock;
  caller: AudioPlane;
  agent: AudioPlane;
}

async function placeAudio(journalFile: string, { callerClock, playback, caller, agent }: Stage): Promise<void> {
  await readJournal(journalFile, (record) => {
    switch (record.kind) {
      case "frame-in":
        caller.place(record.audio, callerClock.startMs(record.timeMs, record.mediaMs));
        return;
      case "frame-out":
        agent.place(record.audio, playback.sent(record.samples, record.timeMs));
        return;
      case "command":
        if (record.command.kind !== "cut" || !record.command.clear) return;
        playback.flush(record.timeMs);
        agent.silenceFrom(record.timeMs);
        return;
      case "header":
      case "event":
        return;
    }
  });
}

/** The canonical header: RIFF, one `fmt ` chunk for PCM, one `data` chunk (Multimedia Programming Interface 1.0, 1991). */
function wavHeader(samples: number, rateHz: number): Buffer {
  const dataBytes = samples * CHANNELS * SAMPLE_BYTES;
  const header = Buffer.alloc(WAV_HEADER_BYTES);
  header.write("RIFF", 0);
  header.writeUInt32LE(WAV_HEADER_BYTES - 8 + dataBytes, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(CHANNELS, 22);
  header.writeUInt32LE(rateHz, 24);
  header.writeUInt32LE(rateHz * CHANNELS * SAMPLE_BYTES, 28);
  header.writeUInt16LE(CHANNELS * SAMPLE_BYTES, 32);
  header.writeUInt16LE(SAMPLE_BYTES * 8, 34);
  header.write("data", 36);
  header.writeUInt32LE(dataBytes, 40);
  return header;
}

/** Both sides as little-endian PCM, sample by sample in turn. Every chunk is the same buffer: use it before asking for the next. */
function* interleaved(left: AudioPlane, right: AudioPlane): Generator<Uint8Array> {
  const chunk = Buffer.alloc(CHUNK_SAMPLES * CHANNELS * SAMPLE_BYTES);
  const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.length);
  const { length } = left.bytes;
  const leftTable = left.law.decodeTable;
  const rightTable = right.law.decodeTable;
  for (let start = 0; start < length; start += CHUNK_SAMPLES) {
    const end = Math.min(start + CHUNK_SAMPLES, length);
    let at = 0;
    for (let i = start; i < end; i += 1) {
      view.setInt16(at, leftTable[left.bytes[i] as number] as number, true);
      view.setInt16(at + SAMPLE_BYTES, rightTable[right.bytes[i] as number] as number, true);
      at += CHANNELS * SAMPLE_BYTES;
    }
    yield chunk.subarray(0, at);
  }
}

/** Where a recording is written, until it is whole. */
export const unfinishedPath = (wavFile: string): string => `${wavFile}.unfinished`;

/** Nobody ever sees half a file: it has its name only once all of it is on the disk. */
async function writeWhole(path: string, fill: (file: FileHandle) => Promise<void>): Promise<void> {
  const unfinished = unfinishedPath(path);
  try {
    const file = await open(unfinished, "w", 0o600);
    try {
      await fill(file);
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}
