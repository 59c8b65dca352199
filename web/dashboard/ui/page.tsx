import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso";
import "./page.css";

export interface PageProps {
  title: string;
  /** Where the page belongs: shown before the title, as a way back. */
  parent?: { title: string; href: string };
  /** What can be done on this page: buttons, at the end of the title's line. */
  actions?: ComponentChildren;
  children: ComponentChildren;
}

/** The path whose title has the focus: the first page of a visit leaves it where the browser has it. */
let focusedPath: string | undefined;

/** A page: the title of the window, the line with the title and what can be done, and the content below. */
export function Page({ title, parent, actions, children }: PageProps) {
  const { path } = useLocation();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Trunkline`;
  }, [title]);
  useEffect(() => {
    if (focusedPath !== undefined && focusedPath !== path) heading.current?.focus();
    focusedPath = path;
  }, [path]);
  return (
    <div class="page">
      <div class="page-head">
        <div class="page-title">
          {parent !== undefined && (
            <a class="page-parent" href={parent.href}>
              {parent.title} /
            </a>
          )}
          <h1 ref={heading} tabIndex={-1}>
            <span dir="auto">{title}</span>
          </h1>
        </div>
        {actions !== undefined && <div class="page-actions">{actions}</div>}
      </div>
      {children}
    </div>
  );
}

/** A part of a page with a heading of its own. */
export function Section({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <section class="section">
      <div class="section-head">
        <h2>{title}</h2>
        {actions !== undefined && <div class="page-actions">{actions}</div>}
      </div>
      {children}
    </section>
  );
}
