import { answerWith, type BatchAnswer, BatchServer, type ReceivedRequest } from "./batch-server.ts";

/** A word that a fake understands, ms. */
export interface FakeWord {
  text: string;
  startMs: number;
  endMs: number;
  speaker?: number;
}

/** What a fake understands, and in which language when it is not given one. */
export interface FakeTranscript {
  words: readonly FakeWord[];
  detected?: string;
}

/** The samples of a WAV file of 16-bit mono, by its header. */
export const samplesIn = (wav: Buffer): number => wav.readUInt32LE(40) / 2;

const refused: BatchAnswer = (response) => response.writeHead(400).end('{"err_msg":"Bad Request"}');

/** Deepgram's `POST /v1/listen` for files, in the shape of its documentation. */
export const fakeDeepgramBatch = (transcript: FakeTranscript, fault?: BatchAnswer): Promise<BatchServer> =>
  BatchServer.listen(({ method, url, headers, body }) => {
    if (fault !== undefined) return fault;
    const isFile = method === "POST" && url.pathname === "/v1/listen" && headers["content-type"] === "audio/wav";
    if (!isFile || body.toString("latin1", 0, 4) !== "RIFF") return refused;
    const { searchParams: query } = url;
    const words = transcript.words.map(({ text, startMs, endMs, speaker = 0 }) => ({
      word: text.toLowerCase().replaceAll(/[.,?!]/g, ""),
      start: startMs / 1_000,
      end: endMs / 1_000,
      confidence: 0.98,
      ...(query.get("punctuate") === "true" ? { punctuated_word: text } : {}),
      ...(query.get("diarize") === "true" ? { speaker, speaker_confidence: 0.6 } : {}),
    }));
    const isDetected = query.get("detect_language") === "true";
    return answerWith({
      metadata: { request_id: "00000000-0000-4000-8000-000000000000", duration: samplesIn(body) / 16_000, channels: 1 },
      results: {
        channels: [
          {
            ...(isDetected ? { detected_language: transcript.detected, language_confidence: 0.99 } : {}),
            alternatives: [{ transcript: transcript.words.map(({ text }) => text).join(" "), confidence: 0.99, words }],
          },
        ],
      },
    });
  });

/** What else the fake of AssemblyAI does. */
export interface AssemblyAiFaults {
  /** Its answers to the first polls, before those of the transcript. */
  polls?: readonly BatchAnswer[];
  /** It does not know `on_no_speech_detected`. */
  isOld?: boolean;
}

/**
 * AssemblyAI's upload and transcripts, in the shape of its documentation. A transcript is there when it is asked for the second time.
 * It detects no language where there are no words.
 */
export function fakeAssemblyAiBatch(
  transcript: FakeTranscript,
  fault?: BatchAnswer,
  { polls = [], isOld = false }: AssemblyAiFaults = {},
): Promise<BatchServer> {
  let order: Record<string, unknown> = {};
  let asked = 0;
  const answers: Record<string, (request: ReceivedRequest) => BatchAnswer> = {
    "POST /v2/upload": ({ body, url }) =>
      body.toString("latin1", 0, 4) === "RIFF" ? answerWith({ upload_url: `${url.origin}/upload/1` }) : refused,
    "POST /v2/transcript": ({ body }) => {
      order = JSON.parse(body.toString("utf8"));
      return answerWith({ id: "a-transcript-1", status: "queued", audio_url: order.audio_url });
    },
    "GET /v2/transcript/a-transcript-1": () => {
      asked += 1;
      const poll = polls[asked - 1];
      if (poll !== undefined) return poll;
      if (asked === polls.length + 1) return answerWith({ id: "a-transcript-1", status: "processing" });
      if (transcript.words.length === 0 && order.language_detection === true) {
        const options = order.language_detection_options as { on_no_speech_detected?: string } | undefined;
        const error = "language_detection cannot be performed on files with no spoken audio.";
        if (isOld || options?.on_no_speech_detected !== "fallback") {
          return answerWith({ id: "a-transcript-1", status: "error", error });
        }
      }
      const words = transcript.words.map(({ text, startMs, endMs, speaker = 0 }) => ({
        ...{ text, start: startMs, end: endMs, confidence: 0.98 },
        speaker: order.speaker_labels === true ? String.fromCharCode(65 + speaker) : null,
      }));
      return answerWith({
        ...{ id: "a-transcript-1", status: "completed", words, audio_duration: 2 },
        text: transcript.words.map(({ text }) => text).join(" "),
        language_code: order.language_code ?? transcript.detected,
      });
    },
  };
  return BatchServer.listen((request) => {
    if (fault !== undefined) return fault;
    return answers[`${request.method} ${request.url.pathname}`]?.(request) ?? refused;
  });
}

/** The fields of a form; files are left out. */
export async function fieldsOf({ headers, body }: ReceivedRequest): Promise<Record<string, string[]>> {
  const type = headers["content-type"] ?? "";
  const form = await new Response(Uint8Array.from(body), { headers: { "content-type": type } }).formData();
  const fields: Record<string, string[]> = {};
  for (const [name, value] of form) {
    if (typeof value === "string") fields[name] = [...(fields[name] ?? []), value];
  }
  return fields;
}

/** OpenAI's `POST /v1/audio/transcriptions`: with times of words, as Whisper has them, where they are asked for and `hasTimes`. */
export const fakeOpenAiBatch = (
  { words, detected }: FakeTranscript,
  fault?: BatchAnswer,
  hasTimes = true,
): Promise<BatchServer> =>
  BatchServer.listen((request) => {
    if (fault !== undefined) return fault;
    if (request.method !== "POST" || request.url.pathname !== "/v1/audio/transcriptions") return refused;
    return (response) => {
      void fieldsOf(request).then((fields) => {
        const text = words.map((word) => word.text).join(" ");
        const isVerbose = fields.response_format?.[0] === "verbose_json";
        const timed = words.map((word) => ({
          word: word.text.replaceAll(/[.,?!]/g, ""),
          start: word.startMs / 1_000,
          end: word.endMs / 1_000,
        }));
        const hasWords = hasTimes && fields["timestamp_granularities[]"]?.includes("word") === true;
        const verbose = { task: "transcribe", duration: 2, language: detected, ...(hasWords ? { words: timed } : {}) };
        answerWith({ text, ...(isVerbose ? verbose : {}) })(response);
      });
    };
  });
