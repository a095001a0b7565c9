import '@mantine/core/styles/Input.layer.css';
import { Button, CloseButton, Group, Text, TextInput } from '@mantine/core';
import { IconArrowRight, IconSearch } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, memo, useEffect, useId, useState } from 'react';
import { CREDENTIALS_IDENTIFIER_MAX_CHARACTERS } from '../../../../shared/identities.ts';
import { identityIdIn } from '../../../wording/identity-id.ts';
import { searchFor, typedSearch } from './list-address.ts';

const route = getRouteApi('/signed-in/identities');

/**
 * Looks nothing up while something is typed: every search is one upstream request and one audit record. What else
 * changes on the list does not concern it.
 */
export const IdentitySearch = memo(function IdentitySearch() {
  const searched = route.useSearch({ select: typedSearch });
  const navigate = route.useNavigate();
  const explanation = useId();
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
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (id === undefined) look(text.trim());
    else void navigate({ to: '/identities/$id', params: { id } });
  };
  const clear = (): void => {
    change('');
    if (searched !== '') look('');
  };

  return (
    <search>
      <form onSubmit={submit}>
        <Group gap="xs" wrap="nowrap" align="flex-start" maw="42rem">
          <TextInput
            flex={1}
            aria-label="E-mail, username, provider:subject or identity id"
            aria-describedby={explanation}
            placeholder="E-mail, username, provider:subject or identity id"
            leftSection={<IconSearch size={16} aria-hidden />}
            rightSection={text !== '' && <CloseButton size="sm" aria-label="Clear the search" onClick={clear} />}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={text}
            error={problem}
            onChange={(event) => change(event.currentTarget.value)}
          />
          <Button
            type="submit"
            variant={id === undefined ? 'default' : 'filled'}
            rightSection={id !== undefined && <IconArrowRight size={16} aria-hidden />}
          >
            {id === undefined ? 'Search' : 'Open it'}
          </Button>
        </Group>
        <Text id={explanation} size="xs" c="dimmed" mt={4} component="div">
          {id === undefined ? (
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
          )}
        </Text>
      </form>
    </search>
  );
});
