import { type IsText, readCsv } from './read-csv.ts';
import { readNdjson } from './read-ndjson.ts';
import { type SourceRecord, type TransferFormat, textOf } from './transfer-file.ts';

/** The identities of a file, one after another; the file is never in memory as a whole. @throws TransferFileError */
export const readIdentities = (file: Blob, format: TransferFormat, isText: IsText): AsyncGenerator<SourceRecord> =>
  format === 'csv' ? readCsv(textOf(file), isText) : readNdjson(textOf(file));
