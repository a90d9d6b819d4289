/**
 * The gateway's language server for an editor: completion, explanations, definitions, uses, renaming and formatting.
 *
 * Each request has the whole text, so the gateway keeps nothing for an editor, and there is no connection to lose.
 */
import {
  LSPClient,
  LSPPlugin,
  type Transport,
  Workspace,
  type WorkspaceFile,
  findReferencesKeymap,
  formatKeymap,
  hoverTooltips,
  jumpToDefinitionKeymap,
  renameKeymap,
  serverCompletion,
} from "@codemirror/lsp-client";
import type { Extension, Transaction } from "@codemirror/state";
import { type EditorView, ViewPlugin, activateHover, keymap } from "@codemirror/view";

import { gateway } from "../api/gateway";
import { asRefusal } from "../parts/load";
import { fileOf, sanitized, uriOf } from "./server-text";

/** The key command that explains the name at the cursor, as in other editors. */
const KEY = "Mod-k Mod-i";

/** The error of a request that has no result (LSP 3.17, ErrorCodes). */
const REQUEST_FAILED = -32803;

/** What happens while the user types or points fails silently: the mistakes of the text are shown beside it. */
const SILENT = ["textDocument/completion", "textDocument/hover"];

/** Shows a module to the user, and returns its view. */
export type ShowModule = (file: string) => Promise<EditorView>;

export function languageServer(script: string, isReadOnly: boolean, showModule: ShowModule): Extension {
  const uri = uriOf(script);
  const client: LSPClient = new LSPClient({
    timeout: 30_000,
    workspace: (client) => new OneScript(client, showModule),
    sanitizeHTML: sanitized,
  });
  client.connect(transport(script, () => client.workspace.getFile(uri)?.doc.toString() ?? ""));
  const tooltips = hoverTooltips();
  const until = (change: Transaction) => change.docChanged || change.selection !== undefined;
  const explain = (view: EditorView) => {
    activateHover(view, view.state.selection.main.head, 1, { tooltip: tooltips, until });
    return true;
  };
  return [
    client.plugin(uri, "dup"),
    tooltips,
    links(showModule),
    keymap.of([{ key: KEY, run: explain }, ...jumpToDefinitionKeymap, ...findReferencesKeymap]),
    isReadOnly
      ? []
      : [serverCompletion({ override: true, validFor: /^[\w-]*$/ }), keymap.of([...renameKeymap, ...formatKeymap])],
  ];
}

interface Message {
  id?: number;
  method: string;
  params: unknown;
}

/** Sends requests to the gateway. Notifications say what changed, which the text of the next request shows. */
function transport(script: string, text: () => string): Transport {
  const handlers = new Set<(message: string) => void>();
  const answer = async ({ id, method, params }: Message) => {
    const found = await gateway.analysis(script, text(), method, params).catch((error: unknown) => {
      const { message } = asRefusal(error);
      return SILENT.includes(method) ? { result: null } : { error: { code: REQUEST_FAILED, message } };
    });
    for (const handle of handlers) handle(JSON.stringify({ jsonrpc: "2.0", id, ...found }));
  };
  return {
    send: (text) => {
      const message = JSON.parse(text) as Message;
      if (message.id !== undefined) void answer(message);
    },
    subscribe: (handler) => handlers.add(handler),
    unsubscribe: (handler) => handlers.delete(handler),
  };
}

/** The script in the editor, and the modules, which are read only. */
class OneScript extends Workspace {
  files: WorkspaceFile[] = [];

  constructor(
    client: LSPClient,
    private readonly showModule: ShowModule,
  ) {
    super(client);
  }

  override openFile(uri: string, languageId: string, view: EditorView) {
    this.files = [{ uri, languageId, version: 0, doc: view.state.doc, getView: () => view }];
  }

  override closeFile() {
    this.files = [];
  }

  override syncFiles() {
    return this.files.flatMap((file) => {
      const view = file.getView()!;
      const plugin = LSPPlugin.get(view);
      if (plugin === null || plugin.unsyncedChanges.empty) return [];
      const update = { file, prevDoc: file.doc, changes: plugin.unsyncedChanges };
      file.doc = view.state.doc;
      file.version += 1;
      plugin.clear();
      return [update];
    });
  }

  override displayFile(uri: string) {
    return this.showModule(fileOf(uri));
  }
}

/** Follows the links to modules in explanations. */
function links(showModule: ShowModule): Extension {
  const follow = async (event: Event) => {
    const href = (event.target as Element).closest("a")?.getAttribute("href");
    if (href == null) return;
    event.preventDefault();
    const [uri, line] = href.split("#L") as [string, string?];
    const view = await showModule(fileOf(uri));
    const place = view.state.doc.line(Math.min(Number(line ?? 1), view.state.doc.lines)).from;
    view.dispatch({ selection: { anchor: place }, scrollIntoView: true });
  };
  return ViewPlugin.define(({ dom }) => {
    const listener = (event: Event) => void follow(event);
    dom.addEventListener("click", listener);
    return { destroy: () => dom.removeEventListener("click", listener) };
  });
}
