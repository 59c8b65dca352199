import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { Schema } from "../../../client/src/index.ts";
import { corpusPage } from "../../app/addresses.ts";
import { api } from "../../app/api.ts";
import { mayAct } from "../../app/roles.ts";
import { useList } from "../../app/use-list.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { CorpusFields, corpusBodyOf, EMPTY_CORPUS } from "../../ui/corpus-fields.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Count, Foreign, Time } from "../../ui/figures.tsx";
import { Loading } from "../../ui/loading.tsx";
import { LongTable } from "../../ui/long-table.tsx";
import { Page as Frame } from "../../ui/page.tsx";
import type { Column } from "../../ui/table.tsx";

type Corpus = Schema<"Corpus">;

/** After these a corpus has other documents that are found. */
const EVENTS = ["document.ready", "document.failed"];

const COLUMNS: readonly Column<Corpus>[] = [
  {
    name: "name",
    title: "Name",
    width: 184,
    cell: ({ id, name }) => (
      <a href={corpusPage(id)}>
        <Foreign text={name} />
      </a>
    ),
  },
  { name: "state", title: "Documents", width: 208, cell: ({ documents }) => <DocumentCounts documents={documents} /> },
  { name: "chunks", title: "Passages", width: 80, isFigure: true, cell: ({ chunks }) => <Count of={chunks} /> },
  {
    name: "characters",
    title: "Characters",
    width: 88,
    isFigure: true,
    cell: ({ characters }) => <Count of={characters} />,
  },
  { name: "language", title: "Language", width: 80, cell: ({ languageId }) => languageId },
  { name: "mode", title: "Given to agents", width: 128, cell: ({ mode }) => MODES[mode] },
  { name: "description", title: "About", width: 136, cell: ({ description }) => <Foreign text={description} /> },
  { name: "createdAt", title: "Created", width: 120, cell: ({ createdAt }) => <Time at={createdAt} seconds={false} /> },
];

const MODES: Readonly<Record<Corpus["mode"], string>> = { search: "passages that fit", full: "all of it" };

/** How many documents are in each state; those of a state without any are left out. */
const DocumentCounts = ({ documents: { ready, processing, failed } }: { documents: Corpus["documents"] }) => {
  if (ready + processing + failed === 0) return <span class="soft">none yet</span>;
  return (
    <>
      {ready > 0 && <Badge tone="good">{ready} ready</Badge>}{" "}
      {processing > 0 && <Badge tone="active">{processing} in progress</Badge>}{" "}
      {failed > 0 && <Badge tone="bad">{failed} failed</Badge>}
    </>
  );
};

/** The corpora of the account. */
export function Page() {
  const [isNew, setNew] = useState(false);
  const { list, reload } = useList("corpora", (page, signal) => api.get("/corpora", { query: page, signal }), {
    on: EVENTS,
  });
  const newButton = mayAct("editor") && (
    <Button kind="primary" onClick={() => setNew(true)}>
      New corpus
    </Button>
  );
  return (
    <Frame title="Corpora" actions={newButton}>
      {!list.isReady && list.error === undefined && <Loading what="the corpora" />}
      {!list.isReady && list.error !== undefined && <Failure error={list.error} onRetry={reload} />}
      {list.isReady && list.count === 0 && <NoCorpus />}
      {list.isReady && list.count > 0 && (
        <LongTable label="Corpora" columns={COLUMNS} source={list} keyOf={({ id }) => id} />
      )}
      {isNew && <NewCorpus onClose={() => setNew(false)} />}
    </Frame>
  );
}

const NoCorpus = () => (
  <Empty title="There is no corpus yet.">
    <p>
      A corpus is a set of documents that agents answer from.{" "}
      {mayAct("editor")
        ? "Make one, and give it files, addresses or texts; an agent that has it is given the passages that fit what the caller asks."
        : "An editor makes one; it appears here."}
    </p>
  </Empty>
);

function NewCorpus({ onClose }: { onClose: () => void }) {
  const { route } = useLocation();
  const [given, setGiven] = useState(EMPTY_CORPUS);
  return (
    <ConfirmDialog
      title="New corpus"
      action="Create the corpus"
      onClose={onClose}
      onConfirm={async () => {
        const { id } = await api.post("/corpora", { body: corpusBodyOf(given) });
        route(corpusPage(id));
      }}
    >
      {(error) => <CorpusFields given={given} onChange={setGiven} error={error} />}
    </ConfirmDialog>
  );
}
