import { NoMatch, type Offer } from '../../../resource/search/no-match.tsx';
import { needsIndex, pointIn, type SessionsSearch } from '../session-question.ts';

/**
 * Shown when a search finds nothing.
 * @param words what it asks for
 * @param refused there is no index that could answer
 * @param complete the answer knows of all sessions
 */
export function NoSessionMatches(props: {
  search: SessionsSearch;
  words: string;
  refused: boolean;
  complete: boolean;
}) {
  const { search, words } = props;
  const { q, device, active, page_size } = search;
  const point = pointIn({ ...search });
  const offers: readonly (Offer | false)[] = [
    active !== undefined &&
      !props.refused && {
        label: 'Include ended sessions',
        to: { search: { ...search, active: undefined } },
        first: true,
      },
    (device !== undefined || point !== undefined) && { label: 'Clear the filters', to: { search: { q, page_size } } },
    q !== undefined && { label: 'Show the sessions of everybody', to: { search: { ...search, q: undefined } } },
  ];
  if (props.refused)
    return (
      <NoMatch
        title="Sessions cannot be searched now"
        text={`The index is off, or has read nothing yet: no sessions of a person, a device or a place are found. Asked for: ${words}.`}
        offers={offers}
      />
    );
  if (!needsIndex(search))
    return (
      <NoMatch title="No active sessions" text="Nobody is signed in. There may be ended sessions." offers={offers} />
    );
  return (
    <NoMatch
      title="No sessions match"
      text={`Asked for: ${words}. ${reasonOf(point !== undefined, props.complete)}`}
      offers={offers}
    />
  );
}

function reasonOf(ofPlace: boolean, complete: boolean): string {
  if (!complete) return 'The sessions are still being read.';
  return ofPlace
    ? 'They may have ended since the map was loaded, or the link is too old.'
    : 'A session that began a moment ago may not be found yet.';
}
