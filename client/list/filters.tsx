import { useSearch } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { SEARCH_MAX_CHARACTERS } from '../../shared/identities.ts';
import { formatPeriod, parsePeriod } from '../lib/period.ts';
import { visibleText } from '../lib/visible-text.ts';
import { lazyPart } from '../ui/lazy-part.tsx';
import { AfterRows } from '../ui/loading.tsx';
import { IconFilter, IconSearch, IconX } from '../ui/shell-icons.tsx';
import type { Filter } from './filter-panel.tsx';
import { type ChangeSearch, useChangeSearch, useTypedSearch } from './search.tsx';
import classes from './toolbar.module.css';
import { PopoverButton, ToolbarButton } from './toolbar.tsx';

type Search = Record<string, unknown>;

const FilterPanel = lazyPart(() => import('./filter-panel.tsx'), 'FilterPanel');
const FilterMenu = lazyPart(() => import('./filter-panel.tsx'), 'FilterMenu');

/** Another meaning of the text, besides words to search for. Such a text is searched on Enter only. */
export interface OtherMeaning {
  explanation: ReactNode;
  onSubmit: () => void;
}

/** @param words explains searches with three or more characters */
export const explainWords =
  (words: string) =>
  (text: string): string =>
    isShort(text) ? 'One or two characters find words that begin with them. Press Enter to search.' : words;

const isShort = (text: string): boolean => [1, 2].includes([...text.trim()].length);

export interface Filters {
  filters: readonly Filter[];
  /** Only if the filters differ from the search parameters. */
  search?: Search;
  change?: ChangeSearch;
}

/** A hook that lists the filters. @param open whether a panel is open */
export type UseFilters = (search: Search, change: ChangeSearch, open: boolean) => Filters;

/**
 * The search of a list, for its `Toolbar`: a text field, and filters as chips. The URL contains all of them.
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
        <span className={classes.icon}>
          <IconSearch />
        </span>
        <input
          className={classes.field}
          aria-label={label}
          aria-describedby={id}
          aria-invalid={isTooLong(text) || undefined}
          placeholder={props.placeholder ?? label}
          title={typeof explanation === 'string' ? explanation : undefined}
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={({ currentTarget }) => type(currentTarget.value)}
        />
        {text !== '' && (
          <button
            type="button"
            className={classes.clear}
            aria-label={`Clear ${props.cleared ?? 'the search'}`}
            onClick={() => searchNow('')}
          >
            <IconX size={14} />
          </button>
        )}
        <div id={id} className={classes.hint} data-quiet={isQuiet || undefined}>
          {isTooLong(text) && <div className={classes.error}>{`At most ${SEARCH_MAX_CHARACTERS} characters.`}</div>}
          {explanation}
        </div>
      </form>
      {props.useFilters && (
        <AfterRows>
          <FilterChips useFilters={props.useFilters} refusal={refusal} />
        </AfterRows>
      )}
    </search>
  );
}

/** The filters of a list, each a chip with its panel. @param props.refusal why they are unavailable */
export function FilterChips({ useFilters, refusal }: { useFilters: UseFilters; refusal?: string | undefined }) {
  const address: Search = useSearch({ strict: false });
  const changeAddress = useChangeSearch();
  const [open, setOpen] = useState<string>();
  const [isUnfolded, setUnfolded] = useState(false);
  const id = useId();
  const { filters, search = address, change = changeAddress } = useFilters(address, changeAddress, open !== undefined);
  const paramOf = ({ name }: Filter): string => String(search[name] ?? '');
  const count = filters.filter((filter) => paramOf(filter) !== '' && filter.name !== SORT).length;
  const hasMenu = filters.some(({ rare }) => rare);
  return (
    <>
      <ToolbarButton
        reason={refusal}
        className={classes.onlyNarrow}
        aria-expanded={isUnfolded}
        aria-controls={id}
        aria-label={count === 0 ? 'Filter' : `Filter (${count})`}
        onClick={() => setUnfolded(!isUnfolded)}
      >
        <IconFilter />
        {count > 0 && ` ${count}`}
      </ToolbarButton>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would change the layout */}
      <div id={id} role="group" aria-label="Filters" className={classes.chips} data-open={isUnfolded || undefined}>
        {filters.map((filter, index) => (
          <Chip
            key={filter.name}
            filter={filter}
            value={paramOf(filter)}
            change={change}
            reason={refusal}
            isFirst={index === 0 && !hasMenu}
            open={open === filter.name}
            setOpen={(isOpen) => setOpen(isOpen ? filter.name : undefined)}
          />
        ))}
        {hasMenu && (
          <PopoverButton
            reason={refusal}
            box={`${classes.chip} ${classes.onlyWide}`}
            data-filter
            open={open === ''}
            setOpen={(isOpen) => setOpen(isOpen ? '' : undefined)}
            panel={() => <FilterMenu filters={filters.filter(({ name }) => name !== SORT)} onChoose={setOpen} />}
          >
            + Filter
          </PopoverButton>
        )}
      </div>
    </>
  );
}

/** On a wide screen, the heads of columns sort. */
const SORT = 'sort';

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
  const remove = ({ currentTarget }: { currentTarget: HTMLElement }): void => {
    currentTarget.parentElement?.querySelector('button')?.focus();
    setOpen(false);
    change({ [name]: undefined });
  };
  const onKeyDown = (event: KeyboardEvent<HTMLButtonElement>): void => {
    if (isSet && ['Backspace', 'Delete'].includes(event.key)) remove(event);
  };
  const kind = name === SORT ? classes.sort : filter.rare && classes.rare;
  return (
    <PopoverButton
      reason={props.reason}
      box={`${classes.chip} ${kind ?? ''}`}
      isSet={isSet}
      data-filter={props.isFirst || undefined}
      title={isSet ? 'Backspace removes this filter' : undefined}
      open={open}
      setOpen={setOpen}
      onKeyDown={onKeyDown}
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
          <button
            type="button"
            // Backspace and Delete do the same.
            tabIndex={-1}
            className={classes.clear}
            aria-label={`Remove the filter ${label}`}
            onClick={remove}
          >
            <IconX size={14} />
          </button>
        )
      }
    >
      {isSet ? <bdi>{`${label}: ${visibleText(wordsOf(filter, value))}`}</bdi> : `+ ${label}`}
    </PopoverButton>
  );
}

/** A value in words: “Active”, “from 5 Nov 2001 to 6 Nov 2001”. */
function wordsOf(filter: Filter, value: string): string {
  const choice = 'choices' in filter ? filter.choices.find((one) => one.value === value) : undefined;
  const period = parsePeriod(value);
  return filter.words ?? choice?.label ?? (period && formatPeriod(period)) ?? value;
}
