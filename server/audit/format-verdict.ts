import type { ChainHead } from './audit-chain.ts';
import type { ChainVerdict, RecordRange } from './verify-chain.ts';

/** Parses `SEQUENCE:TAG`, as the log and earlier verdicts print it; undefined for anything else. */
export function parsePlace(text: string): ChainHead | undefined {
  const [, sequence, tag] = /^([1-9]\d{0,14}):([\w-]{43})$/.exec(text) ?? [];
  return sequence === undefined || tag === undefined ? undefined : { sequence: Number(sequence), tag };
}

/** The output of `audit:verify`. For an intact trail it includes the last record, to be passed to a later run. */
export function formatVerdict(verdict: ChainVerdict): string {
  if (!verdict.ok) return `The audit trail is broken at record ${verdict.sequence}: ${verdict.problem}\n`;
  const { records, byDigest, head } = verdict;
  const lines = [`The audit trail is intact: ${records} records.`];
  if (byDigest.length > 0)
    lines.push(
      `Verified by the digest of a later anchor: ${byDigest.map(formatRange).join(', ')}. Verified by their key: all others.`,
    );
  if (records > 0) lines.push(`Its last record is ${head.sequence}:${head.tag}`);
  return `${lines.join('\n')}\n`;
}

const formatRange = ([from, to]: RecordRange): string => (from === to ? `${from}` : `${from} to ${to}`);
