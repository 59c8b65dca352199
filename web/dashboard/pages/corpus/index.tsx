import { useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { TrunklineApiError } from "../../../client/src/index.ts";
import { CORPORA } from "../../app/addresses.ts";
import { api } from "../../app/api.ts";
import { mayAct } from "../../app/roles.ts";
import { useResource } from "../../app/use-resource.ts";
import { Button } from "../../ui/button.tsx";
import { CorpusFields, corpusBodyOf } from "../../ui/corpus-fields.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Fact, Facts } from "../../ui/facts.tsx";
import { ErrorNote, Failure } from "../../ui/failure.tsx";
import { Code, Count, Foreign, Time } from "../../ui/figures.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Page as Frame } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Documents } from "./documents.tsx";
import type { Corpus } from "./model.ts";
import { Questions } from "./questions.tsx";
import { Retrievals } from "./retrievals.tsx";

const PARENT = { title: "Corpora", href: CORPORA };
/** After these another document is found, or is not. */
const CHANGES = ["document.ready", "document.failed"];

/** One corpus: its documents, what is found in them, and what calls were given of them. */
export function Page() {
  const { params } = useRoute();
  const id = params.id ?? "";
  const corpus = useResource(`corpus ${id}`, (signal) => api.get("/corpora/{id}", { path: { id }, signal }), {
    on: CHANGES,
  });
  if (corpus.status === "ready" && !isGone(corpus.error)) {
    return <CorpusView key={id} corpus={corpus.value} error={corpus.error} onStale={corpus.reload} />;
  }
  return (
    <Frame title="Corpus" parent={PARENT}>
      {corpus.status === "loading" && <Loading what="the corpus" />}
      {corpus.status === "failed" && !isGone(corpus.error) && <Failure error={corpus.error} onRetry={corpus.reload} />}
      {corpus.status !== "loading" && isGone(corpus.error) && (
        <Empty title="There is no such corpus.">
          <p>
            It may have been deleted. <a href={CORPORA}>All corpora</a>
          </p>
        </Empty>
      )}
    </Frame>
  );
}

const isGone = (error: unknown): boolean => error instanceof TrunklineApiError && error.code === "not_found";

interface CorpusViewProps {
  corpus: Corpus;
  /** Why the latest reload failed. */
  error: unknown;
  onStale: () => void;
}

function CorpusView({ corpus, error, onStale }: CorpusViewProps) {
  const [dialog, setDialog] = useState<"change" | "delete">();
  const close = (): void => setDialog(undefined);
  const actions = mayAct("editor") && (
    <>
      <Button onClick={() => setDialog("change")}>Change</Button>
      <Button kind="danger" onClick={() => setDialog("delete")}>
        Delete
      </Button>
    </>
  );
  return (
    <Frame title={corpus.name} parent={PARENT} actions={actions}>
      <ErrorNote error={error} />
      {corpus.description !== "" && (
        <p>
          <Foreign text={corpus.description} />
        </p>
      )}
      <Facts>
        <Fact name="Documents found">
          <Count of={corpus.documents.ready} />
        </Fact>
        <Fact name="Passages">
          <Count of={corpus.chunks} />
        </Fact>
        <Fact name="Characters">
          <Count of={corpus.characters} />
        </Fact>
        <Fact name="Language">{corpus.languageId}</Fact>
        <Fact name="Given to agents">
          {corpus.mode === "full" ? "all of it, with the prompt" : "the passages that fit"}
        </Fact>
        <Fact name="Created">
          <Time at={corpus.createdAt} seconds={false} />
        </Fact>
        <Fact name="Id">
          <Code>{corpus.id}</Code>
        </Fact>
      </Facts>
      <Tabs
        label="Parts of the corpus"
        tabs={[
          { name: "documents", title: "Documents", content: () => <Documents corpus={corpus} onChanged={onStale} /> },
          { name: "query", title: "Ask", content: () => <Questions corpus={corpus} /> },
          { name: "retrieved", title: "Retrieved", content: () => <Retrievals corpusId={corpus.id} /> },
        ]}
      />
      {dialog === "change" && <ChangeDialog corpus={corpus} onClose={close} onDone={onStale} />}
      {dialog === "delete" && <DeleteDialog corpus={corpus} onClose={close} />}
    </Frame>
  );
}

function ChangeDialog({ corpus, onClose, onDone }: { corpus: Corpus; onClose: () => void; onDone: () => void }) {
  const [given, setGiven] = useState(() => corpusBodyOf(corpus));
  return (
    <ConfirmDialog
      title="Change the corpus"
      action="Save"
      onClose={onClose}
      onConfirm={async () => {
        await api.patch("/corpora/{id}", { path: { id: corpus.id }, body: corpusBodyOf(given) });
        onDone();
      }}
    >
      {(error) => <CorpusFields given={given} onChange={setGiven} error={error} />}
    </ConfirmDialog>
  );
}

function DeleteDialog({ corpus, onClose }: { corpus: Corpus; onClose: () => void }) {
  const { route } = useLocation();
  const { ready, processing, failed } = corpus.documents;
  const count = ready + processing + failed;
  return (
    <ConfirmDialog
      title="Delete the corpus?"
      action="Delete the corpus"
      isDangerous
      onClose={onClose}
      onConfirm={async () => {
        await api.delete("/corpora/{id}", { path: { id: corpus.id } });
        route(CORPORA);
      }}
    >
      <p>
        <b>
          <Foreign text={corpus.name} />
        </b>{" "}
        and its {count === 1 ? "document" : `${count} documents`} are deleted for good. Agents that have it stay as they
        are, and answer without it.
      </p>
    </ConfirmDialog>
  );
}
