/** A value of a JSON column, as JSON.parse gives it. */
export type StoredJson = Readonly<Record<string, unknown>> | readonly StoredJson[];

type Names = ReadonlyMap<string, string>;

const CALL_LATENCY: Names = new Map([
  ["endOfUtterance", "endOfTurn"],
  ["modelFirstToken", "llmFirstToken"],
  ["firstPiece", "firstSegment"],
  ["voiceFirstByte", "ttsFirstByte"],
  ["firstSampleOut", "firstFrame"],
  ["whole", "total"],
]);

const TURN_LATENCY: Names = new Map([
  ["finalMs", "finalTranscriptMs"],
  ["askedMs", "llmRequestedMs"],
  ["firstPieceMs", "firstSegmentMs"],
]);

const USAGE: Names = new Map([["engine", "stage"]]);

const STAGES: Names = new Map([
  ["ear", "stt"],
  ["model", "llm"],
  ["voice", "tts"],
]);

/** `calls.latency`: steps of a reply. */
export const renamedCallLatency = (latency: StoredJson): StoredJson => withNames(latency, CALL_LATENCY);

/** `turns.latency`: times since the caller's last voiced frame. */
export const renamedTurnLatency = (latency: StoredJson): StoredJson => withNames(latency, TURN_LATENCY);

/** `calls.usage`: one item for each provider. */
export function renamedUsage(usage: StoredJson): StoredJson {
  if (isList(usage)) return usage.map(renamedUsage);
  const { engine } = usage;
  const stage = typeof engine === "string" ? (STAGES.get(engine) ?? engine) : engine;
  return withNames("engine" in usage ? { ...usage, engine: stage } : usage, USAGE);
}

const withNames = (value: StoredJson, names: Names): StoredJson =>
  Object.fromEntries(Object.entries(value).map(([name, member]) => [names.get(name) ?? name, member]));

const isList = (value: StoredJson): value is readonly StoredJson[] => Array.isArray(value);
