import { Button, Group } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { memo, useEffect, useState } from 'react';
import { CREDENTIALS_IDENTIFIER_MAX_CHARACTERS } from '../../../../shared/identities.ts';
import { identityIdIn } from '../../../format/identity-id.ts';
import { SearchField, SearchForm } from '../../../ui/form/search-form.tsx';
import { IconArrowRight } from '../../../ui/icons.ts';
import { searchFor, typedSearch } from './search-params.ts';

const route = getRouteApi('/signed-in/identities');

/**
 * Looks nothing up while something is typed: every search is one upstream request and one audit record. What else
 * changes on the list does not concern it.
 */
export const IdentitySearch = memo(function IdentitySearch() {
  const searched = route.useSearch({ select: typedSearch });
  const navigate = route.useNavigate();
  const [text, setText] = useState(searched);
  const [problem, setProblem] = useState<string>();
  useEffect(() => setText(searched), [searched]);
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
            Open it
          </Button>
        )
      }
      explanation={
        id === undefined ? (
          text.includes(':') ? (
            'Enter searches. As provider:subject everything must match, upper and lower case too.'
          ) : (
            'Enter searches. The whole login identifier must match, or with a * at the end its beginning; upper and lower case do not matter.'
          )
        ) : (
          <Group gap={6}>
            This is an identity id: Enter opens that identity.
            <Button size="compact-xs" variant="default" onClick={() => look(text.trim())}>
              Search for it as an identifier instead
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
