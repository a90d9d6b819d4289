/** The code of an error, and its values: the code leads to all rows with it. */
import { Link } from "../router/router";
import { visible } from "./visible";

interface ReasonCodeProps {
  /** Empty if the error comes from a version without codes. */
  code: string;
  values: { name: string; value: string }[];
  /** The address of the page that lists rows by their code. */
  page: string;
}

export function ReasonCode({ code, values, page }: ReasonCodeProps) {
  if (code === "") return null;
  const words = values.map(({ name, value }) => `${visible(name)}: ${visible(value)}`);
  return (
    <span className="below muted">
      <Link className="fixed" href={`${page}?code=${encodeURIComponent(code)}`} title={words.join("\n")}>
        {code}
      </Link>
    </span>
  );
}
