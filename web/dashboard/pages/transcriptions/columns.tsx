import type { Schema } from "../../../client/src/index.ts";
import { transcriptionPage } from "../../app/addresses.ts";
import { durationText } from "../../app/format.ts";
import {
  isTranscriptionOver,
  sourceText,
  transcriptionName,
  transcriptionStateOf,
} from "../../app/transcription-words.ts";
import type { TranscriptionProgress } from "../../app/events/transcription-progress.ts";
import { Badge } from "../../ui/badge.tsx";
import { Duration, Foreign, Money, Time } from "../../ui/figures.tsx";
import { Progress } from "../../ui/progress.tsx";
import type { Column } from "../../ui/table.tsx";
import "./transcriptions.css";

type Transcription = Schema<"TranscriptionSummary">;

/** The columns of the list. `progress` is what has been heard since it was loaded. */
export const columnsOf = (progress: ReadonlyMap<string, TranscriptionProgress>): readonly Column<Transcription>[] => [
  {
    name: "name",
    title: "Audio",
    width: 200,
    cell: (one) => (
      <a href={transcriptionPage(one.id)}>
        <Foreign text={transcriptionName(one)} />
      </a>
    ),
  },
  { name: "state", title: "State", width: 184, cell: (one) => <State of={one} progress={progress.get(one.id)} /> },
  {
    name: "length",
    title: "Length",
    width: 80,
    isFigure: true,
    cell: (one) => {
      const seconds = progress.get(one.id)?.durationSeconds ?? one.progress.durationSeconds;
      return <Duration ms={seconds === null ? null : seconds * 1_000} tenths={false} />;
    },
  },
  { name: "language", title: "Language", width: 80, cell: ({ options }) => options.language },
  { name: "source", title: "From", width: 120, cell: ({ source }) => sourceText(source) },
  { name: "createdAt", title: "Created", width: 128, cell: ({ createdAt }) => <Time at={createdAt} seconds={false} /> },
  { name: "endedAt", title: "Ended", width: 128, cell: ({ endedAt }) => <Time at={endedAt} seconds={false} /> },
  {
    name: "cost",
    title: "Cost",
    width: 104,
    isFigure: true,
    cell: ({ cost }) => <Money amount={cost?.total} currency={cost?.currency ?? ""} />,
  },
];

function State({ of, progress }: { of: Transcription; progress: TranscriptionProgress | undefined }) {
  const isUnderWay = of.status === "processing" || (of.status === "queued" && progress !== undefined);
  if (isUnderWay && !isTranscriptionOver(of)) {
    const done = Math.max(progress?.doneSeconds ?? 0, of.progress.doneSeconds);
    const total = progress?.durationSeconds ?? of.progress.durationSeconds ?? undefined;
    return (
      <span class="transcriptions-progress">
        <Badge tone="active">{transcriptionStateOf("processing").text}</Badge>
        {total !== undefined && (
          <>
            <Progress label={`Progress of ${transcriptionName(of)}`} done={done} total={Math.max(1, total)} />
            <span class="figure soft">{durationText(done * 1_000, { tenths: false })}</span>
          </>
        )}
      </span>
    );
  }
  const { text, tone } = transcriptionStateOf(of.status);
  return (
    <span title={of.failure?.message}>
      <Badge tone={tone}>{text}</Badge>
      {of.failure !== null && (
        <>
          {": "}
          <Foreign text={of.failure.message} />
        </>
      )}
    </span>
  );
}
