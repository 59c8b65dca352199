import { useMemo, useState } from "preact/hooks";
import { api } from "../../app/api.ts";
import { mayAct } from "../../app/roles.ts";
import { sendFile } from "../../app/send-file.ts";
import { uploadQueue } from "../../app/upload-queues.ts";
import { useList } from "../../app/use-list.ts";
import { useQuery } from "../../app/use-query.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Bytes, Count, Foreign, Time } from "../../ui/figures.tsx";
import { FileDrop } from "../../ui/file-drop.tsx";
import { ChoiceFilter, Filters } from "../../ui/filters.tsx";
import { Loading } from "../../ui/loading.tsx";
import { LongTable } from "../../ui/long-table.tsx";
import type { Column } from "../../ui/table.tsx";
import { UploadList } from "../../ui/upload-list.tsx";
import { ContentDialog } from "./content-dialog.tsx";
import { DocumentDetails } from "./document-details.tsx";
import {
  type Corpus,
  type Document,
  documentFiltersOf,
  documentStateOf,
  FILTERS,
  SOURCE_CHOICES,
  STATUS_CHOICES,
} from "./model.ts";
import "./corpus.css";

const EVENTS = ["document.ready", "document.failed"];
/** By the ends of names, because browsers know no type for some. What a file is decides its content. */
const ACCEPTED = ".txt,.md,.markdown,.html,.htm,.pdf,.docx";

/** The documents of a corpus, and what adds others. `onChanged`: there is another one, or one less. */
export function Documents({ corpus, onChanged }: { corpus: Corpus; onChanged: () => void }) {
  const { query, change } = useQuery();
  const filters = documentFiltersOf(query);
  const key = `${corpus.id} ${JSON.stringify(filters)}`;
  const path = { id: corpus.id };
  const { list, reload, isStale } = useList(
    key,
    (page, signal) =>
      api.get("/corpora/{id}/documents", { path, query: { ...filters, ...page } as DocumentQuery, signal }),
    { on: EVENTS },
  );
  const columns = useMemo(() => columnsOf((id) => change({ document: id }, { push: true })), [change]);
  const refresh = (): void => {
    reload();
    onChanged();
  };
  return (
    <div class="corpus-part">
      {mayAct("editor") && <AddDocuments corpusId={corpus.id} onAdded={refresh} />}
      <div class="corpus-line">
        <Filters names={FILTERS}>
          <ChoiceFilter name="status" label="State" choices={STATUS_CHOICES} />
          <ChoiceFilter name="source" label="From" choices={SOURCE_CHOICES} />
        </Filters>
        {isStale && <Button onClick={reload}>Show changes</Button>}
      </div>
      {!list.isReady && list.error === undefined && <Loading what="the documents" />}
      {!list.isReady && list.error !== undefined && <Failure error={list.error} onRetry={reload} />}
      {list.isReady && list.count === 0 && <NoDocument isFiltered={Object.keys(filters).length > 0} />}
      {list.isReady && list.count > 0 && (
        <LongTable label="Documents" columns={columns} source={list} keyOf={({ id }) => id} />
      )}
      {query.document !== undefined && (
        <DocumentDetails
          key={query.document}
          corpusId={corpus.id}
          documentId={query.document}
          onChanged={refresh}
          onClose={() => change({ document: undefined })}
        />
      )}
    </div>
  );
}

type DocumentQuery = { status?: Document["status"]; source?: Document["source"]; limit: number; cursor?: string };

const columnsOf = (onOpen: (id: string) => void): readonly Column<Document>[] => [
  {
    name: "name",
    title: "Name",
    width: 200,
    cell: ({ id, name }) => (
      <button type="button" class="corpus-open" onClick={() => onOpen(id)}>
        <Foreign text={name} />
      </button>
    ),
  },
  { name: "state", title: "State", width: 232, cell: (document) => <State document={document} /> },
  { name: "format", title: "Format", width: 80, cell: ({ format }) => format ?? <span class="soft">–</span> },
  { name: "bytes", title: "Size", width: 80, isFigure: true, cell: ({ bytes }) => <Bytes of={bytes} /> },
  { name: "pages", title: "Pages", width: 64, isFigure: true, cell: ({ pages }) => <Count of={pages} /> },
  { name: "chunks", title: "Passages", width: 80, isFigure: true, cell: ({ chunks }) => <Count of={chunks} /> },
  { name: "from", title: "From", width: 152, cell: (document) => <Source document={document} /> },
  { name: "createdAt", title: "Added", width: 128, cell: ({ createdAt }) => <Time at={createdAt} seconds={false} /> },
];

function State({ document }: { document: Document }) {
  const { text, tone } = documentStateOf(document);
  return (
    <span title={document.failure?.message}>
      <Badge tone={tone}>{text}</Badge>
      {document.failure !== null && (
        <>
          {": "}
          <Foreign text={document.failure.message} />
        </>
      )}
    </span>
  );
}

const Source = ({ document: { source, url, fileName } }: { document: Document }) =>
  source === "text" ? <span class="soft">text</span> : <Foreign text={url ?? fileName} />;

const NoDocument = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="No document matches all of these filters." />
  ) : (
    <Empty title="There is no document yet.">
      <p>
        {mayAct("editor")
          ? "Choose or drop files above, or add a text or an address. A document is found seconds after it is ready."
          : "An editor adds files, texts or addresses."}
      </p>
    </Empty>
  );

/** Sends files, several at once, and opens the forms for an address and for a text. */
function AddDocuments({ corpusId, onAdded }: { corpusId: string; onAdded: () => void }) {
  const [form, setForm] = useState<"url" | "text">();
  const queue = useMemo(
    () =>
      uploadQueue<File, Document>(`corpus ${corpusId}`, {
        send: (file, onSent, signal) => {
          const body = new FormData();
          body.append("file", file);
          return sendFile({ method: "POST", path: `/corpora/${corpusId}/documents`, body, onSent, signal });
        },
      }),
    [corpusId],
  );
  // Another render of the page has another function; files may still be on their way then.
  queue.onDone = onAdded;
  return (
    <>
      <div class="corpus-add">
        <FileDrop
          label="Add files"
          hint="Plain text, Markdown, HTML, PDF or DOCX; drop them here, or choose several at once."
          isMultiple
          accept={ACCEPTED}
          onFiles={(files) => queue.add(files)}
        />
        <div class="corpus-add-others">
          <Button onClick={() => setForm("url")}>Add an address</Button>
          <Button onClick={() => setForm("text")}>Add a text</Button>
        </div>
      </div>
      <UploadList queue={queue} />
      {form !== undefined && (
        <ContentDialog kind={form} corpusId={corpusId} onClose={() => setForm(undefined)} onDone={onAdded} />
      )}
    </>
  );
}
