import "./loading.css";

/** Something is being loaded; it is shown only after a moment, so that fast answers do not flash. */
export const Loading = ({ what }: { what: string }) => (
  <p class="loading" role="status">
    Loading {what} …
  </p>
);
