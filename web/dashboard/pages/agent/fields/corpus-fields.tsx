import { CORPORA, corpusPage } from "../../../app/addresses.ts";
import { api } from "../../../app/api.ts";
import { numberText } from "../../../app/format.ts";
import { useResource } from "../../../app/use-resource.ts";
import { ErrorNote } from "../../../ui/failure.tsx";
import { Code, Foreign } from "../../../ui/figures.tsx";
import { firstOf } from "../load.ts";
import { CheckList } from "./check-list.tsx";
import { type Editing, problemAt } from "./editing.ts";
import { Problem } from "./list-fields.tsx";

/** The corpora that the agent answers from. */
export function CorpusFields({ editing }: { editing: Editing }) {
  const { definition, change } = editing;
  const corpora = useResource("corpora", (signal) => firstOf(api.list("/corpora", { query: { limit: 100 }, signal })));
  if (corpora.status === "loading") return <p class="soft">Loading the corpora …</p>;
  if (corpora.status === "failed") return <ErrorNote error={corpora.error} />;
  const { items, isCut } = corpora.value;
  const gone = definition.corpusIds.filter((id) => !items.some((corpus) => corpus.id === id));
  if (items.length === 0 && gone.length === 0) {
    return (
      <p class="soft">
        The account has none yet. <a href={CORPORA}>Make one</a> and upload documents to it.
      </p>
    );
  }
  const problems = definition.corpusIds.flatMap((_, at) => problemAt(editing, `corpusIds.${at}`) ?? []);
  return (
    <>
      <CheckList
        label="Corpora"
        items={[
          ...items.map(({ id, name, documents, languageId }) => ({
            value: id,
            label: <Foreign text={name} />,
            note: (
              <>
                {documentsText(documents.ready)}
                {documents.processing > 0 && `, ${documents.processing} in work`} · {languageId} ·{" "}
                <a href={corpusPage(id)}>open</a>
              </>
            ),
          })),
          ...gone.map((id) => ({
            value: id,
            label: <Code>{id}</Code>,
            note: isCut ? <a href={corpusPage(id)}>open</a> : "deleted",
          })),
        ]}
        chosen={definition.corpusIds}
        onChange={(corpusIds) => change({ corpusIds })}
      />
      <Problem text={[problemAt(editing, "corpusIds") ?? [], problems].flat().join(" ") || undefined} />
    </>
  );
}

const documentsText = (count: number): string => (count === 1 ? "1 document" : `${numberText(count)} documents`);
