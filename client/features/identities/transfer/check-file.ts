import type { CheckedIdentity, IdentityChecker } from './check-identity.ts';
import { type FileReading, readIdentities } from './read-identities.ts';

/** The page shows a frame in between. */
const WORK_MS = 12;

/** The identities of a file, read and checked; the file can be gone through as often as needed. @throws TransferFileError */
export async function* checkFile(
  file: Blob,
  reading: FileReading,
  checker: IdentityChecker,
): AsyncGenerator<CheckedIdentity> {
  const withDuplicates = checker.duplicates();
  let since = performance.now();
  for await (const record of readIdentities(file, reading, checker.columns)) {
    yield withDuplicates(checker.check(record));
    if (performance.now() - since < WORK_MS) continue;
    await new Promise((resolve) => setTimeout(resolve));
    since = performance.now();
  }
}
