import assert from 'node:assert/strict';
import { VARIABLES } from '../../server/config/variables.ts';
import { listed, read } from '../support/repository-files.ts';

const RUNBOOK = 'docs/runbook.md';
const RUNNING = [RUNBOOK, 'docs/machines.md', 'docs/operations.md'];
/** The beginning of a call that logs, and how far its message may be from there. */
const LOGGING = /\.(fatal|error|warn|info)\(/g;
const FAR = 300;

const textOf = (...folders: string[]): string[] =>
  listed(...folders)
    .filter((path) => /\.tsx?$/.test(path))
    .map(read);

/** What stands between backticks, in a line or in a block of commands. */
const codeIn = (text: string): string[] =>
  [...text.matchAll(/```(?:sh|yaml)\n([\s\S]*?)```|`([^`\n]+)`/g)].map(([, block, words]) => block ?? words ?? '');

describe('the runbook', () => {
  const runbook = read(RUNBOOK);
  const sections = runbook.split('\n## ').slice(1);
  /** Each logged message's surroundings, by level; those of the sandbox and the launcher are none of the service's. */
  const logged = listed('server')
    .filter((path) => /\.ts$/.test(path) && !/^server\/(?:sandbox|launcher)\//.test(path))
    .map(read)
    .flatMap((source) => {
      const calls = [...source.matchAll(LOGGING)];
      return calls.map(({ 1: level, index }, number) => ({
        level,
        told: source.slice(index, Math.min(calls[number + 1]?.index ?? source.length, index + FAR)),
      }));
    });

  /** `…` stands for what differs. */
  const isLogged = (level: string, message: string): boolean => {
    const literals = message.endsWith('…') ? [`\`${message.slice(0, -1)}`] : [`'${message}'`, `\`${message}\``];
    return logged.some((call) => call.level === level && literals.some((literal) => call.told.includes(literal)));
  };

  it('says for each failure how it shows and what helps', () => {
    assert.ok(sections.length > 10);
    for (const section of sections)
      for (const part of ['**How it shows.**', '**What helps']) assert.ok(section.includes(part), section.slice(0, 60));
  });

  it('lists each of its sections at the top', () => {
    const [top = ''] = runbook.split('\n## ');
    const missing = sections
      .map((section) => section.split('\n')[0] ?? '')
      .filter((name) => !top.includes(`[${name}](`));
    assert.deepEqual(missing, []);
  });

  it('quotes no line that the service does not log at that level', () => {
    const lines = [...runbook.matchAll(/```log\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.trim().split('\n'));
    assert.ok(lines.length > 25);
    const unknown = lines.filter((line) => {
      const [, level = '', message = ''] = /^(\w+) +(.+)$/.exec(line) ?? [];
      return !isLogged(level, message);
    });
    assert.deepEqual(unknown, []);
  });

  it('quotes no text of a page or a command that is not there', () => {
    const sources = textOf('client', 'server', 'shared').join('\n');
    const quoted = [...runbook.matchAll(/“([^”]+)”/g)].map(([, words = '']) => words);
    assert.ok(quoted.length > 5);
    assert.deepEqual(
      quoted.filter((words) => !sources.includes(words)),
      [],
    );
  });

  it('and the pages beside it name no command that the service does not have', () => {
    const known = [...read('server/commands.ts').matchAll(/^ {4}case '([\w:-]+)':/gm)].map(([, name]) => name);
    const named = RUNNING.flatMap((path) =>
      codeIn(read(path)).flatMap((code) =>
        [...code.matchAll(/main\.js ([\w:-]+)|^((?:settings|audit):\w+|posture|migrate)\b/g)].map(
          ([, one, other]) => one ?? other,
        ),
      ),
    );
    assert.ok(named.length > 10);
    assert.deepEqual(
      named.filter((name) => !known.includes(name)),
      [],
    );
  });

  it('and the pages beside it name no variable that the service does not read', () => {
    const known = new Set<string>([...VARIABLES, 'NODE_EXTRA_CA_CERTS', 'DATABASE_URI']);
    const named = RUNNING.flatMap((path) =>
      codeIn(read(path)).flatMap((code) => code.match(/(?<![\w…])[A-Z]+(?:_[A-Z]+)+(?!\w)/g) ?? []),
    ).filter((name) => !name.startsWith('ER_'));
    assert.ok(named.length > 50);
    assert.deepEqual(
      named.filter((name) => !known.has(name)),
      [],
    );
  });
});
