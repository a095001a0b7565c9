import type { ReactNode } from 'react';
import type { AuditRecord } from '../../shared/audit.ts';
import { useOperator } from '../api/session.ts';
import { foldSentence } from './fold-records.ts';
import { NamedLink } from './named-link.tsx';
import { useNameOf } from './operator-names.ts';
import type { NamedThing } from './record-sentence.ts';

/**
 * The sentences of these records, of one or of several as one, with links to what they name; the names are asked for in
 * one request.
 */
export function useSentences(records: readonly AuditRecord[]): (...fold: readonly AuditRecord[]) => ReactNode {
  const { identityId } = useOperator();
  const nameOf = useNameOf(records);
  return (...fold) =>
    foldSentence(fold, identityId, nameOf).map(({ text, names }, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence never change places
      <span key={index}>{names === undefined ? text : <Named text={text} names={names} />}</span>
    ));
}

/** Keeps the space before a name out of the link. */
function Named({ text, names }: { text: string; names: NamedThing }) {
  const name = text.trimStart();
  return (
    <>
      {text.slice(0, text.length - name.length)}
      <NamedLink thing={names}>{name}</NamedLink>
    </>
  );
}
