// The language server, asked by a real client. The folder is one that `tollgate init` made.
//
//   TOLLGATE=target/debug/tollgate node --test lsp.test.js
'use strict';

const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { test, before, after } = require('node:test');
const { Session, lsp, marked, textOf, edited } = require('./session.js');

const program = path.resolve(process.env.TOLLGATE);
let folder;
let session;

before(async () => {
  folder = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'tollgate-lsp-')), 'två ord');
  execFileSync(program, ['init', folder]);
  session = await Session.start(program, folder);
});

after(async () => {
  assert.equal(await session.stop(), 0);
  fs.rmSync(path.dirname(folder), { recursive: true });
});

/// Opens a script with a mark in it.
async function open(file, markedText, of = session) {
  const { text, position } = marked(markedText);
  return { uri: await of.open(file, text), text, position };
}

const FUNCTION = 'BOOLEAN long(cdr CONST CallDataRecord)\n';

test('the introduction says what the server can do', () => {
  const { capabilities, serverInfo } = session.introduction;
  assert.equal(serverInfo.name, 'tollgate');
  assert.equal(capabilities.positionEncoding, 'utf-16');
  assert.deepEqual(capabilities.completionProvider.triggerCharacters, ['.']);
  assert.equal(capabilities.renameProvider.prepareProvider, true);
});

test('it asks to be told of changed modules', async () => {
  await session.open('scripts/asked.dup', '');
  await session.diagnostics(session.uri('scripts/asked.dup'));
  assert.equal(session.registered[0].method, 'workspace/didChangeWatchedFiles');
});

test('scripts of a new project have no mistakes', async () => {
  for (const file of fs.readdirSync(path.join(folder, 'scripts'))) {
    const name = path.join('scripts', file);
    const uri = await session.open(name, fs.readFileSync(path.join(folder, name), 'utf8'));
    assert.deepEqual(await session.diagnostics(uri), [], name);
  }
});

test('a mistake is shown where it is, with its hint, until it is mended', async () => {
  const text = `${FUNCTION}{ return cdr.callDuraton > 60; }\n`;
  const uri = await session.open('scripts/mistake.dup', text);
  const [mistake, ...others] = await session.diagnostics(uri);
  assert.deepEqual(others, []);
  assert.equal(textOf(text, mistake.range), 'callDuraton');
  assert.equal(mistake.severity, lsp.DiagnosticSeverity.Error);
  assert.equal(mistake.message, 'MSC.CallDataRecord has no field "callDuraton"\ndid you mean "callDuration"?');
  const place = { line: 1, character: 22 };
  await session.change(uri, { range: { start: place, end: place }, text: 'i' });
  assert.deepEqual(await session.diagnostics(uri), []);
  await session.change(uri, { text: `${FUNCTION}{ return cdr.details == cdr.details; }` });
  assert.match((await session.diagnostics(uri))[0].message, /compare their fields/);
  await session.close(uri);
  assert.deepEqual(await session.diagnostics(uri, (params) => params.version === undefined), []);
});

test('of very many mistakes a thousand are shown, and how many more there are', async () => {
  const text = `NULL many(cdr CallDataRecord) {${' cdr.no := 1;'.repeat(10000)} }\n`;
  const uri = await session.open('scripts/many.dup', text);
  const mistakes = await session.diagnostics(uri);
  assert.equal(mistakes.length, 1001);
  assert.equal(textOf(text, mistakes[999].range), 'no');
  assert.equal(mistakes[1000].message, 'and 9000 more');
  await session.close(uri);
});

test('a warning is one', async () => {
  const uri = await session.open('scripts/warning.dup', `${FUNCTION}{ return cdr.servedIMEI == '00'H; }`);
  const [warning] = await session.diagnostics(uri);
  assert.equal(warning.severity, lsp.DiagnosticSeverity.Warning);
  assert.match(warning.message, /"servedIMEI" is OPTIONAL\n.*present\(\)/);
});

async function hovered(markedText) {
  const { uri, position, text } = await open('scripts/hover.dup', markedText);
  const hover = await session.ask(lsp.HoverRequest.type, uri, position);
  return hover && { value: hover.contents.value, text: textOf(text, hover.range) };
}

test('pointing at a field shows how its module defines it', async () => {
  const { value, text } = await hovered(`${FUNCTION}{ return cdr.call¦Duration > 60; }`);
  assert.equal(text, 'callDuration');
  assert.match(value, /```dup\ncallDuration INTEGER\n```/);
  assert.match(value, /```asn1\ncallDuration         \[10\] INTEGER\n```/);
  const module = fs.readFileSync(path.join(folder, 'asn1/msc.asn1'), 'utf8').split('\n');
  const line = module.findIndex((line) => line.includes('callDuration')) + 1;
  assert.ok(value.includes(`[msc.asn1:${line}](${session.uri('asn1/msc.asn1')}#L${line})`), value);
});

test('pointing at a field of a named type shows that type too', async () => {
  const { value } = await hovered(`${FUNCTION}{ return cdr.¦causeForTermination == normalRelease; }`);
  assert.match(value, /causeForTermination MSC.CauseForTermination/);
  assert.match(value, /CauseForTermination ::= INTEGER/);
});

test('pointing at names of the script, the language and its values says what they are', async () => {
  for (const [script, wanted] of [
    [`${FUNCTION}{ return c¦dr.callDuration > 60; }`, /cdr CONST MSC\.CallDataRecord[^]*CallDataRecord ::= \[APPLICATION 10\] SET \{/],
    [`-- Over a minute.\n${FUNCTION}{ return lon¦g(cdr); }`, /BOOLEAN long\(cdr CONST CallDataRecord\)\n```\n\nOver a minute\./],
    [`${FUNCTION}{ return ab¦s(cdr.callDuration) > 1; }`, /INTEGER abs\(number INTEGER\)\n```\n\nA number without its sign\./],
    [`${FUNCTION}{ return cdr.recordType == moSMS¦Record; }`, /moSMSRecord\n```\n\n6 of MSC\.RecordType\./],
    [`BOOLEAN f(cdr CONST CallDataRecor¦d) { return TRUE; }`, /CallDataRecord ::= \[APPLICATION 10\] SET \{/],
  ]) {
    assert.match((await hovered(script)).value, wanted);
  }
  assert.equal(await hovered(`${FUNCTION}{ return TRUE ¦ ; }`), null);
});

async function completed(markedText) {
  const { uri, position, text } = await open('scripts/completion.dup', markedText);
  const items = await session.ask(lsp.CompletionRequest.type, uri, position);
  items.sort((a, b) => (a.sortText < b.sortText ? -1 : 1));
  return { items, text, labels: items.map((item) => item.label) };
}

test('behind a dot the fields are offered with their types', async () => {
  const { items, labels } = await completed(`${FUNCTION}{ return cdr.¦ }`);
  assert.deepEqual(labels.slice(0, 3), ['recordType', 'version', 'mscAddress']);
  assert.equal(items[10].detail, 'callDuration INTEGER');
  assert.equal(items[10].kind, lsp.CompletionItemKind.Field);
});

test('a chosen completion replaces what was written of it', async () => {
  const { items, text } = await completed(`${FUNCTION}{ return cdr.callD¦; }`);
  const chosen = items.find((item) => item.label === 'callDuration');
  assert.match(edited(text, [chosen.textEdit]), /return cdr\.callDuration;/);
});

test('elsewhere variables, functions and words are offered, with what they do', async () => {
  const { items, labels } = await completed(`${FUNCTION}{ declare seconds INTEGER;\n  ¦\n  return TRUE; }`);
  assert.deepEqual(labels.slice(0, 3), ['seconds', 'cdr', 'long']);
  const prefix = items.find((item) => item.label === 'mid');
  assert.equal(prefix.detail, 'OCTET STRING mid(string OCTET STRING, from INTEGER[, count INTEGER])');
  assert.match(prefix.documentation.value, /A part of a string/);
  assert.ok(labels.includes('switch'));
});

test('names of the wanted type are offered first, types where a type stands', async () => {
  const compared = await completed(`${FUNCTION}{ return cdr.recordType == ¦; }`);
  assert.equal(compared.labels[0], 'moCallRecord');
  const typed = await completed(`BOOLEAN long(cdr CONST ¦`);
  assert.ok(typed.labels.includes('CallDataRecord') && typed.labels.includes('IA5String'));
});

async function defined(markedText) {
  const { uri, position, text } = await open('scripts/definition.dup', markedText);
  const found = await session.ask(lsp.DefinitionRequest.type, uri, position);
  if (!found) return null;
  const file = found.uri === uri ? 'here' : path.basename(found.uri);
  const whole = found.uri === uri ? text : fs.readFileSync(new URL(found.uri), 'utf8');
  return `${file} ${found.range.start.line + 1} ${textOf(whole, found.range)}`;
}

test('a name leads to its definition, in the script or in the module', async () => {
  const module = fs.readFileSync(path.join(folder, 'asn1/msc.asn1'), 'utf8').split('\n');
  const line = (text) => module.findIndex((line) => line.trim().startsWith(text)) + 1;
  for (const [script, wanted] of [
    [`${FUNCTION}{ return c¦dr.callDuration > 60; }`, 'here 1 cdr'],
    [`${FUNCTION}{ return TRUE; }\n${FUNCTION.replace('long', 'other')}{ return ¦long(cdr); }`, 'here 1 long'],
    [`${FUNCTION}{ declare x INTEGER := 1;\n  return ¦x > 0; }`, 'here 2 x'],
    [`${FUNCTION}{ return cdr.¦callDuration > 60; }`, `msc.asn1 ${line('callDuration ')} callDuration`],
    [`${FUNCTION}{ return cdr.services[0].¦code == '11'H; }`, `msc.asn1 ${line('code')} code`],
    [`${FUNCTION}{ return cdr.recordType == ¦moSMSRecord; }`, `msc.asn1 ${line('moSMSRecord')} moSMSRecord`],
    [`BOOLEAN f(cdr CONST Call¦DataRecord) { return TRUE; }`, `msc.asn1 ${line('CallDataRecord')} CallDataRecord`],
  ]) {
    assert.equal(await defined(script), wanted, script);
  }
  assert.equal(await defined(`${FUNCTION}{ return ab¦s(1) > 0; }`), null);
});

test('the uses of a name are found', async () => {
  const { uri, position } = await open('scripts/uses.dup', `${FUNCTION}{ return ¦cdr.version > 7 && cdr.callDuration > 60; }`);
  const all = await session.ask(lsp.ReferencesRequest.type, uri, position, { context: { includeDeclaration: true } });
  assert.deepEqual(all.map(({ range }) => range.start.line), [0, 1, 1]);
  const uses = await session.ask(lsp.ReferencesRequest.type, uri, position, { context: { includeDeclaration: false } });
  assert.equal(uses.length, 2);
});

const COUNTED = `INTEGER sum(n CONST INTEGER)
{
  declare total, i INTEGER := 0;
  -- 😀 n is not this n
  for (i := 1; i <= n; i += 1) { total += i; }
  if ("😀😀" == "x") { to¦tal := n; }
  return total;
}
INTEGER other(n CONST INTEGER) { return sum(n); }
`;

test('a new name stands everywhere, also behind characters beyond 16 bits', async () => {
  const { uri, position, text } = await open('scripts/rename.dup', COUNTED);
  const place = await session.ask(lsp.PrepareRenameRequest.type, uri, position);
  assert.equal(textOf(text, place), 'total');
  const edit = await session.ask(lsp.RenameRequest.type, uri, position, { newName: 'result' });
  const changed = edited(text, edit.changes[uri]);
  assert.equal(changed, text.replaceAll('total', 'result'));
  await session.change(uri, { text: changed });
  assert.deepEqual(await session.diagnostics(uri), []);
});

test('a function is renamed with its calls', async () => {
  const { uri, text } = await open('scripts/rename.dup', COUNTED);
  const edit = await session.ask(lsp.RenameRequest.type, uri, { line: 0, character: 9 }, { newName: 'sumUp' });
  assert.equal(edited(text, edit.changes[uri]), text.replaceAll('sum(', 'sumUp('));
});

test('a name that means something is refused, and so is renaming a field', async () => {
  const { uri, position } = await open('scripts/rename.dup', COUNTED);
  const refused = (newName) => session.ask(lsp.RenameRequest.type, uri, position, { newName });
  await assert.rejects(refused('while'), /"while" is a word of the language/);
  await assert.rejects(refused('i'), /"i" is taken/);
  const field = await open('scripts/field.dup', `${FUNCTION}{ return cdr.¦callDuration > 60; }`);
  await assert.rejects(session.ask(lsp.PrepareRenameRequest.type, field.uri, field.position), /not named by this script/);
});

test('formatting makes of a script what `tollgate dup fmt` does', async () => {
  const text = `${FUNCTION}{\ndeclare s   UTF8String := "😀";\n    return cdr.callDuration>60&&s == "" ;\n}\n`;
  const uri = await session.open('scripts/format.dup', text);
  const edits = await session.ask(lsp.DocumentFormattingRequest.type, uri, undefined, { options: { tabSize: 2, insertSpaces: true } });
  const file = path.join(folder, 'scripts/format.dup');
  fs.writeFileSync(file, text);
  execFileSync(program, ['dup', 'fmt', file], { stdio: 'ignore' });
  const formatted = fs.readFileSync(file, 'utf8');
  fs.rmSync(file);
  assert.notEqual(formatted, text);
  assert.equal(edited(text, edits), formatted);
  const again = await session.open('scripts/format.dup', formatted);
  const options = { options: { tabSize: 2, insertSpaces: true } };
  assert.deepEqual(await session.ask(lsp.DocumentFormattingRequest.type, again, undefined, options), []);
  const broken = await session.open('scripts/format.dup', '{');
  assert.equal(await session.ask(lsp.DocumentFormattingRequest.type, broken, undefined, options), null);
});

test('functions and tests are listed', async () => {
  const text = fs.readFileSync(path.join(folder, 'scripts/is_billable.dup'), 'utf8');
  const uri = await session.open('scripts/is_billable.dup', text);
  const symbols = await session.ask(lsp.DocumentSymbolRequest.type, uri);
  assert.deepEqual(symbols.map(({ name }) => name), ['isBillable', 'answered calls and sent messages are paid']);
  assert.equal(textOf(text, symbols[0].selectionRange), 'isBillable');
});

test('columns are octets for a client that prefers them', async () => {
  const octets = await Session.start(program, folder, { encodings: ['utf-8', 'utf-16'] });
  assert.equal(octets.introduction.capabilities.positionEncoding, 'utf-8');
  const line = '{ return "å😀" == "" && ';
  const uri = await octets.open('scripts/octets.dup', `${FUNCTION}${line}cdr.callDuration > 60; }`);
  const character = Buffer.byteLength(line);
  const hover = await octets.ask(lsp.HoverRequest.type, uri, { line: 1, character });
  assert.deepEqual(hover.range, { start: { line: 1, character }, end: { line: 1, character: character + 3 } });
  const units = await session.open('scripts/units.dup', `${FUNCTION}${line}cdr.callDuration > 60; }`);
  const other = await session.ask(lsp.HoverRequest.type, units, { line: 1, character: line.length });
  assert.deepEqual(other.range.end, { line: 1, character: line.length + 3 });
  assert.equal(await octets.stop(), 0);
});

test('a script is answered for wherever its text ends', async () => {
  const text = fs.readFileSync(path.join(folder, 'scripts/is_billable.dup'), 'utf8') + '-- 😀é\n';
  const uri = await session.open('scripts/cut.dup', '');
  for (let end = 0; end < text.length; end += 7) {
    const cut = text.slice(0, end).toWellFormed();
    await session.change(uri, { text: cut });
    const lines = cut.split('\n');
    const position = { line: lines.length - 1, character: lines[lines.length - 1].length };
    assert.ok(Array.isArray(await session.ask(lsp.CompletionRequest.type, uri, position)));
    await session.ask(lsp.HoverRequest.type, uri, position);
  }
  await session.diagnostics(uri);
});

test('places that are not there are the nearest that are', async () => {
  const uri = await session.open('scripts/places.dup', `${FUNCTION}{ return TRUE; }`);
  for (const position of [{ line: 0, character: 9999 }, { line: 9999, character: 0 }]) {
    await session.ask(lsp.HoverRequest.type, uri, position);
    await session.ask(lsp.CompletionRequest.type, uri, position);
  }
  await session.change(uri, { range: { start: { line: 9, character: 9 }, end: { line: 99, character: 0 } }, text: '\n-- end' });
  assert.deepEqual(await session.diagnostics(uri), []);
});

test('what is asked wrongly is refused, and what is unknown too', async () => {
  const code = (request) => request.then(() => 'answered', (error) => error.code);
  assert.equal(await code(session.connection.sendRequest('textDocument/nothing', {})), lsp.ErrorCodes.MethodNotFound);
  assert.equal(await code(session.connection.sendRequest('textDocument/hover', { a: 1 })), lsp.ErrorCodes.InvalidParams);
  const notOpen = session.ask(lsp.HoverRequest.type, session.uri('scripts/nothing.dup'), { line: 0, character: 0 });
  assert.equal(await code(notOpen), lsp.ErrorCodes.InvalidParams);
  await session.connection.sendNotification('$/nothing', {});
  await session.connection.sendNotification('textDocument/didOpen', { a: 1 });
});

test('a change of a module is seen, and a mistake in it is shown there', async () => {
  const file = path.join(folder, 'asn1/msc.asn1');
  const module = fs.readFileSync(file, 'utf8');
  const uri = await session.open('scripts/module.dup', `${FUNCTION}{ return cdr.callDuration > 60; }`);
  assert.deepEqual(await session.diagnostics(uri), []);
  const said = (count) => (params) => params.diagnostics.length === count;

  fs.writeFileSync(file, module.replace(/callDuration /, 'callSeconds '));
  await session.filesChanged(session.uri('asn1/msc.asn1'));
  const [gone] = await session.diagnostics(uri, said(1));
  assert.match(gone.message, /has no field "callDuration"/);

  fs.writeFileSync(file, module.replace('[10] INTEGER', '[10] }'));
  await session.filesChanged(session.uri('asn1/msc.asn1'));
  const [mistake] = await session.diagnostics(session.uri('asn1/msc.asn1'), (params) => params.diagnostics.length > 0);
  assert.match(mistake.message, /found "}"/);
  const unchecked = (params) => params.diagnostics.some(({ message }) => message.startsWith('without its modules'));
  assert.equal((await session.diagnostics(uri, unchecked)).length, 1);

  fs.writeFileSync(file, module);
  await session.filesChanged(session.uri('asn1/msc.asn1'));
  assert.deepEqual(await session.diagnostics(session.uri('asn1/msc.asn1'), said(0)), []);
  assert.deepEqual(await session.diagnostics(uri, said(0)), []);
});

test('modules are those that the command or the client names', async () => {
  const elsewhere = fs.mkdtempSync(path.join(os.tmpdir(), 'tollgate-lsp-'));
  const text = `${FUNCTION}{ return cdr.callDuration > 60; }`;
  const modules = [path.join(folder, 'asn1/msc.asn1')];
  for (const [settings, wanted] of [
    [{}, 'no module defines a type "CallDataRecord"'],
    [{ options: { modules } }, undefined],
    [{ options: { flow: path.join(folder, 'flow.toml') } }, undefined],
    [{ args: ['--stdio', '--module', modules[0]] }, undefined],
    [{ options: { modules: ['nothing.asn1'] } }, `without its modules the script is not checked: cannot read "${elsewhere}/nothing.asn1": No such file or directory (os error 2)`],
  ]) {
    const other = await Session.start(program, elsewhere, settings);
    const uri = await other.open('script.dup', text);
    const [first] = await other.diagnostics(uri);
    assert.equal(first && first.message.split('\n')[0], wanted);
    assert.equal(await other.stop(), 0);
  }
  fs.rmSync(elsewhere, { recursive: true });
});

test('after shutdown nothing is answered; an exit without one is a fault', async () => {
  const polite = await Session.start(program, folder);
  await polite.connection.sendRequest(lsp.ShutdownRequest.type);
  const late = polite.connection.sendRequest('textDocument/hover', {});
  await assert.rejects(late, (error) => error.code === lsp.ErrorCodes.InvalidRequest);
  assert.equal(await polite.exit(), 0);
  const rude = await Session.start(program, folder);
  assert.equal(await rude.exit(), 1);
  const gone = await Session.start(program, folder);
  gone.server.stdin.end();
  const [status] = await gone.exited;
  assert.equal(status, 1);
});
