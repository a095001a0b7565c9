import type { Diagnosed, Diagnosis } from './diagnose.ts';

const WIDTH = 100;
const STATUS_COLUMN = 9;
const TITLE_COLUMN = 34;
const TEXT_WIDTH = WIDTH - STATUS_COLUMN - TITLE_COLUMN;

/** What is worst comes first. */
const KINDS: [word: string, is: (check: Diagnosed) => boolean][] = [
  ['LOCKED', ({ status, locksOut }) => status === 'fail' && locksOut === true],
  ['OPEN', ({ status, locksOut }) => status === 'fail' && locksOut !== true],
  ['warning', ({ status }) => status === 'warn'],
  ['unknown', ({ status }) => status === 'unknown'],
  ['ok', ({ status }) => status === 'pass'],
];
const CONCLUSIONS: Record<Diagnosis['exitCode'], string> = {
  0: 'Nothing keeps operators out, and nothing is open.',
  1: 'Something keeps operators out: see LOCKED.',
  2: 'Operators can sign in, and something is open or about to fail: see OPEN.',
};

/** A table for a terminal of 100 columns: what is wrong, what to do about it, and the line to type. */
export function printedDiagnosis({ checks, exitCode }: Diagnosis): string {
  const rows = KINDS.flatMap(([word, is]) => checks.filter(is).map((check) => row(word, check)));
  return `${rows.join('')}\n${CONCLUSIONS[exitCode]}\n`;
}

/** For programs: the same, complete. */
export const diagnosisAsJson = ({ checks, exitCode }: Diagnosis): string =>
  `${JSON.stringify({ exit_code: exitCode, checks: checks.map(asJson) }, null, 2)}\n`;

const asJson = ({ id, title, status, detail, action, commands = [], locksOut }: Diagnosed) => ({
  id,
  title,
  status,
  locks_out: locksOut === true,
  detail,
  action: status === 'pass' ? null : action,
  commands,
});

function row(word: string, { title, status, detail, action, commands = [] }: Diagnosed): string {
  const texts = status === 'pass' ? wrapped(detail) : [...wrapped(detail), ...wrapped(`→ ${action}`)];
  const titles = wrapped(title, TITLE_COLUMN - 2);
  const lines = Array.from({ length: Math.max(texts.length, titles.length) }, (_, index) => {
    const start = (index === 0 ? word : '').padEnd(STATUS_COLUMN) + (titles[index] ?? '').padEnd(TITLE_COLUMN);
    return (start + (texts[index] ?? '')).trimEnd();
  });
  // Not wrapped: they are copied.
  const typed = status === 'pass' ? [] : commands.map((command) => `${' '.repeat(STATUS_COLUMN)}$ ${command}`);
  return [...lines, ...typed].map((line) => `${line}\n`).join('');
}

function wrapped(text: string, width = TEXT_WIDTH): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
