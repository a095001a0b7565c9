import type { ColumnMapping } from './csv-columns.ts';
import { readCsv } from './read-csv.ts';
import { readNdjson } from './read-ndjson.ts';
import type { ColumnKnowledge } from './trait-columns.ts';
import { type SourceRecord, type TransferFormat, textOf } from './transfer-file.ts';

export interface FileReading {
  format: TransferFormat;
  /** For a CSV file whose first line does not name our columns. */
  mapping?: ColumnMapping | undefined;
}

/** Streams the identities of a file, which is never in memory as a whole. @throws TransferFileError */
export const readIdentities = (
  file: Blob,
  { format, mapping }: FileReading,
  known: ColumnKnowledge,
): AsyncGenerator<SourceRecord> =>
  format === 'csv' ? readCsv(textOf(file), known, mapping) : readNdjson(textOf(file));
