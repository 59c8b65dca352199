import "./progress.css";

/** How far something is, in any unit; without `total` that is not known. */
export const Progress = ({ label, done, total }: { label: string; done: number; total: number | undefined }) => (
  <progress class="progress" aria-label={label} max={total ?? 1} {...(total !== undefined && { value: done })} />
);
