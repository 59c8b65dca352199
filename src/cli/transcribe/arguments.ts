import { basename, extname } from "node:path";
import { CHANNEL_MODES, type TranscriptionOptions } from "../../core/transcriptions/options.ts";
import { notOneOf, pathOption, readArguments, UsageError } from "../command.ts";

export const TRANSCRIBE_HELP = `Transcribes audio files: by itself, with the providers of the environment (the local engine needs no key), or by a
running service.

npm run transcribe -- talk.wav
npm run transcribe -- a.mp3 b.m4a --format srt --output subtitles
npm run transcribe -- talk.wav --service http://localhost:8080 --key <API key>

    --format <format>        text (default), json, srt or vtt
    --output <folder>        a file for each, such as talk.srt, instead of the terminal
    --language <code>        such as en or de-AT; auto where the provider detects it. By default the first one that it knows
    --channels <mode>        mix (default), or separate for recordings with a speaker in each channel
    --speakers               each utterance has its speaker, where the provider distinguishes them
    --vocabulary <words>     likely words, with commas
    --service <address>      the API of a running service; TRUNKLINE_URL by default
    --key <API key>          TRUNKLINE_API_KEY by default

Files that are no WAV files need FFmpeg. The exit code is 0 when all files were transcribed, 1 when one was not, and 2 for a
command line that cannot be read.
`;

export const FORMATS = ["text", "json", "srt", "vtt"] as const;
export type Format = (typeof FORMATS)[number];

export interface TranscribePlan {
  files: readonly string[];
  format: Format;
  /** The folder for the results; undefined for the terminal. */
  output: string | undefined;
  options: Omit<TranscriptionOptions, "language"> & { language: string | undefined };
  /** Undefined where this process transcribes by itself. */
  service: { apiUrl: string; apiKey: string } | undefined;
}

/** Reads the command line. Throws UsageError. */
export function planTranscriptions(
  args: readonly string[],
  access: { apiUrl: string | undefined; apiKey: string | undefined },
): TranscribePlan {
  const text = { type: "string" } as const;
  const { values, positionals } = readArguments(
    args,
    {
      format: { ...text, default: "text" },
      output: text,
      language: text,
      channels: { ...text, default: "mix" },
      speakers: { type: "boolean", default: false },
      vocabulary: text,
      service: text,
      key: text,
    },
    { allowPositionals: true },
  );
  const format = FORMATS.find((known) => known === values.format);
  const channels = CHANNEL_MODES.find((known) => known === values.channels);
  const apiUrl = values.service ?? access.apiUrl;
  const apiKey = values.key ?? access.apiKey;
  const problems = [
    ...(positionals.length === 0 ? ["a file is missing"] : []),
    ...(format === undefined ? [notOneOf("--format", FORMATS, values.format)] : []),
    ...(channels === undefined ? [notOneOf("--channels", CHANNEL_MODES, values.channels)] : []),
    ...(values.output === undefined ? [] : sameNames(positionals)),
    ...(apiUrl !== undefined && apiKey === undefined
      ? ["--key or TRUNKLINE_API_KEY is missing: the service needs it"]
      : []),
    ...(apiUrl === undefined && values.key !== undefined ? ["--key needs --service, the address of the service"] : []),
  ];
  if (problems.length > 0 || format === undefined || channels === undefined) throw new UsageError(problems);
  return {
    files: positionals,
    format,
    output: pathOption("output", values.output),
    options: {
      language: values.language,
      channels,
      timestamps: "word",
      speakers: values.speakers,
      vocabulary: (values.vocabulary ?? "")
        .split(",")
        .map((word) => word.trim())
        .filter((word) => word !== ""),
    },
    service: apiUrl === undefined || apiKey === undefined ? undefined : { apiUrl, apiKey },
  };
}

/** The name of a file's result, without its ending. */
export const resultName = (path: string): string => basename(path, extname(path));

/** Files whose results would have one name. */
function sameNames(files: readonly string[]): string[] {
  const names = files.map(resultName);
  return files.flatMap((file, index) => {
    const first = names.indexOf(names[index] ?? "");
    return first === index ? [] : [`${files[first]} and ${file} would have the same result in --output`];
  });
}
