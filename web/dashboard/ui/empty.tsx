import type { ComponentChildren } from "preact";
import "./empty.css";

/** Where there is nothing to show: says what would be here, and the first step that leads to it. */
export const Empty = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <div class="empty">
    <p class="empty-title">{title}</p>
    {children}
  </div>
);
