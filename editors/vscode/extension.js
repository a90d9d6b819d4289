// Starts `tollgate dup lsp` for the scripts of a window, and again when its settings change.
'use strict';

const vscode = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client;

function newClient() {
  const settings = vscode.workspace.getConfiguration('tollgate');
  const server = { command: settings.get('path') || 'tollgate', args: ['dup', 'lsp'] };
  return new LanguageClient('tollgate', 'DUP', server, {
    documentSelector: [{ language: 'dup' }],
    initializationOptions: { modules: settings.get('modules'), flow: settings.get('flow') },
  });
}

async function start() {
  client = newClient();
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(
      `The program "tollgate" could not be started: ${error.message}. The setting tollgate.path says where it is.`,
    );
  }
}

async function stop() {
  const running = client;
  client = undefined;
  if (running && running.isRunning()) await running.stop();
}

async function activate(context) {
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (!change.affectsConfiguration('tollgate')) return;
      await stop();
      await start();
    }),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
