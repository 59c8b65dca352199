import { useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { TrunklineApiError } from "../../../client/src/index.ts";
import { TOOLS } from "../../app/addresses.ts";
import { api } from "../../app/api.ts";
import { mayAct } from "../../app/roles.ts";
import { TOOL_TYPES, toolTypeOf } from "../../app/tool-words.ts";
import { useQuery } from "../../app/use-query.ts";
import { useResource } from "../../app/use-resource.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Fact, Facts } from "../../ui/facts.tsx";
import { ErrorNote, Failure } from "../../ui/failure.tsx";
import { Code, Count, Time } from "../../ui/figures.tsx";
import { Loading } from "../../ui/loading.tsx";
import { Page as Frame } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Definition } from "./definition.tsx";
import { NewToolForm, ToolForm } from "./editor.tsx";
import type { Tool } from "./form.ts";
import { Runs } from "./runs.tsx";
import { ServerTools } from "./server-tools.tsx";
import { TestTool } from "./test-tool.tsx";

const PARENT = { title: "Tools", href: TOOLS };
/** In the address of a tool that is not saved yet. */
const NEW = "new";

/** One saved tool, or the form of another one. */
export function Page() {
  const { params } = useRoute();
  const id = params.id ?? "";
  return id === NEW ? <NewTool /> : <SavedTool key={id} id={id} />;
}

function NewTool() {
  const { query } = useQuery();
  const type = toolTypeOf(query.type) ?? "http";
  return (
    <Frame title={`New tool: ${TOOL_TYPES[type].title}`} parent={PARENT}>
      {mayAct("editor") ? (
        <NewToolForm key={type} type={type} />
      ) : (
        <Empty title="Only editors and owners make tools." />
      )}
    </Frame>
  );
}

function SavedTool({ id }: { id: string }) {
  const tool = useResource(`tool ${id}`, async (signal) => {
    const { body, headers } = await api.request("get", "/tools/{id}", { path: { id }, signal });
    return { tool: body, etag: headers.get("etag") ?? "" };
  });
  if (tool.status === "ready" && !isGone(tool.error)) {
    return <ToolView tool={tool.value.tool} etag={tool.value.etag} error={tool.error} onStale={tool.reload} />;
  }
  return (
    <Frame title="Tool" parent={PARENT}>
      {tool.status === "loading" && <Loading what="the tool" />}
      {tool.status === "failed" && !isGone(tool.error) && <Failure error={tool.error} onRetry={tool.reload} />}
      {tool.status !== "loading" && isGone(tool.error) && (
        <Empty title="There is no such tool.">
          <p>
            It may have been deleted. <a href={TOOLS}>All tools</a>
          </p>
        </Empty>
      )}
    </Frame>
  );
}

const isGone = (error: unknown): boolean => error instanceof TrunklineApiError && error.code === "not_found";

interface ToolViewProps {
  tool: Tool;
  etag: string;
  /** Why the latest reload failed. */
  error: unknown;
  onStale: () => void;
}

function ToolView({ tool, etag, error, onStale }: ToolViewProps) {
  const [isDeleting, setDeleting] = useState(false);
  const { type } = tool;
  const isEditor = mayAct("editor");
  const definition = isEditor
    ? () => <ToolForm tool={tool} etag={etag} onSaved={onStale} />
    : () => <Definition tool={tool} />;
  const tabs = [
    { name: "definition", title: "Definition", content: definition },
    ...(type === "mcp" ? [{ name: "server", title: "Its tools", content: () => <ServerTools tool={tool} /> }] : []),
    ...(isEditor ? [{ name: "test", title: "Test", content: () => <TestTool tool={tool} /> }] : []),
    { name: "runs", title: "Runs", content: () => <Runs toolId={tool.id} /> },
  ];
  return (
    <Frame
      title={tool.name}
      parent={PARENT}
      actions={
        isEditor && (
          <Button kind="danger" onClick={() => setDeleting(true)}>
            Delete
          </Button>
        )
      }
    >
      <ErrorNote error={error} />
      <Facts>
        <Fact name="Kind">{TOOL_TYPES[type].title}</Fact>
        <Fact name="Version">
          <Count of={tool.version} />
        </Fact>
        <Fact name="Saved">
          <Time at={tool.createdAt} seconds={false} />
        </Fact>
        <Fact name="Changed">
          <Time at={tool.updatedAt} seconds={false} />
        </Fact>
        <Fact name="Id">
          <Code>{tool.id}</Code>
        </Fact>
      </Facts>
      <Tabs label="Parts of the tool" tabs={tabs} />
      {isDeleting && <DeleteDialog tool={tool} onClose={() => setDeleting(false)} />}
    </Frame>
  );
}

function DeleteDialog({ tool, onClose }: { tool: Tool; onClose: () => void }) {
  const { route } = useLocation();
  return (
    <ConfirmDialog
      title="Delete the tool?"
      action="Delete the tool"
      isDangerous
      onClose={onClose}
      onConfirm={async () => {
        await api.delete("/tools/{id}", { path: { id: tool.id } });
        route(TOOLS);
      }}
    >
      <p>
        <b>{tool.name}</b> is deleted for good, with the record of its runs. Calls that were created before keep it. It
        cannot be deleted while an agent names it.
      </p>
    </ConfirmDialog>
  );
}
