import { getRouteApi } from '@tanstack/react-router';
import { memo, useState } from 'react';
import { CREDENTIALS_IDENTIFIER_MAX_CHARACTERS } from '../../../../shared/identities.ts';
import { identityIdIn } from '../../../format/identity-id.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { Group } from '../../../ui/elements/layout.tsx';
import { SearchField, SearchForm } from '../../../ui/form/search-form.tsx';
import { useResettingState } from '../../../ui/hooks/use-resetting-state.ts';
import { IconArrowRight } from '../../../ui/icons.ts';
import { searchFor, typedSearch } from './search-params.ts';

const route = getRouteApi('/signed-in/identities');

/**
 * Does not search while typing, since every search is an upstream request and an audit record. Memoized, since it does
 * not depend on the list.
 */
export const IdentitySearch = memo(function IdentitySearch() {
  const searched = route.useSearch({ select: typedSearch });
  const navigate = route.useNavigate();
  const [text, setText] = useResettingState(searched, searched);
  const [problem, setProblem] = useState<string>();
  const id = identityIdIn(text);

  const change = (typed: string): void => {
    setText(typed);
    setProblem(undefined);
  };
  const look = (identifier: string): void => {
    if ([...identifier.replace(/\*$/, '')].length > CREDENTIALS_IDENTIFIER_MAX_CHARACTERS) {
      setProblem(`At most ${CREDENTIALS_IDENTIFIER_MAX_CHARACTERS} characters.`);
      return;
    }
    void navigate({ search: (search) => searchFor(identifier, search) });
  };
  const submit = (): void => {
    if (id === undefined) look(text.trim());
    else void navigate({ to: '/identities/$id', params: { id } });
  };
  const clear = (): void => {
    change('');
    if (searched !== '') look('');
  };

  return (
    <SearchForm
      maw="42rem"
      wrap="nowrap"
      onSubmit={submit}
      submit={
        id === undefined ? undefined : (
          <Button type="submit" rightSection={<IconArrowRight />}>
            Open identity
          </Button>
        )
      }
      explanation={
        id === undefined ? (
          text.includes(':') ? (
            'Press Enter to search. A provider:subject must match as a whole, including case.'
          ) : (
            'Press Enter to search. The whole login identifier must match, or with * at the end only its beginning. Case does not matter.'
          )
        ) : (
          <Group gap={6}>
            This is an identity id. Press Enter to open the identity.
            <Button size="compact-xs" variant="default" onClick={() => look(text.trim())}>
              Search as identifier instead
            </Button>
          </Group>
        )
      }
    >
      {(explanation) => (
        <SearchField
          label="E-mail, username, provider:subject or identity id"
          cleared="the search"
          aria-describedby={explanation}
          value={text}
          error={problem}
          onChange={change}
          onClear={clear}
        />
      )}
    </SearchForm>
  );
});
