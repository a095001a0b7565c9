import type { ChainHead } from './audit-chain.ts';
import type { ChainVerdict, RecordRange } from './verify-chain.ts';

/** `SEQUENCE:TAG` as the log and an earlier verdict tell them; undefined for anything else. */
export function parsePlace(text: string): ChainHead | undefined {
  const [, sequence, tag] = /^([1-9]\d{0,14}):([\w-]{43})$/.exec(text) ?? [];
  return sequence === undefined || tag === undefined ? undefined : { sequence: Number(sequence), tag };
}

/** The verdict as `audit:verify` prints it, and of a whole trail its end, to be asked for another time. */
export function formatVerdict(verdict: ChainVerdict): string {
  if (!verdict.ok) return `The audit trail is broken at record ${verdict.sequence}: ${verdict.problem}\n`;
  const { records, byDigest, head } = verdict;
  const lines = [`The audit trail is whole: ${records} records.`];
  if (byDigest.length > 0)
    lines.push(`By the digest of a later anchor: ${byDigest.map(inWords).join(', ')}. By their key: all others.`);
  if (records > 0) lines.push(`Its last record is ${head.sequence}:${head.tag}`);
  return `${lines.join('\n')}\n`;
}

const inWords = ([from, to]: RecordRange): string => (from === to ? `${from}` : `${from} to ${to}`);
