import { numberText, words } from "../../app/format.ts";
import { Facts } from "../../ui/facts.tsx";
import { Code, CodeBlock, Duration, Foreign, Money, Time } from "../../ui/figures.tsx";
import type { Transcription } from "./index.tsx";

/** What was asked for, how long it is, and what it cost. */
export function TranscriptionFacts({ of }: { of: Transcription }) {
  const { options, progress, cost, usage, result, metadata } = of;
  const seconds = progress.durationSeconds;
  return (
    <>
      <Facts
        facts={[
          { name: "Length", value: <Duration ms={seconds === null ? null : seconds * 1_000} tenths={false} /> },
          { name: "Language", value: languageText(of) },
          { name: "Channels", value: options.channels === "mix" ? "mixed to one" : "each for itself" },
          { name: "Speakers", value: options.speakers ? "distinguished" : "not distinguished" },
          options.redact.length === 0 ? undefined : { name: "Not kept", value: options.redact.map(words).join(", ") },
          options.vocabulary.length === 0
            ? undefined
            : { name: "Vocabulary", value: <Foreign text={options.vocabulary.join(", ")} /> },
          { name: "Providers", value: usage === null ? "–" : <Foreign text={providersText(usage)} /> },
          { name: "Cost", value: <Money amount={cost?.total} currency={cost?.currency ?? ""} /> },
          { name: "Created", value: <Time at={of.createdAt} /> },
          { name: "Ended", value: <Time at={of.endedAt} /> },
          { name: "Id", value: <Code>{of.id}</Code> },
        ]}
      />
      {result?.hasEstimatedTimes && <p class="soft">The times of words are estimates: the provider gives none.</p>}
      {Object.keys(metadata).length > 0 && <CodeBlock label="Metadata" text={JSON.stringify(metadata, undefined, 2)} />}
    </>
  );
}

const languageText = ({ options: { language }, result }: Transcription): string =>
  language === "auto" ? `detected${result === null ? "" : `: ${result.language}`}` : language;

const providersText = (usage: NonNullable<Transcription["usage"]>): string =>
  usage
    .map(({ provider, model, audioSeconds }) => {
      const name = model === undefined ? provider : `${provider} ${model}`;
      return audioSeconds === undefined ? name : `${name}, ${numberText(audioSeconds)} s`;
    })
    .join("; ");
