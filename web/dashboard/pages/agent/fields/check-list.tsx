import type { ComponentChildren } from "preact";
import "./check-list.css";

export interface CheckItem {
  value: string;
  label: ComponentChildren;
  /** What it is, in a line after its name. */
  note?: ComponentChildren;
  /** Shown while it is chosen. */
  details?: ComponentChildren;
}

interface CheckListProps {
  /** What the items are, for those who do not see the page. */
  label: string;
  items: readonly CheckItem[];
  chosen: readonly string[];
  /** With short items several stand in a line. */
  isDense?: boolean;
  onChange: (chosen: string[]) => void;
}

/** Any number of several things. */
export const CheckList = ({ label, items, chosen, isDense = false, onChange }: CheckListProps) => (
  <ul class={`check-list${isDense ? " check-list-dense" : ""}`} aria-label={label}>
    {items.map(({ value, label: name, note, details }) => {
      const isChosen = chosen.includes(value);
      return (
        <li key={value}>
          <label>
            <input
              type="checkbox"
              checked={isChosen}
              onChange={({ currentTarget: { checked } }) =>
                onChange(checked ? [...chosen, value] : chosen.filter((other) => other !== value))
              }
            />
            <span>{name}</span>
          </label>
          {note !== undefined && <div class="check-list-note">{note}</div>}
          {isChosen && details !== undefined && <div class="check-list-details">{details}</div>}
        </li>
      );
    })}
  </ul>
);
