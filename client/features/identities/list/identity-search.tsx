import { Button, Group } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { memo } from 'react';
import { SEARCH_MAX_CHARACTERS } from '../../../../shared/identities.ts';
import { identityIdIn } from '../../../format/identity-id.ts';
import { explainWords, FilterBar, type OtherMeaning } from '../../../resource/list/filter-bar.tsx';
import { IconArrowRight } from '../../../ui/icons.ts';
import { needsIndex } from '../identity-question.ts';
import { IdentityFilters } from './identity-filters.tsx';

const route = getRouteApi('/signed-in/identities');

const FILTERS = {
  areSet: needsIndex,
  component: IdentityFilters,
};

/**
 * Search and filters. Memoized, since they do not depend on the list.
 * @param plain there is no index: only login identifiers are searched
 */
export const IdentitySearch = memo(function IdentitySearch({ plain }: { plain: boolean }) {
  const navigate = route.useNavigate();
  const meaning = (text: string, look: () => void): OtherMeaning | undefined => {
    const id = identityIdIn(text);
    if (id === undefined) return undefined;
    return {
      explanation: (
        <Group gap={6}>
          This is an identity id. Press Enter to open the identity.
          <Button size="compact-xs" variant="default" onClick={look}>
            Search for it instead
          </Button>
        </Group>
      ),
      submit: (
        <Button type="submit" rightSection={<IconArrowRight />}>
          Open identity
        </Button>
      ),
      onSubmit: () => void navigate({ to: '/identities/$id', params: { id } }),
    };
  };
  return (
    <FilterBar
      label={
        plain
          ? 'E-mail, username, provider:subject or identity id'
          : 'Any part of an e-mail, username, name or other trait, or an identity id'
      }
      maxCharacters={SEARCH_MAX_CHARACTERS}
      explanation={plain ? explainPlain : EXPLAIN}
      meaning={meaning}
      filters={FILTERS}
      refusal={plain ? 'There is no index of identities now.' : undefined}
    />
  );
});

const EXPLAIN = explainWords(
  'Finds each word in any part of an identifier, an address or a text trait. Order, case and accents do not matter.',
);

const explainPlain = (text: string): string =>
  `The index of identities is off, or has read nothing yet: there are no filters, and only login identifiers are searched. ${
    text.includes(':')
      ? 'Press Enter to search. A provider:subject must match as a whole, including case.'
      : 'Press Enter to search. The whole login identifier must match, or with * at the end only its beginning. Case does not matter.'
  }`;
