import { useState } from "preact/hooks";
import { api } from "../../app/api.ts";
import { mayAct } from "../../app/roles.ts";
import { useOpenedHeading } from "../../app/use-opened-heading.ts";
import { useResource } from "../../app/use-resource.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Fact, Facts } from "../../ui/facts.tsx";
import { ErrorNote, Failure } from "../../ui/failure.tsx";
import { Bytes, Code, CodeBlock, Count, Foreign, Time } from "../../ui/figures.tsx";
import { Loading } from "../../ui/loading.tsx";
import { ContentDialog } from "./content-dialog.tsx";
import { type Document, documentStateOf, mayProcessAgain } from "./model.ts";

interface DetailsProps {
  corpusId: string;
  documentId: string;
  /** The document was changed, or is deleted. */
  onChanged: () => void;
  onClose: () => void;
}

/** One document: its state with the reason, what was found out about it, and what can be done with it. */
export function DocumentDetails({ corpusId, documentId, onChanged, onClose }: DetailsProps) {
  const path = { id: corpusId, documentId };
  const document = useResource(
    `document ${documentId}`,
    (signal) => api.get("/corpora/{id}/documents/{documentId}", { path, signal }),
    { on: ["document.ready", "document.failed"] },
  );
  const heading = useOpenedHeading(documentId);
  const changed = (): void => {
    document.reload();
    onChanged();
  };
  return (
    <section class="section" aria-label="Document">
      <div class="section-head">
        <h2 ref={heading} tabIndex={-1}>
          {document.status === "ready" ? <Foreign text={document.value.name} /> : "Document"}
        </h2>
        <div class="page-actions">
          {document.status === "ready" && mayAct("editor") && (
            <Actions document={document.value} onChanged={changed} onDeleted={onChanged} onClose={onClose} />
          )}
          <Button onClick={onClose}>Close</Button>
        </div>
      </div>
      {document.status === "loading" && <Loading what="the document" />}
      {document.status === "failed" && <Failure error={document.error} onRetry={document.reload} />}
      {document.status === "ready" && (
        <>
          <ErrorNote error={document.error} />
          <DocumentFacts document={document.value} />
        </>
      )}
    </section>
  );
}

function DocumentFacts({ document }: { document: Document }) {
  const { text, tone } = documentStateOf(document);
  const { failure, metadata } = document;
  return (
    <>
      {failure !== null && (
        <p class="corpus-failure">
          <Badge tone="bad">Failed</Badge>: <Foreign text={failure.message} />{" "}
          <span class="soft">
            (<Code>{failure.code}</Code>)
          </span>
        </p>
      )}
      <Facts>
        <Fact name="State">
          <Badge tone={tone}>{text}</Badge>
        </Fact>
        <Fact name="Found by agents">{document.isFound ? "yes" : "no"}</Fact>
        <Fact name="From">
          <From document={document} />
        </Fact>
        <Fact name="Format">{document.format ?? "–"}</Fact>
        <Fact name="Size">
          <Bytes of={document.bytes} />
        </Fact>
        <Fact name="Pages">
          <Count of={document.pages} />
        </Fact>
        <Fact name="Passages">
          <Count of={document.chunks} />
        </Fact>
        <Fact name="Characters">
          <Count of={document.characters} />
        </Fact>
        <Fact name="Version">
          <Count of={document.version} />
        </Fact>
        <Fact name="Added">
          <Time at={document.createdAt} />
        </Fact>
        <Fact name="Processed">
          <Time at={document.processedAt} />
        </Fact>
        <Fact name="Id">
          <Code>{document.id}</Code>
        </Fact>
      </Facts>
      {Object.keys(metadata).length > 0 && <CodeBlock label="Metadata" text={JSON.stringify(metadata, undefined, 2)} />}
    </>
  );
}

const From = ({ document: { source, url, fileName } }: { document: Document }) =>
  source === "text" ? "text" : <Foreign text={source === "url" ? url : fileName} />;

interface ActionsProps {
  document: Document;
  onChanged: () => void;
  onDeleted: () => void;
  onClose: () => void;
}

function Actions({ document, onChanged, onDeleted, onClose }: ActionsProps) {
  const [dialog, setDialog] = useState<"again" | "replace" | "delete">();
  const close = (): void => setDialog(undefined);
  const path = { id: document.corpusId, documentId: document.id };
  return (
    <>
      {mayProcessAgain(document) && <Button onClick={() => setDialog("again")}>Process again</Button>}
      <Button onClick={() => setDialog("replace")}>Replace</Button>
      <Button kind="danger" onClick={() => setDialog("delete")}>
        Delete
      </Button>
      {dialog === "again" && (
        <ConfirmDialog
          title="Process the document again?"
          action="Process again"
          onClose={close}
          onConfirm={async () => {
            await api.post("/corpora/{id}/documents/{documentId}/reprocess", { path });
            onChanged();
          }}
        >
          <p>
            <b>
              <Foreign text={document.name} />
            </b>{" "}
            is {document.url === null ? "read" : "fetched and read"} again. Its text is found as it is until then.
          </p>
        </ConfirmDialog>
      )}
      {dialog === "replace" && (
        <ContentDialog
          kind={document.source === "upload" ? "file" : document.source}
          corpusId={document.corpusId}
          replaced={document}
          onClose={close}
          onDone={onChanged}
        />
      )}
      {dialog === "delete" && (
        <ConfirmDialog
          title="Delete the document?"
          action="Delete the document"
          isDangerous
          onClose={close}
          onConfirm={async () => {
            await api.delete("/corpora/{id}/documents/{documentId}", { path });
            onDeleted();
            onClose();
          }}
        >
          <p>
            <b>
              <Foreign text={document.name} />
            </b>{" "}
            is deleted for good: from now on nothing of it is found.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
