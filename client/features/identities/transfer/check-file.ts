import type { CheckedIdentity, IdentityChecker } from './check-identity.ts';
import { readIdentities } from './read-identities.ts';
import type { TransferFormat } from './transfer-file.ts';

/** The page shows a frame in between. */
const WORK_MS = 12;

/** The identities of a file, read and checked; the file can be gone through as often as needed. @throws TransferFileError */
export async function* checkFile(
  file: Blob,
  format: TransferFormat,
  checker: IdentityChecker,
): AsyncGenerator<CheckedIdentity> {
  let since = performance.now();
  for await (const record of readIdentities(file, format, checker.isText)) {
    yield checker.check(record);
    if (performance.now() - since < WORK_MS) continue;
    await new Promise((resolve) => setTimeout(resolve));
    since = performance.now();
  }
}
