import { digits } from '../../../format/counted.ts';
import { formatLeast } from '../../../format/sample.ts';
import { Note } from '../../../ui/feedback/note.tsx';
import type { SessionPage } from '../session-queries.ts';

/** How many sessions a place has, how many of them are listed, and how old that is. */
export function LocatedNote({ located }: { located: NonNullable<SessionPage['located']> }) {
  const { total, listed, truncated, asOf, clockAheadMs } = located;
  const all = formatLeast(truncated, digits(total));
  return (
    <Note
      of={listed < total ? `The latest ${digits(listed)} of ${all}` : `${all} in total`}
      asOf={asOf}
      clockAheadMs={clockAheadMs}
    />
  );
}
