import { Stack, TextInput, UnstyledButton } from '@mantine/core';
import { type ComponentType, type KeyboardEvent, useState } from 'react';
import { SEARCH_MAX_CHARACTERS } from '../../shared/identities.ts';
import { keyOf } from '../lib/keys.ts';
import { visibleText } from '../lib/visible-text.ts';
import { DateField } from '../ui/date-field.tsx';
import { useResettingState } from '../ui/hooks.tsx';
import { useTypedSearch } from './search.tsx';
import classes from './toolbar.module.css';
import { PopoverPanel } from './toolbar.tsx';

interface NamedFilter {
  name: string;
  label: string;
  /** Only in the “Filter” menu until it is set. */
  rare?: true;
  /** The value in words, if it is not one of the choices. */
  words?: string | undefined;
}

export interface ChoiceFilter extends NamedFilter {
  /** The empty value means no filter. */
  choices: Choices;
  /** Also offers two dates, `2026-01-01..2026-02-01`, or two times. Either one may be absent. */
  days?: true | 'times';
}

export type Filter =
  | ChoiceFilter
  /** @param onEnter the text is searched for only on Enter, for this reason */
  | (NamedFilter & { example: string; onEnter?: string })
  | (NamedFilter & { Panel: ComponentType<FilterPanelProps> });

export interface FilterPanelProps {
  value: string;
  /** @param typing replaces the history entry */
  change: (value: string, typing?: boolean) => void;
  close: () => void;
}

/** The panel of a filter. Choices apply immediately, text after a pause or on Enter. */
export function FilterPanel({ filter, ...props }: FilterPanelProps & { filter: Filter }) {
  const { label } = filter;
  return (
    <PopoverPanel label={label}>
      {'Panel' in filter ? (
        <filter.Panel {...props} />
      ) : 'example' in filter ? (
        <Typed label={label} example={filter.example} onEnter={filter.onEnter} {...props} />
      ) : (
        <Choice filter={filter} {...props} />
      )}
    </PopoverPanel>
  );
}

export const FilterMenu = (props: { filters: readonly Filter[]; onChoose: (name: string) => void }) => (
  <PopoverPanel label="Filter">
    <Options
      label="Filter"
      options={props.filters.map(({ name, label }) => ({ value: name, label }))}
      onChoose={props.onChoose}
    />
  </PopoverPanel>
);

type Choices = readonly { value: string; label: string }[];

/** Arrow keys and initial letters move between the options; Enter selects. */
export function Options(props: { label: string; options: Choices; value?: string; onChoose: (value: string) => void }) {
  const { options, value } = props;
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const { key, currentTarget } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const all = [...currentTarget.querySelectorAll('button')];
    const at = all.indexOf(document.activeElement as HTMLButtonElement);
    const letters = [key, keyOf(event)].filter((letter) => letter.length === 1 && letter !== ' ');
    const beginsWith = ({ textContent }: Element): boolean =>
      letters.some((letter) => textContent?.toLowerCase().startsWith(letter.toLowerCase()));
    const next =
      { ArrowDown: all[at + 1], ArrowUp: all[at - 1], Home: all[0], End: all.at(-1) }[key] ??
      [...all.slice(at + 1), ...all.slice(0, at + 1)].find(beginsWith);
    if (next === undefined) return;
    event.preventDefault();
    next.focus();
  };
  return (
    <div role="listbox" aria-label={props.label} tabIndex={-1} onKeyDown={onKeyDown}>
      {options.map((option) => (
        <UnstyledButton
          key={option.value}
          role="option"
          aria-selected={option.value === value}
          className={classes.option}
          onClick={() => props.onChoose(option.value)}
        >
          <bdi>{visibleText(option.label)}</bdi>
        </UnstyledButton>
      ))}
    </div>
  );
}

const DAYS = '..';
const BETWEEN = { value: DAYS, label: 'Choose dates…' };

function Choice({ filter, value, change, close }: FilterPanelProps & { filter: ChoiceFilter }) {
  const { label, choices, days } = filter;
  const isDays = days !== undefined && value.includes(DAYS);
  // Shows the date fields before the URL contains any date.
  const [between, setBetween] = useState(isDays);
  // The URL may contain a value that is not among the choices.
  const isListed = isDays || choices.some((choice) => choice.value === value);
  const options = isListed ? choices : [...choices, { value, label: filter.words ?? value }];
  return (
    <>
      <Options
        label={label}
        options={days ? [...options, BETWEEN] : options}
        value={between ? DAYS : value}
        onChoose={(chosen) => {
          setBetween(chosen === DAYS);
          if (chosen === DAYS) return;
          change(chosen);
          close();
        }}
      />
      {between && <Days label={label} withTime={days === 'times'} value={isDays ? value : DAYS} change={change} />}
    </>
  );
}

function Typed(props: FilterPanelProps & { label: string; example: string; onEnter: string | undefined }) {
  const { label, example, onEnter, value, change, close } = props;
  const [text, type, searchNow] = useTypedSearch(value, change, () => onEnter !== undefined);
  return (
    <TextInput
      label={label}
      description={onEnter}
      placeholder={example}
      maxLength={SEARCH_MAX_CHARACTERS}
      value={text}
      onChange={({ currentTarget }) => type(currentTarget.value)}
      onKeyDown={({ key }) => {
        if (key !== 'Enter') return;
        searchNow(text);
        close();
      }}
    />
  );
}

/** First and last day, or times, in the operator's time zone. */
function Days(props: Omit<FilterPanelProps, 'close'> & { label: string; withTime: boolean }) {
  const { label, value, change, withTime } = props;
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
    <Stack gap="xs" role="group" aria-label={label} p="xs">
      <DateField
        label={withTime ? 'From' : 'First day'}
        withTime={withTime}
        value={from}
        error={isReversed && `This is after the ${withTime ? 'time below' : 'last day'}.`}
        onChange={(day) => set(day, to)}
      />
      <DateField
        label={withTime ? 'Before' : 'Last day'}
        withTime={withTime}
        value={to}
        onChange={(day) => set(from, day)}
      />
    </Stack>
  );
}
