import { Button, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { memo } from 'react';
import { identitySchemasQuery } from '../../api/identity-schemas.ts';
import { identityIdIn } from '../../lib/identity-name.ts';
import { choicesIn, explainWords, FilterBar, type Filters, type OtherMeaning } from '../../list/filters.tsx';
import { SmallButton } from '../../ui/buttons.tsx';
import { IconArrowRight } from '../../ui/shell-icons.tsx';

const PERIODS = { '1d': 'Last day', '7d': 'Last 7 days', '30d': 'Last 30 days', '90d': 'Last 90 days' };
const AT_ANY_TIME = choicesIn({ '': 'Any time', ...PERIODS });

const filtersWith = (schemas: readonly string[]): Filters['filters'] => [
  { name: 'state', label: 'State', choices: choicesIn({ '': 'Any', active: 'Active', inactive: 'Inactive' }) },
  { name: 'created', label: 'Created', choices: AT_ANY_TIME, days: true },
  {
    name: 'session',
    label: 'Last session',
    choices: choicesIn({
      '': 'Any or none',
      ...PERIODS,
      'none-30d': 'None for 30 days',
      'none-90d': 'None for 90 days',
      none: 'None known',
    }),
    days: true,
  },
  {
    name: 'schema',
    label: 'Schema',
    rare: true,
    choices: [{ value: '', label: 'Any' }, ...schemas.map((id) => ({ value: id, label: id }))],
  },
  {
    name: 'verified',
    label: 'Verified address',
    rare: true,
    choices: choicesIn({ '': 'Any', yes: 'At least one', no: 'None' }),
  },
  {
    name: 'sort',
    label: 'Order',
    rare: true,
    choices: choicesIn({
      '': 'Newest first',
      created: 'Oldest first',
      '-updated': 'Most recently updated first',
      updated: 'Least recently updated first',
      identifier: 'Identifier, A to Z',
      '-identifier': 'Identifier, Z to A',
      '-last_session': 'Most recent sign-in first',
      last_session: 'Least recent sign-in first',
    }),
  },
  { name: 'updated', label: 'Updated', rare: true, choices: AT_ANY_TIME, days: true },
];

const NO_SCHEMAS: readonly string[] = [];

function useIdentityFilters(_: unknown, __: unknown, open: boolean): Filters {
  const { data: schemas = NO_SCHEMAS } = useQuery({
    ...identitySchemasQuery,
    enabled: open,
    select: ({ schemas }) => schemas.map(({ id }) => id),
  });
  return { filters: filtersWith(schemas) };
}

const route = getRouteApi('/signed-in/identities');

/**
 * Search field and filters. Memoized, since neither depends on the list.
 * @param props.plain without an index, only login identifiers are searched
 */
export const IdentitySearch = memo(function IdentitySearch({ plain }: { plain: boolean }) {
  const navigate = route.useNavigate();
  const meaning = (text: string, search: () => void): OtherMeaning | undefined => {
    const id = identityIdIn(text);
    if (id === undefined) return undefined;
    return {
      explanation: (
        <Stack gap="xs">
          This is an identity ID. Press Enter to open the identity.
          <Group gap="xs">
            <Button size="xs" type="submit" rightSection={<IconArrowRight />}>
              Open identity
            </Button>
            <SmallButton onClick={search}>Search for it instead</SmallButton>
          </Group>
        </Stack>
      ),
      onSubmit: () => void navigate({ to: '/identities/$id', params: { id } }),
    };
  };
  return (
    <FilterBar
      label={
        plain
          ? 'E-mail, username, provider:subject or identity ID'
          : 'Any part of an e-mail, username, name or other trait, or an identity ID'
      }
      explanation={plain ? explainPlain : EXPLAIN}
      meaning={meaning}
      useFilters={useIdentityFilters}
      refusal={plain ? 'Filters need the index of identities, which is off or still empty.' : undefined}
    />
  );
});

const EXPLAIN = explainWords(
  'Each word may be any part of an identifier, an address or a text trait. Order, case and accents do not matter.',
);

const explainPlain = (text: string): string =>
  `The index of identities is off or still empty, so there are no filters, and only login identifiers are searched. ${
    text.includes(':')
      ? 'Press Enter to search. A provider:subject must match as a whole, including case.'
      : 'Press Enter to search. Enter the whole login identifier, or its beginning followed by *. Case does not matter.'
  }`;
