import { Fieldset, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { SEARCH_MAX_CHARACTERS } from '../../shared/identities.ts';
import { DateField } from '../ui/date-field.tsx';
import { useResettingState } from '../ui/hooks.tsx';
import classes from './list.module.css';
import { type ChangeSearch, useTypedSearch } from './search.tsx';

/** A filter: either a choice or a text field. */
export type Filter = { name: string; label: string } & (
  | {
      /** The empty value means no filter. */
      choices: Choices;
      /** Also offers dates: `2026-01-01..2026-02-01`, either of which may be absent. */
      days?: true;
    }
  | { example: string }
);

type Choices = readonly { value: string; label: string }[];

/** Choices apply at once, text after a pause. */
export function FilterPanel(props: {
  id: string;
  filters: readonly Filter[];
  /** The active filters, in words. */
  chips: readonly { name: string; label: string }[];
  search: Record<string, unknown>;
  change: ChangeSearch;
  onClose: () => void;
}) {
  const { filters } = props;
  const panel = useRef<HTMLFieldSetElement>(null);
  useEffect(() => panel.current?.querySelector('select')?.focus(), []);
  return (
    <Fieldset
      id={props.id}
      ref={panel}
      className={classes.panel}
      px="sm"
      py={8}
      mx={0}
      fz="sm"
      mt="sm"
      maw="52rem"
      legend={filters.some(({ name }) => name === 'sort') ? 'Filter and order' : 'Filter'}
      onKeyDown={({ key }) => key === 'Escape' && props.onClose()}
    >
      {filters.map((filter) => {
        const { name, label } = filter;
        const value = String(props.search[name] ?? '');
        const change = (chosen: string, typing?: boolean): void =>
          props.change({ [name]: chosen || undefined }, typing);
        const shared = { label, value, change };
        if ('example' in filter) return <Typed key={name} example={filter.example} {...shared} />;
        const isListed =
          (filter.days && value.includes(DAYS)) || filter.choices.some((choice) => choice.value === value);
        // The URL may contain a value that is not among the choices.
        const choices = isListed
          ? filter.choices
          : [...filter.choices, { value, label: props.chips.find((chip) => chip.name === name)?.label ?? value }];
        return filter.days ? (
          <Period key={name} choices={choices} {...shared} />
        ) : (
          <NativeSelect
            key={name}
            size="xs"
            label={label}
            value={value}
            data={choices}
            onChange={({ currentTarget }) => change(currentTarget.value)}
          />
        );
      })}
    </Fieldset>
  );
}

interface FieldProps {
  label: string;
  value: string;
  change: (value: string, typing?: boolean) => void;
}

function Typed(props: FieldProps & { example: string }) {
  const [text, type, searchNow] = useTypedSearch(props.value, props.change, () => false);
  return (
    <TextInput
      size="xs"
      label={props.label}
      placeholder={props.example}
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

function Period({ label, value, change, choices }: FieldProps & { choices: Choices }) {
  const isDays = value.includes(DAYS);
  // Shows the date fields before the URL contains any date.
  const [between, setBetween] = useState(isDays);
  return (
    <div>
      <NativeSelect
        size="xs"
        label={label}
        value={isDays || between ? DAYS : value}
        data={[...choices, BETWEEN]}
        onChange={({ currentTarget: { value: chosen } }) => {
          setBetween(chosen === DAYS);
          change(chosen === DAYS ? '' : chosen);
        }}
      />
      {(isDays || between) && <Days label={label} value={isDays ? value : DAYS} change={change} />}
    </div>
  );
}

/** First and last day, in the operator's time zone. */
function Days({ label, value, change }: FieldProps) {
  const [days, setDays] = useResettingState(value.split(DAYS), value);
  const [from = '', to = ''] = days;
  const isReversed = from !== '' && to !== '' && from > to;
  const set = (first: string, last: string): void => {
    setDays([first, last]);
    // The URL accepts years from 1000 to 2999 only.
    const isValid = [first, last].every((day) => day === '' || /^[12]/.test(day));
    if (isValid && !(first > last && last !== '')) change(first + last === '' ? '' : `${first}${DAYS}${last}`);
  };
  return (
    <Stack gap="xs" mt="xs" role="group" aria-label={label}>
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
