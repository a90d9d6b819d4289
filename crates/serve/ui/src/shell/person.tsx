/** The logged-in user, with the theme, the password and the logout. */
import { Icon } from "../parts/icons";
import { useSession } from "../parts/session";
import { type Theme, chooseTheme, useTheme } from "../parts/theme";
import { Link, useAddress } from "../router/router";

const THEMES: [Theme, string][] = [
  ["system", "As the system"],
  ["light", "Light"],
  ["dark", "Dark"],
];

export function Person({ onChosen }: { onChosen?: () => void }) {
  const { session, leave } = useSession();
  const { path } = useAddress();
  return (
    <div className="person">
      <Themes />
      <Link
        href="/account"
        className="person-name"
        aria-current={path === "/account" ? "page" : undefined}
        onClick={onChosen}
      >
        <span>{session.name}</span>
        <span className="muted">{session.role}</span>
      </Link>
      <button
        type="button"
        className="button button-quiet"
        onClick={() => {
          onChosen?.();
          leave();
        }}
      >
        <Icon name="leave" />
        Log out
      </button>
    </div>
  );
}

function Themes() {
  const theme = useTheme();
  return (
    <div className="themes" role="group" aria-label="Colours">
      {THEMES.map(([name, title]) => (
        <button
          key={name}
          type="button"
          className="button button-quiet"
          aria-label={title}
          title={title}
          aria-pressed={theme === name}
          onClick={() => chooseTheme(name)}
        >
          <Icon name={name} size={16} />
        </button>
      ))}
    </div>
  );
}
