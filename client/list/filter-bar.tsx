import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ComponentType, type ReactNode, useCallback, useId, useState } from 'react';
import { GuardedButton } from '../ui/buttons.tsx';
import { SearchField, SearchForm } from '../ui/search-form.tsx';
import { IconFilter } from '../ui/shell-icons.tsx';
import { useTypedSearch } from './search.tsx';

type Search = Record<string, unknown>;

/** Of the chips of a list, and of the panel that changes them. */
export interface FiltersProps {
  id: string;
  search: Search;
  /** Whether the panel is open. */
  open: boolean;
  /** @param values of search parameters; undefined for none @param replace the history entry, too */
  onChange: (values: Record<string, string | undefined>, replace?: boolean) => void;
  onClose: () => void;
  /** Is told how many chips there are. */
  onCount: (chips: number) => void;
}

/** What a text may mean besides words to search for; nothing is then searched before Enter. */
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

/**
 * What a list is searched for: words in a field (the parameter `q`), filters as chips, and a panel to change these. All
 * of it stands in the address.
 */
export function FilterBar(props: {
  label: string;
  maxCharacters: number;
  explanation: (text: string) => ReactNode;
  /** @param look searches for the text nevertheless */
  meaning?: (text: string, look: () => void) => OtherMeaning | undefined;
  /** If the list has any. */
  filters?: {
    /** Whether there are chips. */
    areSet: (search: Search) => boolean;
    /** Made of <Filters>; lazy, as most visits filter nothing. */
    component: ComponentType<FiltersProps>;
  };
  /** Why there are no filters now, and no search while somebody types. */
  refusal: string | undefined;
}) {
  const { refusal, filters } = props;
  const search: Search = useSearch({ strict: false });
  const change = useChangeSearch();
  const id = useId();
  const [open, setOpen] = useState(false);
  const [count, setCount] = useState(0);

  const isTooLong = (text: string): boolean => [...text].length > props.maxCharacters;
  const meaningOf = (text: string) => props.meaning?.(text, () => lookNow(text));
  const [text, type, lookNow] = useTypedSearch(
    String(search['q'] ?? ''),
    (q, typing) => change({ q: q || undefined }, typing),
    (typed) => refusal !== undefined || isTooLong(typed) || meaningOf(typed) !== undefined,
  );
  const meaning = meaningOf(text);
  return (
    <SearchForm
      maw="46rem"
      wrap="nowrap"
      onSubmit={() => {
        if (meaning !== undefined) meaning.onSubmit();
        else if (!isTooLong(text)) lookNow(text);
      }}
      submit={
        filters && (
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
              {count > 0 && <span data-count> ({count})</span>}
            </GuardedButton>
          </>
        )
      }
      explanation={meaning?.explanation ?? props.explanation(text)}
      below={
        filters &&
        (open || filters.areSet(search)) && (
          <filters.component
            id={id}
            search={search}
            open={open && refusal === undefined}
            onChange={change}
            onClose={() => setOpen(false)}
            onCount={setCount}
          />
        )
      }
    >
      {(explanation) => (
        <SearchField
          label={props.label}
          cleared="the search"
          aria-describedby={explanation}
          value={text}
          error={isTooLong(text) && `At most ${props.maxCharacters} characters.`}
          onChange={type}
          onClear={() => lookNow('')}
        />
      )}
    </SearchForm>
  );
}

/** Changes search parameters of a list, which then begins at its first page. @param replace the history entry, too */
export function useChangeSearch(): (values: Record<string, string | undefined>, replace?: boolean) => void {
  const navigate = useNavigate();
  return useCallback(
    (values, replace = false) =>
      void navigate({ to: '.', search: (before) => ({ ...before, ...values }), state: {}, replace }),
    [navigate],
  );
}
