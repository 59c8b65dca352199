import { useState } from "preact/hooks";
import type { Schema } from "../../../client/src/index.ts";
import { api } from "../../app/api.ts";
import { problemOf } from "../../app/errors.ts";
import { useList } from "../../app/use-list.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Field } from "../../ui/field.tsx";
import { Code, Foreign, Time } from "../../ui/figures.tsx";
import { Loading } from "../../ui/loading.tsx";
import { LongTable } from "../../ui/long-table.tsx";
import type { Column } from "../../ui/table.tsx";
import "./tools.css";

type Secret = Schema<"ToolSecret">;

/** The secrets of the account for headers of tools: sealed, so that nothing shows one again. */
export function Secrets() {
  const [dialog, setDialog] = useState<"new" | Secret>();
  const close = (): void => setDialog(undefined);
  const { list, reload } = useList("secrets", (page, signal) => api.get("/tool-secrets", { query: page, signal }));
  return (
    <div class="tools-part">
      <div class="tools-line">
        <p class="soft">
          A header of a tool has a secret as <Code>{"{{NAME}}"}</Code>. It is sent to its servers alone, and no page, no
          answer of the API and no LLM ever has it.
        </p>
        <Button onClick={() => setDialog("new")}>New secret</Button>
      </div>
      {!list.isReady && list.error === undefined && <Loading what="the secrets" />}
      {!list.isReady && list.error !== undefined && <Failure error={list.error} onRetry={reload} />}
      {list.isReady && list.count === 0 && (
        <Empty title="There is no secret yet.">
          <p>Store the token of a server here, and name it in a header of a tool.</p>
        </Empty>
      )}
      {list.isReady && list.count > 0 && (
        <LongTable label="Secrets" columns={columnsOf(setDialog)} source={list} keyOf={({ id }) => id} />
      )}
      {dialog === "new" && <NewSecret onClose={close} onDone={reload} />}
      {typeof dialog === "object" && <DeleteSecret secret={dialog} onClose={close} onDone={reload} />}
    </div>
  );
}

const columnsOf = (onDelete: (secret: Secret) => void): readonly Column<Secret>[] => [
  { name: "name", title: "Name", width: 200, cell: ({ name }) => <Code>{name}</Code> },
  {
    name: "value",
    title: "Value",
    width: 120,
    cell: ({ lastCharacters }) => (
      <span class="soft">
        sealed{lastCharacters !== "" && ", …"}
        {lastCharacters !== "" && <Code>{lastCharacters}</Code>}
      </span>
    ),
  },
  {
    name: "hosts",
    title: "Servers that may get it",
    width: 280,
    cell: ({ hosts }) => <Foreign text={hosts.join(", ")} />,
  },
  { name: "createdAt", title: "Stored", width: 152, cell: ({ createdAt }) => <Time at={createdAt} seconds={false} /> },
  {
    name: "actions",
    title: "Actions",
    isTitleHidden: true,
    isFigure: true,
    width: 96,
    cell: (secret) => (
      <Button kind="quiet" aria-label={`Delete ${secret.name}`} onClick={() => onDelete(secret)}>
        Delete
      </Button>
    ),
  },
];

const EMPTY = { name: "", hosts: "", value: "" };

function NewSecret({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const [given, setGiven] = useState(EMPTY);
  const set = (changes: Partial<typeof EMPTY>): void => setGiven({ ...given, ...changes });
  return (
    <ConfirmDialog
      title="New secret"
      action="Store the secret"
      onClose={onClose}
      onConfirm={async () => {
        const hosts = given.hosts.split(/[\s,]+/).filter((host) => host !== "");
        await api.post("/tool-secrets", { body: { name: given.name, hosts, value: given.value } });
        onDone();
      }}
    >
      {(error) => (
        <>
          <p>It takes the place of an earlier one of the same name. It is not shown again: keep it elsewhere, too.</p>
          <Field label="Name" hint="Of A-Z, 0-9 and _, such as SHOP_TOKEN." problem={problemOf(error, "name")}>
            {(control) => (
              <input
                {...control}
                required
                autocomplete="off"
                spellcheck={false}
                value={given.name}
                onInput={({ currentTarget: { value } }) => set({ name: value })}
              />
            )}
          </Field>
          <Field
            label="Servers that may get it"
            hint="As in the tool's address, such as api.example.com; one in each line."
            problem={problemOf(error, "hosts") ?? problemOf(error, "hosts.0")}
          >
            {(control) => (
              <textarea
                {...control}
                required
                rows={2}
                spellcheck={false}
                value={given.hosts}
                onInput={({ currentTarget: { value } }) => set({ hosts: value })}
              />
            )}
          </Field>
          <Field label="Secret" problem={problemOf(error, "value")}>
            {(control) => (
              <input
                {...control}
                type="password"
                required
                autocomplete="new-password"
                value={given.value}
                onInput={({ currentTarget: { value } }) => set({ value })}
              />
            )}
          </Field>
        </>
      )}
    </ConfirmDialog>
  );
}

const DeleteSecret = ({ secret, onClose, onDone }: { secret: Secret; onClose: () => void; onDone: () => void }) => (
  <ConfirmDialog
    title="Delete the secret?"
    action="Delete the secret"
    isDangerous
    onClose={onClose}
    onConfirm={async () => {
      await api.delete("/tool-secrets/{id}", { path: { id: secret.id } });
      onDone();
    }}
  >
    <p>
      <b>{secret.name}</b> is deleted for good. Tools that name it stay, and fail from now on.
    </p>
  </ConfirmDialog>
);
