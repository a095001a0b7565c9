import { Button, Group } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { type ReactNode, useId, useState } from 'react';
import { SEARCH_MAX_CHARACTERS } from '../../shared/identities.ts';
import { GuardedButton } from '../ui/buttons.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import { SearchField, SearchForm } from '../ui/search-form.tsx';
import { IconFilter, IconX } from '../ui/shell-icons.tsx';
import type { Filter } from './filter-panel.tsx';
import classes from './list.module.css';
import { type ChangeSearch, useChangeSearch, useTypedSearch } from './search.tsx';

type Search = Record<string, unknown>;

const FilterPanel = lazyPart(() => import('./filter-panel.tsx'), 'FilterPanel');

/** Another meaning of the text, besides words to search for. Such a text is searched on Enter only. */
export interface OtherMeaning {
  explanation: ReactNode;
  /** Replaces the search button. */
  submit: ReactNode;
  onSubmit: () => void;
}

/** @param words explains searches with three or more characters */
export const explainWords =
  (words: string) =>
  (text: string): string =>
    [1, 2].includes([...text.trim()].length)
      ? 'One or two characters find words that begin with them. Press Enter to search.'
      : words;

export interface Filters {
  /** The active filters in words, by search parameter. */
  chips: readonly { name: string; label: string }[];
  /** The fields of the panel. */
  filters: readonly Filter[];
  /** Only if the filters differ from the search parameters. */
  search?: Search;
  change?: ChangeSearch;
}

/**
 * The search of a list: a text field (the parameter `q`), filters as chips, and a panel to change them. The URL
 * contains all of them.
 */
export function FilterBar(props: {
  label: string;
  explanation: (text: string) => ReactNode;
  /** @param search searches for the text anyway */
  meaning?: (text: string, search: () => void) => OtherMeaning | undefined;
  /** A hook, for lists with filters. @param open whether the panel is open */
  useFilters?: (search: Search, change: ChangeSearch, open: boolean) => Filters;
  /** Why filters and search while typing are unavailable. */
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

/** The active filters; a click removes a filter. */
function Chips({ chips, open, change }: { chips: Filters['chips']; open: boolean; change: ChangeSearch }) {
  if (chips.length === 0) return null;
  return (
    <Group gap="xs" mt="xs" role="group" aria-label="Filters" className={classes.chips} data-open={open || undefined}>
      {chips.map(({ name, label }) => (
        <Button
          key={name}
          size="xs"
          variant="light"
          rightSection={<IconX size={14} />}
          title="Remove this filter"
          onClick={() => change({ [name]: undefined })}
        >
          {label}
        </Button>
      ))}
      <Button
        size="xs"
        variant="subtle"
        onClick={() => change(Object.fromEntries(chips.map(({ name }) => [name, undefined])))}
      >
        Clear all
      </Button>
    </Group>
  );
}
