/** One call at the end. */
export interface AnalysedCall {
  readonly id: string;
  /** What its caller has typed. */
  readonly number: string;
  /** The call went on until that was certainly in its journal. */
  readonly isKept: boolean;
  readonly status: string;
  /** Of its analysis; undefined where it has none. */
  readonly analysis:
    | { readonly status: string; readonly reason: string | null; readonly number: string | undefined }
    | undefined;
  /** The ids of the events of its end that were delivered. */
  readonly eventIds: readonly string[];
}

export interface AnalysisVerdict {
  /** Neither analysed nor failed for a reason of the call, or analysed as another call. */
  readonly lost: readonly string[];
  /** Still pending, or not over. */
  readonly stuck: readonly string[];
  /** With two events of its end. */
  readonly doubled: readonly string[];
  /** Without an event of its end. */
  readonly unannounced: readonly string[];
}

/** What the LLM finds in a call whose words were not stored. */
export const NO_NUMBER = "none";

/** What the evidence shows. A call in which nothing was stored, because its worker was killed first, has no transcript. */
export function analysisVerdictOf(calls: readonly AnalysedCall[]): AnalysisVerdict {
  const isOver = ({ status }: AnalysedCall): boolean => status === "ended" || status === "failed";
  const stuck = calls.filter((call) => !isOver(call) || call.analysis?.status === "pending");
  const lost = calls.filter((call) => {
    const { analysis, number, isKept } = call;
    if (stuck.includes(call)) return false;
    if (analysis?.status === "completed")
      return analysis.number !== number && (isKept || analysis.number !== NO_NUMBER);
    return isKept || analysis?.reason !== "no_transcript";
  });
  return {
    lost: lost.map(({ id }) => id),
    stuck: stuck.map(({ id }) => id),
    doubled: calls.filter(({ eventIds }) => new Set(eventIds).size > 1).map(({ id }) => id),
    unannounced: calls.filter(({ eventIds }) => eventIds.length === 0).map(({ id }) => id),
  };
}
