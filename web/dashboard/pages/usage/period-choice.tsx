import { useQuery } from "../../app/use-query.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { LENGTHS, type Period } from "./period.ts";

/** Which days are shown: some up to today, or from one to another. */
export function PeriodChoice({ period }: { period: Period }) {
  const { query, change } = useQuery();
  const hasOwnDays = query.from !== undefined || query.to !== undefined;
  const shown = hasOwnDays ? undefined : (LENGTHS.find((length) => String(length) === query.days) ?? LENGTHS[0]);
  const dayField = (name: "from" | "to", label: string, value: string) => (
    <Field label={label}>
      {(control) => (
        <input
          {...control}
          type="date"
          value={value}
          onChange={({ currentTarget }) => change({ [name]: currentTarget.value, days: undefined })}
        />
      )}
    </Field>
  );
  return (
    <search class="usage-period" aria-label="Period">
      <div class="usage-lengths">
        {LENGTHS.toSorted((one, other) => one - other).map((length) => (
          <Button
            key={length}
            aria-pressed={length === shown}
            onClick={() => change({ days: String(length), from: undefined, to: undefined })}
          >
            {length} days
          </Button>
        ))}
      </div>
      {dayField("from", "From", period.firstDay)}
      {dayField("to", "To, including this day", period.lastDay)}
    </search>
  );
}
