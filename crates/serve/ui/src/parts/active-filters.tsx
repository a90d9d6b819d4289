/** The filters of a list that are active, each with a button that removes it. */
import { Link, changeWords } from "../router/router";
import { useHeldFocus } from "./held-focus";
import { Icon } from "./icons";
import { visible } from "./visible";

export interface ActiveFilter {
  name: string;
  value: string;
  /** The parameters of the address that it has. */
  words: readonly string[];
}

interface ActiveFiltersProps {
  filters: readonly ActiveFilter[];
  /** The address without any filter. */
  all: string;
}

/** To be left out if no filter is active. */
export function ActiveFilters({ filters, all }: ActiveFiltersProps) {
  const group = useHeldFocus<HTMLUListElement>();
  return (
    <ul ref={group} className="chips" aria-label="Active filters">
      {filters.map(({ name, value, words }) => (
        <li key={words.join()} className="chip">
          <span>
            <span className="muted">{name}:</span> {visible(value)}
          </span>
          <button
            type="button"
            className="button button-quiet"
            title="Remove this filter"
            onClick={() => changeWords(Object.fromEntries(words.map((word) => [word, ""])))}
          >
            <Icon name="close" size={14} />
            <span className="unseen">Remove the filter {name}</span>
          </button>
        </li>
      ))}
      <li>
        <Link className="button" href={all}>
          Show all
        </Link>
      </li>
    </ul>
  );
}
