import { Button, Fieldset, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { SEARCH_MAX_CHARACTERS } from '../../shared/identities.ts';
import { GuardedButton } from '../ui/buttons.tsx';
import { DateField } from '../ui/date-field.tsx';
import { useResettingState } from '../ui/hooks.tsx';
import { SearchField, SearchForm } from '../ui/search-form.tsx';
import { IconFilter, IconX } from '../ui/shell-icons.tsx';
import classes from './list.module.css';
import { type ChangeSearch, useChangeSearch, useTypedSearch } from './search.tsx';

type Search = Record<string, unknown>;

/** What a text may mean besides words to search for. It is then searched on Enter only. */
export interface OtherMeaning {
  explanation: ReactNode;
  /** Instead of the button that searches. */
  submit: ReactNode;
  onSubmit: () => void;
}

/** @param words what three characters and more find */
export const explainWords =
  (words: string) =>
  (text: string): string =>
    [1, 2].includes([...text.trim()].length)
      ? 'One or two characters find words that begin with them. Press Enter to search.'
      : words;

/** The filters of a list. */
export interface Filters {
  /** Those that are set, in words, each with the name of its search parameter. */
  chips: readonly { name: string; label: string }[];
  /** For the panel. */
  filters: readonly Filter[];
  /** Where the filters are not the search parameters themselves. */
  search?: Search;
  change?: ChangeSearch;
}

/**
 * The search of a list: words in a field (the parameter `q`), filters as chips, and a panel to change these. All of it
 * is in the address.
 */
export function FilterBar(props: {
  label: string;
  explanation: (text: string) => ReactNode;
  /** @param search searches for the text nevertheless */
  meaning?: (text: string, search: () => void) => OtherMeaning | undefined;
  /** A hook, if the list has filters. @param open whether the panel is open */
  useFilters?: (search: Search, change: ChangeSearch, open: boolean) => Filters;
  /** Why there are no filters now, and no search while somebody types. */
  refusal: string | undefined;
}) {
  const { refusal, useFilters = noFilters } = props;
  const search: Search = useSearch({ strict: false });
  const changeSearch = useChangeSearch();
  const id = useId();
  const [open, setOpen] = useState(false);
  const { chips, filters, search: values = search, change = changeSearch } = useFilters(search, changeSearch, open);

  const isTooLong = (text: string): boolean => [...text].length > SEARCH_MAX_CHARACTERS;
  const meaningOf = (text: string) => props.meaning?.(text, () => searchNow(text));
  const [text, type, searchNow] = useTypedSearch(
    String(search['q'] ?? ''),
    (q, typing) => changeSearch({ q: q || undefined }, typing),
    (typed) => refusal !== undefined || isTooLong(typed) || meaningOf(typed) !== undefined,
  );
  const meaning = meaningOf(text);
  const isOpen = open && refusal === undefined;
  return (
    <SearchForm
      maw="46rem"
      wrap="nowrap"
      onSubmit={() => {
        if (meaning !== undefined) meaning.onSubmit();
        else if (!isTooLong(text)) searchNow(text);
      }}
      submit={
        props.useFilters && (
          <>
            {meaning?.submit}
            <GuardedButton
              variant="default"
              reason={refusal}
              leftSection={<IconFilter />}
              data-filter
              aria-expanded={open}
              aria-controls={id}
              onClick={() => setOpen(!open)}
            >
              Filter
              {chips.length > 0 && <span data-count> ({chips.length})</span>}
            </GuardedButton>
          </>
        )
      }
      explanation={meaning?.explanation ?? props.explanation(text)}
      below={
        <>
          <Chips chips={chips} open={isOpen} change={change} />
          {isOpen && (
            <FilterPanel
              id={id}
              filters={filters}
              chips={chips}
              search={values}
              change={change}
              onClose={() => setOpen(false)}
            />
          )}
        </>
      }
    >
      {(explanation) => (
        <SearchField
          label={props.label}
          cleared="the search"
          aria-describedby={explanation}
          value={text}
          error={isTooLong(text) && `At most ${SEARCH_MAX_CHARACTERS} characters.`}
          onChange={type}
          onClear={() => searchNow('')}
        />
      )}
    </SearchForm>
  );
}

const noFilters = (): Filters => ({ chips: [], filters: [] });

/** The filters that are set, each of which a press removes. */
function Chips({ chips, open, change }: { chips: Filters['chips']; open: boolean; change: ChangeSearch }) {
  if (chips.length === 0) return null;
  return (
    <Group gap="xs" mt="xs" role="group" aria-label="Filters" className={classes.chips} data-open={open || undefined}>
      {chips.map(({ name, label }) => (
        <Button
          key={name}
          size="compact-sm"
          variant="light"
          rightSection={<IconX size={14} />}
          title="Remove this filter"
          onClick={() => change({ [name]: undefined })}
        >
          {label}
        </Button>
      ))}
      <Button
        size="compact-sm"
        variant="subtle"
        onClick={() => change(Object.fromEntries(chips.map(({ name }) => [name, undefined])))}
      >
        Clear all
      </Button>
    </Group>
  );
}

/** A search parameter that is chosen or typed. */
type Filter = { name: string; label: string } & (
  | {
      /** The empty value is no filter. */
      choices: Choices;
      /** Two days are a choice, too: `2026-01-01..2026-02-01`, of which either may be missing. */
      days?: true;
    }
  | { example: string }
);

type Choices = readonly { value: string; label: string }[];

/** A choice is searched for at once, text after a pause. */
function FilterPanel(props: {
  id: string;
  filters: readonly Filter[];
  chips: Filters['chips'];
  search: Search;
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
        // A value from the address may be none of the choices.
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
  // The fields stay while no day is in the address.
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

/** The first and the last day, in the operator's time zone. */
function Days({ label, value, change }: FieldProps) {
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
