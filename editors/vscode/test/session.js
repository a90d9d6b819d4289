// A client of `tollgate dup lsp`: the protocol library that VS Code's own client is made with.
'use strict';

const { spawn } = require('node:child_process');
const { once } = require('node:events');
const { pathToFileURL } = require('node:url');
const path = require('node:path');
const lsp = require('vscode-languageserver-protocol/node');

/// How long a test waits for a message before it says that none came.
const PATIENCE_MS = 20000;

class Session {
  /// Starts the server in a folder, as an editor does that has the folder open.
  static async start(program, folder, { encodings, options, args = [] } = {}) {
    const session = new Session();
    session.folder = folder;
    session.server = spawn(program, ['dup', 'lsp', ...args], { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] });
    session.exited = once(session.server, 'exit');
    session.connection = lsp.createProtocolConnection(
      new lsp.StreamMessageReader(session.server.stdout),
      new lsp.StreamMessageWriter(session.server.stdin),
    );
    session.published = new Map();
    session.waiting = [];
    session.registered = [];
    session.version = 0;
    session.connection.onNotification(lsp.PublishDiagnosticsNotification.type, (params) => {
      session.published.set(params.uri, params);
      session.waiting = session.waiting.filter((check) => !check());
    });
    session.connection.onRequest(lsp.RegistrationRequest.type, (params) => {
      session.registered.push(...params.registrations);
    });
    session.connection.listen();
    const root = pathToFileURL(folder).href;
    session.introduction = await session.connection.sendRequest(lsp.InitializeRequest.type, {
      processId: process.pid,
      rootUri: root,
      workspaceFolders: [{ uri: root, name: 'folder' }],
      initializationOptions: options,
      capabilities: {
        general: { positionEncodings: encodings },
        workspace: { didChangeWatchedFiles: { dynamicRegistration: true } },
      },
    });
    await session.connection.sendNotification(lsp.InitializedNotification.type, {});
    return session;
  }

  uri(file) {
    return pathToFileURL(path.join(this.folder, file)).href;
  }

  async open(file, text) {
    const uri = this.uri(file);
    await this.connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, {
      textDocument: { uri, languageId: 'dup', version: ++this.version, text },
    });
    return uri;
  }

  async change(uri, ...contentChanges) {
    await this.connection.sendNotification(lsp.DidChangeTextDocumentNotification.type, {
      textDocument: { uri, version: ++this.version },
      contentChanges,
    });
  }

  async close(uri) {
    await this.connection.sendNotification(lsp.DidCloseTextDocumentNotification.type, { textDocument: { uri } });
  }

  async filesChanged(...uris) {
    const changes = uris.map((uri) => ({ uri, type: lsp.FileChangeType.Changed }));
    await this.connection.sendNotification(lsp.DidChangeWatchedFilesNotification.type, { changes });
  }

  ask(type, uri, position, more = {}) {
    return this.connection.sendRequest(type, { textDocument: { uri }, position, ...more });
  }

  /// What is wrong with a text, once the server has said so of this version; of others, at all.
  diagnostics(uri, wanted = (params) => params.version === this.version) {
    const found = () => {
      const params = this.published.get(uri);
      return params && wanted(params) ? params.diagnostics : undefined;
    };
    return new Promise((resolve, reject) => {
      const known = found();
      if (known) return resolve(known);
      const timer = setTimeout(() => reject(new Error(`nothing was said of ${uri}`)), PATIENCE_MS);
      this.waiting.push(() => {
        const params = found();
        if (!params) return false;
        clearTimeout(timer);
        resolve(params);
        return true;
      });
    });
  }

  /// Says goodbye; gives the server's exit status.
  async stop() {
    await this.connection.sendRequest(lsp.ShutdownRequest.type);
    return this.exit();
  }

  async exit() {
    await this.connection.sendNotification(lsp.ExitNotification.type);
    const [status] = await this.exited;
    this.connection.dispose();
    return status;
  }
}

/// A text and the place of its mark, `¦`, in it.
function marked(text) {
  const offset = text.indexOf('¦');
  const before = text.slice(0, offset);
  const lines = before.split('\n');
  const position = { line: lines.length - 1, character: lines[lines.length - 1].length };
  return { text: before + text.slice(offset + 1), position };
}

/// The text of a range, counted in units of UTF-16 as JavaScript does.
function textOf(text, { start, end }) {
  const lines = text.split('\n').slice(start.line, end.line + 1);
  lines[lines.length - 1] = lines[lines.length - 1].slice(0, end.character);
  lines[0] = lines[0].slice(start.character);
  return lines.join('\n');
}

/// A text after edits.
function edited(text, edits) {
  const lines = text.split('\n');
  const starts = [0];
  for (const line of lines) starts.push(starts[starts.length - 1] + line.length + 1);
  const offset = (place) => Math.min(starts[place.line] + place.character, text.length);
  const sorted = [...edits].sort((a, b) => offset(b.range.start) - offset(a.range.start));
  for (const { range, newText } of sorted) {
    text = text.slice(0, offset(range.start)) + newText + text.slice(offset(range.end));
  }
  return text;
}

module.exports = { Session, lsp, marked, textOf, edited };
