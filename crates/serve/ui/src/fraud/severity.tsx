/** How bad an alert or a case is: by a word and a shape, so that colours are not needed. */
const SHAPES: Record<string, string> = {
  warning: "M6 1.500a4.500 4.500 0 1 1 0 9 4.500 4.500 0 0 1 0-9z",
  minor: "M1.500 1.500h9v9h-9z",
  major: "M6 1 11.500 10.500H.500z",
  critical: "M6 0 12 6 6 12 0 6z",
};

const RANKS = Object.keys(SHAPES);

/** Orders severities, the worst last. One that this page does not know comes first. */
export const rankOf = (severity: string) => RANKS.indexOf(severity);

export const SeverityShape = ({ of }: { of: string }) => (
  <svg
    className={`severity-shape severity-${of}`}
    width="12"
    height="12"
    viewBox="0 0 12 12"
    aria-hidden="true"
    focusable="false"
  >
    <path d={SHAPES[of] ?? SHAPES.warning} fill="currentColor" />
  </svg>
);

export const SeverityMark = ({ of }: { of: string }) => (
  <span className={`mark mark-${of}`}>
    <SeverityShape of={of} />
    {of}
  </span>
);
