import { type CsvReading, readBeginning, readCsv } from './read-csv.ts';
import { type MemberReading, memberTable, readNdjson } from './read-ndjson.ts';
import type { NamesIn, TableBeginning } from './table-head.ts';
import type { ColumnKnowledge } from './trait-columns.ts';
import { type SourceRecord, type TransferFormat, textOf } from './transfer-file.ts';

export interface FileReading extends CsvReading, MemberReading {
  format: TransferFormat;
}

/** Streams the identities of a file, which is never in memory as a whole. @throws TransferFileError */
export const readIdentities = (
  file: Blob,
  { format, ...reading }: FileReading,
  known: ColumnKnowledge,
): AsyncGenerator<SourceRecord> =>
  format === 'csv' ? readCsv(textOf(file), known, reading) : readNdjson(textOf(file), known, reading);

/** What the columns of a file are called, and what stands in them. */
export interface FileBeginning extends TableBeginning {
  /** Undefined for members of JSON, which have their names with them. */
  names?: NamesIn;
}

/** Undefined for NDJSON of this dashboard. @throws TransferFileError */
export const beginningOf = (
  file: Blob,
  format: TransferFormat,
  names: NamesIn | undefined,
): Promise<FileBeginning | undefined> =>
  format === 'csv' ? readBeginning(textOf(file), names) : memberTable(textOf(file));
