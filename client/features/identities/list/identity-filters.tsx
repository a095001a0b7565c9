import { useQuery } from '@tanstack/react-query';
import { identitySchemasQuery } from '../../../api/identity-schemas.ts';
import type { FiltersProps } from '../../../resource/list/filter-bar.tsx';
import type { Filter } from '../../../resource/search/filter-panel.tsx';
import { Filters } from '../../../resource/search/filters.tsx';
import { describeFilters } from '../describe-filters.ts';
import { parseIdentitiesSearch } from '../identity-question.ts';

const PERIODS = [
  { value: '1d', label: 'Last day' },
  { value: '7d', label: 'Last 7 days' },
  { value: '30d', label: 'Last 30 days' },
  { value: '90d', label: 'Last 90 days' },
];
const ANY_TIME = { value: '', label: 'Any time' };

const filtersWith = (schemas: readonly string[]): readonly Filter[] => [
  {
    name: 'state',
    label: 'State',
    choices: [
      { value: '', label: 'Any' },
      { value: 'active', label: 'Active' },
      { value: 'inactive', label: 'Inactive' },
    ],
  },
  {
    name: 'schema',
    label: 'Schema',
    choices: [{ value: '', label: 'Any' }, ...schemas.map((id) => ({ value: id, label: id }))],
  },
  {
    name: 'verified',
    label: 'Verified address',
    choices: [
      { value: '', label: 'With or without' },
      { value: 'yes', label: 'At least one' },
      { value: 'no', label: 'None' },
    ],
  },
  {
    name: 'sort',
    label: 'Order',
    choices: [
      { value: '', label: 'Newest first' },
      { value: 'created', label: 'Oldest first' },
      { value: '-updated', label: 'Last updated first' },
      { value: 'updated', label: 'Last updated last' },
      { value: 'identifier', label: 'Identifier, A to Z' },
      { value: '-identifier', label: 'Identifier, Z to A' },
      { value: '-last_session', label: 'Last sign-in first' },
      { value: 'last_session', label: 'Last sign-in last' },
    ],
  },
  { name: 'created', label: 'Created', choices: [ANY_TIME, ...PERIODS], days: true },
  { name: 'updated', label: 'Updated', choices: [ANY_TIME, ...PERIODS], days: true },
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
];

const NO_SCHEMAS: readonly string[] = [];

/** The schemas are those that the identity service knows; while they cannot be read, only that of the address. */
export function IdentityFilters(props: FiltersProps) {
  const { data: schemas = NO_SCHEMAS } = useQuery({
    ...identitySchemasQuery,
    enabled: props.open,
    select: (known) => known.schemas.map(({ id }) => id),
  });
  const chips = describeFilters(parseIdentitiesSearch(props.search)).filter(({ name }) => name !== 'q');
  return <Filters {...props} chips={chips} filters={filtersWith(schemas)} />;
}
