import { isObject } from '../../../json-object.ts';
import { parseExactJson } from './exact-json.ts';
import { type SourceRecord, TransferFileError } from './transfer-file.ts';

/** One JSON object on each line; empty lines count but are nothing. */
export async function* readNdjson(text: AsyncIterable<string>): AsyncGenerator<SourceRecord> {
  let rest = '';
  let line = 0;
  for await (const piece of text) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const content of lines) {
      line += 1;
      if (content.trim() !== '') yield recordOf(content, line);
    }
  }
  if (rest.trim() !== '') yield recordOf(rest, line + 1);
}

function recordOf(content: string, line: number): SourceRecord {
  if (line === 1 && content.trimStart().startsWith('['))
    throw new TransferFileError(
      'This file holds one JSON array. Write each identity as one JSON object on a line of its own.',
    );
  try {
    const members = parseExactJson(content);
    if (isObject(members)) return { line, members };
    return { line, problem: 'This line is not a JSON object.' };
  } catch {
    return { line, problem: 'This line is not JSON.' };
  }
}
