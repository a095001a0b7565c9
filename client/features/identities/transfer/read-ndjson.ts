import { isObject } from '../../../../shared/json.ts';
import { parseExactJson } from '../../../lib/exact-json.ts';
import { expectRow, ROW_MAX_CHARACTERS, type SourceRecord, TransferFileError } from './transfer-file.ts';

/** Reads one JSON object per line; empty lines are counted but skipped. */
export async function* readNdjson(text: AsyncIterable<string>): AsyncGenerator<SourceRecord> {
  let rest = '';
  let line = 0;
  for await (const piece of text) {
    const lines = piece.split('\n');
    lines[0] = rest + lines[0];
    rest = lines.pop() ?? '';
    for (const content of lines) {
      line += 1;
      if (line === 1) expectRow(content);
      if (content.trim() !== '') yield recordOf(content, line);
    }
    if (line === 0) {
      expectNoArray(rest);
      expectRow(rest);
    } else if (rest.length > ROW_MAX_CHARACTERS) throw new TransferFileError(`Line ${line + 1} is longer than 4 MB.`);
  }
  if (rest.trim() !== '') yield recordOf(rest, line + 1);
}

function expectNoArray(content: string): void {
  if (/^\s*\[/.test(content))
    throw new TransferFileError(
      'This file holds one JSON array. Write each identity as one JSON object on a line of its own.',
    );
}

function recordOf(content: string, line: number): SourceRecord {
  if (line === 1) expectNoArray(content);
  try {
    const members = parseExactJson(content);
    if (isObject(members)) return { line, members };
    return { line, problem: 'This line is not a JSON object.' };
  } catch {
    return { line, problem: 'This line is not JSON.' };
  }
}
