import { CloseButton, Input, Text } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { type ReactNode, use, useId, useState } from 'react';
import { SEARCH_MAX_CHARACTERS } from '../../shared/identities.ts';
import { formatPeriod, parsePeriod } from '../lib/period.ts';
import { visibleText } from '../lib/visible-text.ts';
import { lazyPart } from '../ui/lazy-part.tsx';
import { IconFilter, IconSearch, IconX } from '../ui/shell-icons.tsx';
import { AfterRows } from './cursor-list.ts';
import type { Filter } from './filter-panel.tsx';
import { type ChangeSearch, useChangeSearch, useTypedSearch } from './search.tsx';
import classes from './toolbar.module.css';
import { PopoverButton } from './toolbar.tsx';

type Search = Record<string, unknown>;

const FilterPanel = lazyPart(() => import('./filter-panel.tsx'), 'FilterPanel');
const FilterMenu = lazyPart(() => import('./filter-panel.tsx'), 'FilterMenu');

/** A text that may be more than words to search for, such as an id. Only Enter submits it. */
export interface OtherMeaning {
  explanation: ReactNode;
  onSubmit: () => void;
}

/** @param words explains searches with three or more characters */
export const explainWords =
  (words: string) =>
  (text: string): string =>
    isShort(text) ? 'One or two characters match only the beginning of a word. Press Enter to search.' : words;

const isShort = (text: string): boolean => [1, 2].includes([...text.trim()].length);

export interface Filters {
  filters: readonly Filter[];
  /** Set both if the filters are not search parameters of the URL. */
  search?: Search;
  change?: ChangeSearch;
}

/** The choices of a filter, in this order. @param labels by value; the empty value means no filter */
export const choicesIn = (labels: Readonly<Record<string, string>>): { value: string; label: string }[] =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));

/** A hook that lists the filters. @param open whether a panel is open */
export type UseFilters = (search: Search, change: ChangeSearch, open: boolean) => Filters;

/**
 * The search of a list, for its `Toolbar`: a text field, whose text is in the URL, and filters as chips.
 * @param props.param the text's search parameter, `q` by default
 * @param props.explanation the field's description, displayed while a text waits for Enter
 */
export function FilterBar(props: {
  label: string;
  param?: string;
  /** Names the field's content, for its clear button: "the recipient". */
  cleared?: string;
  placeholder?: string;
  explanation: (text: string) => ReactNode;
  autoFocus?: boolean;
  /** Searches on Enter only. */
  onEnter?: true;
  /** @param search searches for the text anyway */
  meaning?: (text: string, search: () => void) => OtherMeaning | undefined;
  useFilters?: UseFilters;
  /** Why filters and search while typing are unavailable. */
  refusal?: string | undefined;
}) {
  const { refusal, param = 'q', label, onEnter = false } = props;
  const searched = useSearch({ strict: false, select: (all: Search) => String(all[param] ?? '') });
  const changeSearch = useChangeSearch();
  const id = useId();
  const isTooLong = (text: string): boolean => [...text].length > SEARCH_MAX_CHARACTERS;
  const meaningOf = (text: string) => props.meaning?.(text, () => searchNow(text));
  const waits = (text: string): boolean =>
    onEnter || refusal !== undefined || isTooLong(text) || meaningOf(text) !== undefined;
  const [text, type, searchNow] = useTypedSearch(
    searched,
    (next, typing) => changeSearch({ [param]: next || undefined }, typing),
    waits,
  );
  const trimmed = text.trim();
  const meaning = meaningOf(text);
  const isQuiet = trimmed === searched || trimmed === '' || !(isShort(text) || waits(text));
  const explanation = meaning?.explanation ?? props.explanation(text);
  return (
    <search className={classes.search}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (meaning !== undefined && trimmed !== searched) meaning.onSubmit();
          else if (!isTooLong(text)) searchNow(text);
        }}
      >
        <Input
          leftSection={<IconSearch />}
          rightSection={
            text !== '' && (
              <CloseButton
                aria-label={`Clear ${props.cleared ?? 'the search'}`}
                icon={<IconX size={14} />}
                onClick={() => searchNow('')}
              />
            )
          }
          rightSectionPointerEvents="all"
          error={isTooLong(text)}
          // Mantine's attributes would replace the description.
          withAria={false}
          aria-label={label}
          aria-describedby={id}
          aria-invalid={isTooLong(text) || undefined}
          placeholder={props.placeholder ?? label}
          title={typeof explanation === 'string' ? explanation : undefined}
          autoFocus={props.autoFocus}
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={({ currentTarget }) => type(currentTarget.value)}
        />
        <div id={id} className={classes.panel} hidden={isQuiet}>
          {isTooLong(text) && <Text c="error" size="sm">{`At most ${SEARCH_MAX_CHARACTERS} characters.`}</Text>}
          {explanation}
        </div>
      </form>
      {use(AfterRows) && props.useFilters && <FilterChips useFilters={props.useFilters} refusal={refusal} />}
    </search>
  );
}

/** The filters of a list, each a chip with its panel. @param props.refusal why they are unavailable */
export function FilterChips({ useFilters, refusal }: { useFilters: UseFilters; refusal?: string | undefined }) {
  const address: Search = useSearch({ strict: false });
  const changeAddress = useChangeSearch();
  const [open, setOpen] = useState<string>();
  const { filters, search = address, change = changeAddress } = useFilters(address, changeAddress, open !== undefined);
  const toggle = (name: string) => (isOpen: boolean) => setOpen(isOpen ? name : undefined);
  const hasRare = filters.some(({ rare }) => rare);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would change the layout
    <div role="group" aria-label="Filters" className={classes.chips}>
      {filters.map((filter, index) => (
        <Chip
          key={filter.name}
          filter={filter}
          value={String(search[filter.name] ?? '')}
          change={change}
          reason={refusal}
          isFirst={index === 0 && !hasRare}
          open={open === filter.name}
          setOpen={toggle(filter.name)}
        />
      ))}
      <PopoverButton
        reason={refusal}
        className={classes.unset}
        box={hasRare ? undefined : classes.onlyNarrow}
        aria-label="Filter"
        title="Filter"
        data-filter={hasRare || undefined}
        open={open === ''}
        setOpen={toggle('')}
        panel={() => <FilterMenu filters={filters} onChoose={setOpen} />}
      >
        <IconFilter />
      </PopoverButton>
    </div>
  );
}

function Chip(props: {
  filter: Filter;
  value: string;
  change: ChangeSearch;
  reason: string | undefined;
  /** The key `f` opens it. */
  isFirst: boolean;
  open: boolean;
  setOpen: (open: boolean) => void;
}) {
  const { filter, value, change, open, setOpen } = props;
  const { name, label } = filter;
  const isSet = value !== '';
  const words = isSet ? `${label}: ${visibleText(wordsOf(filter, value))}` : `+ ${label}`;
  const remove = ({ currentTarget }: { currentTarget: HTMLElement }): void => {
    currentTarget.parentElement?.querySelector('button')?.focus();
    setOpen(false);
    change({ [name]: undefined });
  };
  return (
    <PopoverButton
      reason={props.reason}
      variant={isSet ? 'light' : 'default'}
      className={isSet ? classes.set : classes.unset}
      box={isSet ? undefined : filter.rare ? classes.rare : classes.onlyWide}
      data-filter={props.isFirst || undefined}
      title={isSet ? `${words} (Backspace to remove)` : undefined}
      open={open}
      setOpen={setOpen}
      onKeyDown={(event) => {
        if (isSet && ['Backspace', 'Delete'].includes(event.key)) remove(event);
      }}
      panel={(close) => (
        <FilterPanel
          filter={filter}
          value={value}
          change={(chosen, typing) => change({ [name]: chosen || undefined }, typing)}
          close={close}
        />
      )}
      after={
        isSet && (
          <CloseButton
            // Backspace and Delete do the same.
            tabIndex={-1}
            className={classes.remove}
            aria-label={`Remove filter ${label}`}
            icon={<IconX size={14} />}
            onClick={remove}
          />
        )
      }
    >
      <bdi>{words}</bdi>
    </PopoverButton>
  );
}

/** A value in words: “Active”, “from 5 Nov 2001 to 6 Nov 2001”. */
function wordsOf(filter: Filter, value: string): string {
  const choice = 'choices' in filter ? filter.choices.find((one) => one.value === value) : undefined;
  const period = parsePeriod(value);
  return filter.words ?? choice?.label ?? (period && formatPeriod(period)) ?? value;
}
