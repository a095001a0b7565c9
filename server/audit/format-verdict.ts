import type { ChainHead } from './audit-chain.ts';
import type { ChainVerdict, RecordRange } from './verify-chain.ts';

/** Parses `SEQUENCE:TAG`, as the log and earlier verdicts print it; undefined for anything else. */
export function parsePlace(text: string): ChainHead | undefined {
  const [, sequence, tag] = /^([1-9]\d{0,14}):([\w-]{43})$/.exec(text) ?? [];
  return sequence === undefined || tag === undefined ? undefined : { sequence: Number(sequence), tag };
}

/** The inverse of `parsePlace`. */
export const formatPlace = ({ sequence, tag }: ChainHead): string => `${sequence}:${tag}`;

/** Whether the trail is intact and contains the expected record, or that was the last one to be pruned. */
export const isAsExpected = (verdict: ChainVerdict, expected?: ChainHead): boolean =>
  verdict.ok && (expected === undefined || expected.sequence >= verdict.start.sequence);

/** The output of `audit:verify`. For an intact trail it includes the last record, to be passed to a later run. */
export function formatVerdict(verdict: ChainVerdict, expected?: ChainHead): string {
  if (!verdict.ok) return `The audit trail is broken at record ${verdict.sequence}: ${verdict.problem}\n`;
  const { records, byDigest, start, leftOver, head } = verdict;
  const lines = [`The audit trail is intact: ${records} records.`];
  if (byDigest.length > 0)
    lines.push(
      `Verified by the digest of a later anchor: ${byDigest.map(formatRange).join(', ')}. Verified by their key: all others.`,
    );
  if (start.sequence > 0) lines.push(`Pruned: all records up to ${formatPlace(start)}`);
  if (leftOver) lines.push('Some of these are still stored: repeat audit:prune to remove them.');
  if (records > 0) lines.push(`Its last record is ${formatPlace(head)}`);
  if (expected !== undefined && !isAsExpected(verdict, expected))
    lines.push(`Record ${expected.sequence} was pruned, so it cannot be checked: look for it in an export.`);
  return `${lines.join('\n')}\n`;
}

const formatRange = ([from, to]: RecordRange): string => (from === to ? `${from}` : `${from} to ${to}`);
