// The colours: by the library that VS Code colours with. The words of the language are given by the test
// that starts this one, so that the grammar cannot lag behind:
//
//   WORDS='{"reserved": ["if", …], "types": ["INTEGER", …], "functions": ["abs", …]}' node --test grammar.test.js
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { test, before } = require('node:test');
const oniguruma = require('vscode-oniguruma');
const textmate = require('vscode-textmate');

const extension = path.join(__dirname, '..');
const json = (file) => JSON.parse(fs.readFileSync(path.join(extension, file), 'utf8'));
const manifest = json('package.json');
const [{ path: grammarPath, scopeName }] = manifest.contributes.grammars;
const words = JSON.parse(process.env.WORDS);
let grammar;

before(async () => {
  await oniguruma.loadWASM(fs.readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm')));
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => json(grammarPath),
  });
  grammar = await registry.loadGrammar(scopeName);
});

/// The innermost scope of each stretch of a text, blanks left out: [text, scope].
function scopes(text) {
  let state = textmate.INITIAL;
  const found = [];
  for (const line of text.split('\n')) {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, state);
    state = ruleStack;
    let before;
    for (const { startIndex, endIndex, scopes } of tokens) {
      const stretch = line.slice(startIndex, endIndex);
      const scope = scopes.at(-1).replace(/\.dup$/, '');
      if (scope === before) found.at(-1)[0] += stretch;
      else if (stretch.trim()) found.push([stretch, scope]);
      before = stretch.trim() ? scope : undefined;
    }
  }
  return found;
}

const scopeOf = (text, word) => scopes(text).find(([stretch]) => stretch.includes(word))[1];

test('the files that the extension names are there and are JSON', () => {
  const [language] = manifest.contributes.languages;
  assert.equal(json(language.configuration).comments.lineComment, '--');
  assert.ok(fs.existsSync(path.join(extension, manifest.main)));
  assert.ok(new RegExp(`^${json(language.configuration).wordPattern}$`).test('roaming-v8'));
});

test('every word of the language has its colour', () => {
  for (const word of words.reserved) {
    assert.match(scopeOf(word, word), /^(keyword|storage|constant)\./, word);
  }
  for (const word of words.types) {
    assert.match(scopeOf(`declare x ${word};`, word), /^(storage\.type|constant\.language)/, word);
  }
  for (const word of words.functions) {
    assert.equal(scopeOf(`x := ${word}(y);`, word), 'support.function', word);
  }
});

test('no other word has one', () => {
  const { repository } = json(grammarPath);
  const own = ['constant', 'control', 'declaration', 'modifier', 'membership', 'builtInType', 'builtInFunction'];
  const known = new Set([...words.reserved, ...words.types, ...words.functions].flatMap((word) => word.split(' ')));
  // Words in one place only, so that they can be names elsewhere.
  ['OF', 'WITHOUT', 'COUNTERS'].forEach((word) => known.add(word));
  for (const part of own) {
    const plain = repository[part].match.replace(/\[[^\]]*\]|\(\?<?[!=:]|\\./g, ' ');
    for (const [word] of plain.matchAll(/[A-Za-z][A-Za-z0-9-]*/g)) {
      assert.ok(known.has(word), `${part}: ${word}`);
    }
  }
});

test('names, fields, literals and comments are told apart', () => {
  for (const [text, wanted] of [
    ['-- if -- x', [['-- if --', 'comment.line.double-dash'], ['x', 'variable.other']]],
    ['---- if', [['---- if', 'comment.line.double-dash']]],
    ['cdr.test := 5', [['cdr', 'variable.other'], ['.', 'punctuation.accessor'], ['test', 'variable.other.property'], [':=', 'keyword.operator'], ['5', 'constant.numeric.integer']]],
    ['if-x x-if', [['if-x', 'variable.other'], ['x-if', 'variable.other']]],
    ['"a\\n" \'0A\'H', [['"a', 'string.quoted.double'], ['\\n', 'constant.character.escape'], ['"', 'string.quoted.double'], ["'0A'H", 'constant.numeric.octets']]],
    ['"open\nx', [['"open', 'string.quoted.double'], ['x', 'variable.other']]],
    ['NULL f(a CONST Call)', [['NULL', 'constant.language'], ['f', 'entity.name.function'], ['(', 'source'], ['a', 'variable.other'], ['CONST', 'storage.modifier'], ['Call', 'entity.name.type'], [')', 'source']]],
    ['SET OF DATE-TIME', [['SET OF', 'storage.type'], ['DATE-TIME', 'storage.type']]],
    ['!abs(x)-abs(y)', [['!', 'keyword.operator'], ['abs', 'support.function'], ['(', 'source'], ['x', 'variable.other'], [')', 'source'], ['-', 'keyword.operator'], ['abs', 'support.function'], ['(', 'source'], ['y', 'variable.other'], [')', 'source']]],
    ['1..20', [['1', 'constant.numeric.integer'], ['..', 'keyword.operator'], ['20', 'constant.numeric.integer']]],
  ]) {
    assert.deepEqual(scopes(text), wanted, text);
  }
});

test('the scripts of the examples are coloured to their end', () => {
  const examples = path.join(extension, '../../examples');
  for (const example of ['msc-billing', 'tap']) {
    const folder = path.join(examples, example, 'scripts');
    for (const file of fs.readdirSync(folder).filter((file) => file.endsWith('.dup'))) {
      const text = fs.readFileSync(path.join(folder, file), 'utf8');
      const found = scopes(text);
      assert.ok(!found.some(([, scope]) => scope.startsWith('invalid')), file);
      assert.ok(found.some(([, scope]) => scope === 'entity.name.function'), file);
      assert.deepEqual(scopes('}').at(-1), found.at(-1), file);
    }
  }
});
