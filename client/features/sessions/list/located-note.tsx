import type { SessionPage } from '../../../api/sessions.ts';
import { digits } from '../../../ui/counted.ts';
import { Note } from '../../../ui/note.tsx';
import { leastInWords } from '../../../ui/sample-in-words.ts';

/** How many a circle has, of which the latest are listed, and how old that is. */
export function LocatedNote({ located }: { located: NonNullable<SessionPage['located']> }) {
  const { total, listed, truncated, asOf, clockAheadMs } = located;
  const all = leastInWords(truncated, digits(total));
  return (
    <Note
      of={listed < total ? `The latest ${digits(listed)} of ${all}` : `${all} in total`}
      asOf={asOf}
      clockAheadMs={clockAheadMs}
    />
  );
}
