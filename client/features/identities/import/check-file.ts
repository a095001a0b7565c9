import { type FileReading, readIdentities } from '../transfer/read-identities.ts';
import type { SourceRecord } from '../transfer/transfer-file.ts';
import type { CheckedIdentity, IdentityChecker } from './check-identity.ts';

/** Lets the page render a frame in between. */
const WORK_MS = 12;
const CHECKED_TOGETHER = 250;

/** Reads and checks the identities of a file; can be called repeatedly. @throws TransferFileError */
export async function* checkFile(
  file: Blob,
  reading: FileReading,
  checker: IdentityChecker,
): AsyncGenerator<CheckedIdentity> {
  const withDuplicates = checker.duplicates();
  let records: SourceRecord[] = [];
  let since = performance.now();
  for await (const record of readIdentities(file, reading, checker.columns)) {
    records.push(record);
    const pause = performance.now() - since >= WORK_MS;
    if (records.length < CHECKED_TOGETHER && !pause) continue;
    for (const checked of await checker.check(records)) yield withDuplicates(checked);
    records = [];
    if (!pause) continue;
    await new Promise((resolve) => setTimeout(resolve));
    since = performance.now();
  }
  for (const checked of await checker.check(records)) yield withDuplicates(checked);
}
