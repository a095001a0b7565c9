import { Fieldset, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { SEARCH_MAX_CHARACTERS } from '../../shared/identities.ts';
import { DateField } from '../ui/date-field.tsx';
import { useResettingState } from '../ui/hooks.tsx';
import classes from './list.module.css';
import { type ChangeSearch, useTypedSearch } from './search.tsx';

/** A search parameter that is chosen. The empty value is no filter. */
interface ChosenFilter {
  name: string;
  label: string;
  choices: readonly { value: string; label: string }[];
  /** Two days are a choice, too: `2026-01-01..2026-02-01`, of which either may be missing. */
  days?: true;
}

/** A search parameter that is typed. */
interface TypedFilter {
  name: string;
  label: string;
  example: string;
}

export type Filter = ChosenFilter | TypedFilter;

/** Labels a value that is in the address, but not among the choices. */
type LabelOf = (filter: ChosenFilter, value: string) => string;

/** A choice is searched for at once, text after a pause. */
export function FilterPanel(props: {
  id: string;
  filters: readonly Filter[];
  search: Record<string, unknown>;
  labelOf: LabelOf;
  change: ChangeSearch;
  onClose: () => void;
}) {
  const { filters, labelOf } = props;
  const panel = useRef<HTMLFieldSetElement>(null);
  useEffect(() => panel.current?.querySelector('select')?.focus(), []);
  return (
    <Fieldset
      id={props.id}
      ref={panel}
      className={classes.panel}
      legend={filters.some(({ name }) => name === 'sort') ? 'Filter and order' : 'Filter'}
      onKeyDown={({ key }) => key === 'Escape' && props.onClose()}
    >
      {filters.map((filter) => {
        const { name, label } = filter;
        const value = String(props.search[name] ?? '');
        const change = (chosen: string, typing?: boolean): void =>
          props.change({ [name]: chosen || undefined }, typing);
        if ('example' in filter) return <Typed key={name} filter={filter} value={value} change={change} />;
        return filter.days ? (
          <Period key={name} filter={filter} value={value} labelOf={labelOf} change={change} />
        ) : (
          <NativeSelect
            key={name}
            size="xs"
            label={label}
            value={value}
            data={withValue(filter, value, labelOf)}
            onChange={({ currentTarget }) => change(currentTarget.value)}
          />
        );
      })}
    </Fieldset>
  );
}

function Typed(props: { filter: TypedFilter; value: string; change: (value: string, typing: boolean) => void }) {
  const { label, example } = props.filter;
  const [text, type, searchNow] = useTypedSearch(props.value, props.change, () => false);
  return (
    <TextInput
      size="xs"
      label={label}
      placeholder={example}
      maxLength={SEARCH_MAX_CHARACTERS}
      autoComplete="off"
      spellCheck={false}
      value={text}
      onChange={({ currentTarget }) => type(currentTarget.value)}
      onKeyDown={({ key }) => key === 'Enter' && searchNow(text)}
    />
  );
}

const DAYS = '..';
const BETWEEN = { value: DAYS, label: 'Between days…' };

function Period(props: { filter: ChosenFilter; value: string; labelOf: LabelOf; change: (value: string) => void }) {
  const { filter, value, change } = props;
  const isDays = value.includes(DAYS);
  // The fields stay while no day is in the address.
  const [between, setBetween] = useState(isDays);
  const { choices } = filter;
  const data = isDays ? choices : withValue(filter, value, props.labelOf);
  return (
    <div>
      <NativeSelect
        size="xs"
        label={filter.label}
        value={isDays || between ? DAYS : value}
        data={[...data, BETWEEN]}
        onChange={({ currentTarget: { value: chosen } }) => {
          setBetween(chosen === DAYS);
          change(chosen === DAYS ? '' : chosen);
        }}
      />
      {(isDays || between) && <Days of={filter.label} value={isDays ? value : DAYS} change={change} />}
    </div>
  );
}

/** The first and the last day, in the operator's time zone. */
function Days({ of, value, change }: { of: string; value: string; change: (value: string) => void }) {
  const [days, setDays] = useResettingState(value.split(DAYS), value);
  const [from = '', to = ''] = days;
  const isReversed = from !== '' && to !== '' && from > to;
  const set = (first: string, last: string): void => {
    setDays([first, last]);
    // The address takes no other years.
    const isValid = [first, last].every((day) => day === '' || /^[12]/.test(day));
    if (isValid && !(first > last && last !== '')) change(first + last === '' ? '' : `${first}${DAYS}${last}`);
  };
  return (
    <Stack gap="xs" mt="xs" role="group" aria-label={of}>
      <DateField
        size="xs"
        label="First day"
        value={from}
        error={isReversed && 'After the last day'}
        onChange={(day) => set(day, to)}
      />
      <DateField size="xs" label="Last day" value={to} onChange={(day) => set(from, day)} />
    </Stack>
  );
}

const withValue = (filter: ChosenFilter, value: string, labelOf: LabelOf) =>
  filter.choices.some((choice) => choice.value === value)
    ? filter.choices
    : [...filter.choices, { value, label: labelOf(filter, value) }];
