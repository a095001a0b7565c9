import { memo } from 'react';
import { SEARCH_MAX_CHARACTERS } from '../../../../shared/identities.ts';
import { explainWords, FilterBar } from '../../../resource/list/filter-bar.tsx';
import { needsIndex, type SessionsSearch } from '../session-question.ts';
import { SessionFilters } from './session-filters.tsx';

const FILTERS = {
  areSet: ({ q: _, ...search }: SessionsSearch) => search.active !== undefined || needsIndex(search),
  component: SessionFilters,
};

/** The person and the filters. Memoized, since they do not depend on the list. */
export const SessionSearch = memo(() => (
  <FilterBar
    label="Person: any part of a name, an e-mail or another trait"
    maxCharacters={SEARCH_MAX_CHARACTERS}
    explanation={EXPLAIN}
    filters={FILTERS}
    refusal={undefined}
  />
));

const EXPLAIN = explainWords(
  'Each word is any part of what is known about a person. The audit trail records each search.',
);
