/** Icons. They are decorative: the text beside them, or the button's name, says the same. */

const PATHS = {
  // Kinds of nodes.
  "network-element": "M10 9v8M7 17h6M6.5 5.5a5 5 0 0 1 7 0M4.5 3.5a8 8 0 0 1 11 0M10 8a1 1 0 1 0 0-2 1 1 0 0 0 0 2",
  filter: "M3 4h14l-5.5 6.5V16l-3 1.5v-7z",
  formatter: "M3 5h6M3 9h4M3 13h6M11 10h6M14.5 7.5 17 10l-2.5 2.5",
  matching: "M4 4c5 0 3 6 8 6h4M4 16c5 0 3-6 8-6M13.5 7.5 16 10l-2.5 2.5",
  "duplicate-check": "M7 7h9v9H7zM4 13V4h9",
  rating:
    "M10 3v14M13.5 6.2C12.8 5.2 11.6 5 10 5 8 5 6.5 5.9 6.5 7.4c0 3.6 7.2 1.6 7.2 5.2 0 1.5-1.6 2.4-3.7 2.4-1.7 0-3-.4-3.7-1.5",
  "post-processing-system":
    "M4 5c0-1.1 2.7-2 6-2s6 .9 6 2-2.7 2-6 2-6-.9-6-2v10c0 1.1 2.7 2 6 2s6-.9 6-2V5M4 10c0 1.1 2.7 2 6 2s6-.9 6-2",
  node: "M5 5h10v10H5z",
  // Pages.
  graph: "M3 8h4v4H3zM13 3h4v4h-4zM13 13h4v4h-4zM7 10h3M10 10V5h3M10 10v5h3",
  scripts: "M7 6 3 10l4 4M13 6l4 4-4 4M11 4 9 16",
  suspense: "M6 3h8M6 17h8M7 3c0 4 6 4 6 7s-6 3-6 7M13 3c0 4-6 4-6 7s6 3 6 7",
  files: "M5 3h6l4 4v10H5zM11 3v4h4",
  records: "M3 4h5M3 8h3M5 12h3M5 16h3M11 4h2M15 4h2M11 8h2M15 8h2M11 12h2M15 12h2M11 16h2",
  deliveries:
    "M2 6h9v8H2zM11 9h3.5l3 2.5V14H11M5.5 16a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3M14 16a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3",
  audit: "M10 3v14M6 17h8M4 6h12M4 6l-2 5h4zM16 6l-2 5h4z",
  alarms: "M5 14V9a5 5 0 0 1 10 0v5l1.5 1.5h-13zM8.5 17.5h3M10 4V2.5",
  plots: "M3 3v14h14M6 13l3-4 3 2 4-6",
  fraud: "M10 2.500 16 5v4.500c0 4-2.500 6.500-6 8-3.500-1.500-6-4-6-8V5zM10 6.500v4M10 13v.300",
  trail: "M4 4h12M4 8h8M4 12h12M4 16h6",
  trace:
    "M4 16a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3M16 7a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3M5.5 14.5H11a2.5 2.5 0 0 0 0-5H9a2 2 0 0 1 0-4h5.5",
  reference:
    "M4 4.500C6 3.500 8 3.500 10 5c2-1.500 4-1.500 6-.500v11.500c-2-1-4-1-6 .500-2-1.500-4-1.500-6-.500zM10 5v11.500",
  accounts: "M3 6h12a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2zM3 6l9-3v3M17 10h-4v3h4M14.5 11.5h.010",
  people:
    "M7.5 9a3 3 0 1 0 0-6 3 3 0 0 0 0 6M2 17c0-3.5 2.4-5.5 5.5-5.5S13 13.500 13 17M13 3.300a3 3 0 0 1 0 5.400M15 12c1.900.800 3 2.600 3 5",
  // Signs.
  search: "M9 15A6 6 0 1 0 9 3a6 6 0 0 0 0 12M13.300 13.300 17 17",
  add: "M10 4v12M4 10h12",
  undo: "M7 5 3.500 8.500 7 12M4 8.500h8a4 4 0 0 1 0 8H8",
  redo: "M13 5l3.500 3.500L13 12M16 8.500H8a4 4 0 0 0 0 8h4",
  remove: "M4 6h12M8 6V4h4v2M6 6l.800 11h6.400L14 6",
  sort: "M10 3v14M5 12l5 5 5-5",
  export: "M10 3v9M6 8.500l4 4 4-4M3 16.500h14",
  display: "M3 6h8M15 6h2M3 14h2M9 14h8M13 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4M7 16a2 2 0 1 0 0-4 2 2 0 0 0 0 4",
  bookmark: "M5 3h10v14l-5-4-5 4z",
  again: "M16 10a6 6 0 1 1-2-4.500M16 3v3.500h-3.500",
  close: "M5 5l10 10M15 5 5 15",
  menu: "M3 5h14M3 10h14M3 15h14",
  check: "M4 10.500 8 14.500 16 5.500",
  warning: "M10 3 18 17H2zM10 8v4M10 14.200v.300",
  error: "M10 18a8 8 0 1 0 0-16 8 8 0 0 0 0 16M10 6v5M10 13.700v.300",
  edit: "M4 16l1-4 8.500-8.500 3 3L8 15zM11.500 5.500l3 3",
  versions: "M10 17a7 7 0 1 0-7-7M3 5v5h5M10 6v4.500l3 1.500",
  compare: "M4 3h5v14H4zM11 3h5v14h-5zM5.500 7h2M12.500 7h2M12.500 10h2",
  table: "M3 4h14v12H3zM3 8h14M3 12h14M8 4v12",
  run: "M6 4l10 6-10 6z",
  replay: "M5 3v14M9 10l8-6v12z",
  next: "M8 5l5 5-5 5",
  light:
    "M10 13a3 3 0 1 0 0-6 3 3 0 0 0 0 6M10 2v2M10 16v2M2 10h2M16 10h2M4.300 4.300l1.400 1.400M14.300 14.300l1.400 1.400M4.300 15.700l1.400-1.400M14.300 5.700l1.400-1.400",
  dark: "M16 12A7 7 0 0 1 8 4a6.500 6.500 0 1 0 8 8z",
  system: "M3 4h14v9H3zM7 17h6M10 13v4",
  leave: "M8 4H4v12h4M12 6l4 4-4 4M16 10H8",
  copy: "M7 7h9v9H7zM4 13V4h9",
  fit: "M3 7V3h4M13 3h4v4M17 13v4h-4M7 17H3v-4",
} as const;

export type IconName = keyof typeof PATHS;

const isIcon = (name: string): name is IconName => name in PATHS;

export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path
        d={PATHS[name]}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.6"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}

/** The icon of a kind of node. A kind that this page does not know, of a newer gateway, gets a general icon. */
export const KindIcon = ({ kind, size }: { kind: string; size?: number }) => (
  <Icon name={isIcon(kind) ? kind : "node"} {...(size === undefined ? {} : { size })} />
);
