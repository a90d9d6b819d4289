import "./styles/tokens.css";
import "./styles/parts.css";
import "./styles/marks.css";
import "./styles/shell.css";
import "./styles/command.css";
import "./styles/table.css";
import "./styles/pages.css";

import { createRoot } from "react-dom/client";

import { App } from "./app";
import { showTheme } from "./parts/theme";

showTheme();

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has an element for the page");
createRoot(root).render(<App />);
