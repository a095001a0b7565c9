import { Button, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { memo } from 'react';
import { identitySchemasQuery } from '../../api/identity-schemas.ts';
import { identityIdIn } from '../../lib/identity-name.ts';
import { explainWords, FilterBar, type Filters, type OtherMeaning } from '../../list/filters.tsx';
import { SmallButton } from '../../ui/buttons.tsx';
import { IconArrowRight } from '../../ui/shell-icons.tsx';

const PERIODS = [
  { value: '1d', label: 'Last day' },
  { value: '7d', label: 'Last 7 days' },
  { value: '30d', label: 'Last 30 days' },
  { value: '90d', label: 'Last 90 days' },
];
const ANY_TIME = { value: '', label: 'Any time' };

const filtersWith = (schemas: readonly string[]): Filters['filters'] => [
  {
    name: 'state',
    label: 'State',
    choices: [
      { value: '', label: 'Any' },
      { value: 'active', label: 'Active' },
      { value: 'inactive', label: 'Inactive' },
    ],
  },
  { name: 'created', label: 'Created', choices: [ANY_TIME, ...PERIODS], days: true },
  {
    name: 'session',
    label: 'Last session',
    choices: [
      { value: '', label: 'Any or none' },
      ...PERIODS,
      { value: 'none-30d', label: 'None for 30 days' },
      { value: 'none-90d', label: 'None for 90 days' },
      { value: 'none', label: 'None known' },
    ],
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
    choices: [
      { value: '', label: 'Any' },
      { value: 'yes', label: 'At least one' },
      { value: 'no', label: 'None' },
    ],
  },
  {
    name: 'sort',
    label: 'Order',
    rare: true,
    choices: [
      { value: '', label: 'Newest first' },
      { value: 'created', label: 'Oldest first' },
      { value: '-updated', label: 'Most recently updated first' },
      { value: 'updated', label: 'Least recently updated first' },
      { value: 'identifier', label: 'Identifier, A to Z' },
      { value: '-identifier', label: 'Identifier, Z to A' },
      { value: '-last_session', label: 'Most recent sign-in first' },
      { value: 'last_session', label: 'Least recent sign-in first' },
    ],
  },
  { name: 'updated', label: 'Updated', rare: true, choices: [ANY_TIME, ...PERIODS], days: true },
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
