import { memo } from 'react';
import { SEARCH_MAX_CHARACTERS } from '../../../../shared/identities.ts';
import { explainWords, FilterBar } from '../../../resource/list/filter-bar.tsx';

/** Memoized, since it does not depend on the list. @param plain there is no index: only whole names and owners match */
export const ClientSearch = memo(({ plain }: { plain: boolean }) => (
  <FilterBar
    label="Any part of name, owner or client id"
    maxCharacters={SEARCH_MAX_CHARACTERS}
    explanation={plain ? () => EXPLAIN_PLAIN : EXPLAIN}
    refusal={plain ? 'There is no index of clients now.' : undefined}
  />
));

const EXPLAIN = explainWords(
  'Finds each word in any part of a name, an owner or a client id. Order, case and accents do not matter.',
);
const EXPLAIN_PLAIN =
  'The index of clients is off, or has read nothing yet. Press Enter to search. The whole name or owner must match, including case.';
