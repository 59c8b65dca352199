import "./numbers.css";

/** What is wrong, each with what to do about it. */
export const Problems = ({ problems }: { problems: readonly string[] }) =>
  problems.length === 0 ? null : (
    <ul class="numbers-problems">
      {problems.map((problem) => (
        <li key={problem}>{problem}</li>
      ))}
    </ul>
  );
