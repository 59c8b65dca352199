import { CORPORA, corpusPage, TOOLS, toolPage } from "../../../app/addresses.ts";
import { api } from "../../../app/api.ts";
import { useResource } from "../../../app/use-resource.ts";
import { Code, Foreign } from "../../../ui/figures.tsx";
import { firstOf } from "../load.ts";
import type { FieldDiff, ItemDiff } from "../model/definition-diff.ts";
import type { DiffLine } from "../model/text-diff.ts";
import "./diff-view.css";

const MARKS = { same: " ", removed: "−", added: "+" } as const;
const KINDS = { same: "", removed: "removed: ", added: "added: " } as const;

/** What differs between two definitions, field by field. */
export const DiffView = ({ diffs, label }: { diffs: readonly FieldDiff[]; label: string }) => (
  <dl class="diff" aria-label={label}>
    {diffs.map((diff) => (
      <div key={diff.path} class="diff-field">
        <dt>
          {diff.label} {diff.path.includes(".") && <Code>{diff.path}</Code>}
        </dt>
        <dd>
          <Change diff={diff} />
        </dd>
      </div>
    ))}
  </dl>
);

function Change({ diff: { path, change } }: { diff: FieldDiff }) {
  if (change.kind === "text") return <Lines lines={change.lines} />;
  if (change.kind === "items") return <Items path={path} items={change.items} />;
  return (
    <p class="diff-values">
      <del>{change.before ?? "default"}</del> <span aria-hidden="true">→</span> <ins>{change.after ?? "default"}</ins>
    </p>
  );
}

const Lines = ({ lines }: { lines: readonly DiffLine[] }) => (
  <div class="diff-lines">
    {lines.map((line, at) =>
      line.kind === "gap" ? (
        <p key={at} class="diff-gap">
          {line.lines} lines are the same
        </p>
      ) : (
        <p key={at} class={`diff-line diff-${line.kind}`}>
          <span class="diff-mark" aria-hidden="true">
            {MARKS[line.kind]}
          </span>
          <span class="hidden">{KINDS[line.kind]}</span>
          <span class="diff-text" dir="auto">
            {line.words.map(({ text, isChanged }, word) => (isChanged ? <mark key={word}>{text}</mark> : text))}
            {line.words.every(({ text }) => text === "") && <span class="soft">empty line</span>}
          </span>
        </p>
      ),
    )}
  </div>
);

function Items({ path, items }: { path: string; items: readonly ItemDiff[] }) {
  const names = useItemNames(path);
  return (
    <ul class="diff-items">
      {items.map(({ name, id, change, lines }) => (
        <li key={name} class={`diff-item-${change}`}>
          <span class="diff-mark" aria-hidden="true">
            {change === "added" ? "+" : change === "removed" ? "−" : "~"}
          </span>
          <span class="hidden">{change}: </span>
          {id === undefined ? <Foreign text={name} /> : <ItemLink path={path} id={id} name={names.get(id) ?? id} />}
          {lines.length > 0 && <Lines lines={lines} />}
        </li>
      ))}
    </ul>
  );
}

const ItemLink = ({ path, id, name }: { path: string; id: string; name: string }) => (
  <a href={path === "corpusIds" ? corpusPage(id) : toolPage(id)}>
    <Foreign text={name} />
  </a>
);

/** The names of saved tools and corpora; ids stand for those that are not known. */
function useItemNames(path: string): ReadonlyMap<string, string> {
  const isOfCorpora = path === "corpusIds";
  const isOfTools = path === "toolIds" || path === "callSettings.selectedTools";
  const known = useResource(
    isOfCorpora ? `names ${CORPORA}` : isOfTools ? `names ${TOOLS}` : "none",
    async (signal) => {
      const query = { limit: 100 };
      if (isOfCorpora) return (await firstOf(api.list("/corpora", { query, signal }))).items;
      return isOfTools ? (await firstOf(api.list("/tools", { query, signal }))).items : [];
    },
  );
  const items: readonly { id: string; name: string }[] = known.status === "ready" ? known.value : [];
  return new Map(items.map(({ id, name }) => [id, name]));
}
