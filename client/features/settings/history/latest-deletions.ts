import type { AuditRecord } from '../../../../shared/audit.ts';

/** Of each setting its last deletion. @param records deletions, newest first */
export function latestDeletions(records: readonly AuditRecord[]): (AuditRecord & { target: string })[] {
  const seen = new Set<string>();
  return records.filter((record): record is AuditRecord & { target: string } => {
    const { target } = record;
    if (target === null || seen.has(target)) return false;
    seen.add(target);
    return true;
  });
}
