import { useQuery } from '@tanstack/react-query';
import { REASON_WORDS, SIGN_IN_METHODS, SIGN_IN_OUTCOMES } from '../../../shared/sign-ins.ts';
import { useSubjectNames } from '../../api/names.ts';
import { SIGN_IN_FILTERS, type SignInFilter, signInCoverageQuery } from '../../api/sign-ins.ts';
import { formatSignInMethod } from '../../lib/sign-in-words.ts';
import { capitalised } from '../../lib/visible-text.ts';
import { choicesIn, type UseFilters } from '../../list/filters.tsx';
import { timesIn, whenFilter, whenIn } from './audit-filters.tsx';
import { textsIn } from './search-params.ts';

const ENTER = 'Press Enter to search.';
const choices = (any: string, values: readonly string[], labelOf = (value: string) => value) =>
  choicesIn({ '': any, ...Object.fromEntries(values.map((value) => [value, labelOf(value)])) });
const METHODS = choices('Any method', SIGN_IN_METHODS, (method) => capitalised(formatSignInMethod({ method })));
const OUTCOMES = choices('Any outcome', SIGN_IN_OUTCOMES, capitalised);
const REASONS = choicesIn({ '': 'Any reason', ...REASON_WORDS });

export const useSignInFilters: UseFilters = (address, changeAddress) => {
  const filter: SignInFilter = textsIn(address, SIGN_IN_FILTERS);
  const person = `identity:${filter.identity_id}` as const;
  const words = useSubjectNames(filter.identity_id ? [person] : []).get(person);
  const services = useQuery(signInCoverageQuery).data?.sources.map(({ service }) => service) ?? [];
  return {
    filters: [
      { name: 'outcome', label: 'Outcome', choices: OUTCOMES },
      { name: 'reason', label: 'Reason', choices: REASONS },
      whenFilter(filter),
      { name: 'method', label: 'Method', choices: METHODS },
      {
        name: 'ip',
        label: 'Address',
        example: '203.0.113.7',
        onEnter: `${ENTER} The audit trail records each search.`,
      },
      { name: 'identity_id', label: 'Person', example: 'ID of an identity', onEnter: ENTER, words },
      { name: 'service', label: 'Service', choices: choices('Any service', services), rare: true },
      { name: 'country', label: 'Country', example: 'NO', onEnter: `Two capital letters. ${ENTER}`, rare: true },
      { name: 'client_id', label: 'Client', example: 'ID of an OAuth2 client', onEnter: ENTER, rare: true },
    ],
    search: { ...filter, when: whenIn(filter) },
    change(values, typing) {
      const { when, ...others } = values;
      changeAddress({ ...others, ...('when' in values && timesIn(when)) }, typing);
    },
  };
};
