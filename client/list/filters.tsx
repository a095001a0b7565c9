import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { SEARCH_MAX_CHARACTERS } from '../../shared/identities.ts';
import { DateField } from '../ui/date-field.tsx';
import { useResettingState } from '../ui/hooks.tsx';
import { IconX } from '../ui/shell-icons.tsx';
import type { FiltersProps } from './filter-bar.tsx';
import classes from './list.module.css';
import { useTypedSearch } from './search.tsx';

interface Choice {
  value: string;
  label: string;
}

/** A search parameter that is chosen. The choice with an empty value stands for none. */
interface ChosenFilter {
  name: string;
  label: string;
  choices: readonly Choice[];
  /** Two days are a choice, too: `2026-01-01..2026-02-01`, of which either may be missing. */
  days?: true;
}

/** A search parameter that is typed; the example stands in the empty field. */
interface TypedFilter {
  name: string;
  label: string;
  example: string;
}

export type Filter = ChosenFilter | TypedFilter;

/** Names a value that no choice has, but the address. */
type NameOf = (filter: ChosenFilter, value: string) => string;

type PanelProps = Pick<FiltersProps, 'id' | 'search' | 'onChange'> & { filters: readonly Filter[]; nameOf: NameOf };

/** The panel of a list's filters; each choice is asked for at once, text once nobody types any more. */
export function FilterPanel({ id, search, filters, nameOf, onChange }: PanelProps) {
  const panel = useRef<HTMLFieldSetElement>(null);
  useEffect(() => panel.current?.querySelector('select')?.focus(), []);
  return (
    <fieldset id={id} ref={panel} className={classes.panel}>
      <legend>{filters.some(({ name }) => name === 'sort') ? 'Filter and order' : 'Filter'}</legend>
      {filters.map((filter) => {
        const { name, label } = filter;
        const value = String(search[name] ?? '');
        const change = (chosen: string, typing?: boolean): void => onChange({ [name]: chosen || undefined }, typing);
        if ('example' in filter) return <Typed key={name} filter={filter} value={value} change={change} />;
        return filter.days ? (
          <Period key={name} filter={filter} value={value} nameOf={nameOf} change={change} />
        ) : (
          <NativeSelect
            key={name}
            size="xs"
            label={label}
            value={value}
            data={withValue(filter, value, nameOf)}
            onChange={({ currentTarget }) => change(currentTarget.value)}
          />
        );
      })}
    </fieldset>
  );
}

function Typed(props: { filter: TypedFilter; value: string; change: (value: string, typing: boolean) => void }) {
  const { label, example } = props.filter;
  const [text, type, lookNow] = useTypedSearch(props.value, props.change, () => false);
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
      onKeyDown={({ key }) => key === 'Enter' && lookNow(text)}
    />
  );
}

const DAYS = '..';
const BETWEEN: Choice = { value: DAYS, label: 'Between days…' };

function Period(props: { filter: ChosenFilter; value: string; nameOf: NameOf; change: (value: string) => void }) {
  const { filter, value, change } = props;
  const isDays = value.includes(DAYS);
  // The fields stay while their days are typed anew.
  const [between, setBetween] = useState(isDays);
  const { choices } = filter;
  const data = isDays ? choices : withValue(filter, value, props.nameOf);
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
    // The address holds no other years.
    const isKnown = [first, last].every((day) => day === '' || /^[12]/.test(day));
    if (isKnown && !(first > last && last !== '')) change(first + last === '' ? '' : `${first}${DAYS}${last}`);
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

const withValue = (filter: ChosenFilter, value: string, nameOf: NameOf) =>
  filter.choices.some((choice) => choice.value === value)
    ? filter.choices
    : [...filter.choices, { value, label: nameOf(filter, value) }];

/** What narrows a list, in words. */
export interface Chip {
  /** Of the search parameter. */
  name: string;
  label: string;
}

/** The filters of a list as chips, each of which a press removes, and the panel to change them. */
export function Filters(props: FiltersProps & { chips: readonly Chip[]; filters: readonly Filter[] }) {
  const { chips, onChange, onCount } = props;
  useEffect(() => {
    onCount(chips.length);
    return () => onCount(0);
  }, [chips.length, onCount]);
  const onKeyDown = ({ key }: KeyboardEvent): void => {
    if (key === 'Escape') props.onClose();
  };
  return (
    <>
      {chips.length > 0 && (
        <Group
          gap="xs"
          mt="xs"
          role="group"
          aria-label="Filters"
          className={classes.chips}
          data-open={props.open || undefined}
        >
          {chips.map(({ name, label }) => (
            <Button
              key={name}
              size="compact-sm"
              variant="light"
              rightSection={<IconX size={14} />}
              title="Remove this filter"
              onClick={() => onChange({ [name]: undefined })}
            >
              {label}
            </Button>
          ))}
          <Button
            size="compact-sm"
            variant="subtle"
            onClick={() => onChange(Object.fromEntries(chips.map(({ name }) => [name, undefined])))}
          >
            Clear all
          </Button>
        </Group>
      )}
      {props.open && (
        // biome-ignore lint/a11y/noStaticElementInteractions: the key is pressed in a field within
        <div onKeyDown={onKeyDown}>
          <FilterPanel
            {...props}
            nameOf={(filter, value) => chips.find(({ name }) => name === filter.name)?.label ?? value}
          />
        </div>
      )}
    </>
  );
}
