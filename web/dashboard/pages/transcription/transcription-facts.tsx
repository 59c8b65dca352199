import { numberText, words } from "../../app/format.ts";
import { Fact, Facts } from "../../ui/facts.tsx";
import { Code, CodeBlock, Duration, Foreign, Money, Time } from "../../ui/figures.tsx";
import type { Transcription } from "./index.tsx";

/** What was asked for, how long it is, and what it cost. */
export function TranscriptionFacts({ of }: { of: Transcription }) {
  const { options, progress, cost, usage, result, metadata } = of;
  const seconds = progress.durationSeconds;
  return (
    <>
      <Facts>
        <Fact name="Length">
          <Duration ms={seconds === null ? null : seconds * 1_000} tenths={false} />
        </Fact>
        <Fact name="Language">{languageText(of)}</Fact>
        <Fact name="Channels">{options.channels === "mix" ? "mixed to one" : "each for itself"}</Fact>
        <Fact name="Speakers">{options.speakers ? "distinguished" : "not distinguished"}</Fact>
        {options.redact.length > 0 && <Fact name="Not kept">{options.redact.map(words).join(", ")}</Fact>}
        {options.vocabulary.length > 0 && (
          <Fact name="Vocabulary">
            <Foreign text={options.vocabulary.join(", ")} />
          </Fact>
        )}
        <Fact name="Providers">{usage === null ? "–" : <Foreign text={providersText(usage)} />}</Fact>
        <Fact name="Cost">
          <Money amount={cost?.total} currency={cost?.currency ?? ""} />
        </Fact>
        <Fact name="Created">
          <Time at={of.createdAt} />
        </Fact>
        <Fact name="Ended">
          <Time at={of.endedAt} />
        </Fact>
        <Fact name="Id">
          <Code>{of.id}</Code>
        </Fact>
      </Facts>
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
