import '@mantine/core/styles/Input.layer.css';
import { Button, CloseButton, Group, TextInput } from '@mantine/core';
import { IconArrowRight, IconSearch } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { CREDENTIALS_IDENTIFIER_MAX_CHARACTERS } from '../../../shared/identities.ts';
import { identityIdIn } from './identity-id.ts';

const route = getRouteApi('/signed-in/identities');

/** Looks nothing up while something is typed: every search is one upstream request and one audit record. */
export function IdentitySearch() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [text, setText] = useState(search.identifier ?? '');
  const [problem, setProblem] = useState<string>();
  useEffect(() => setText(search.identifier ?? ''), [search.identifier]);
  const id = identityIdIn(text);

  const look = (identifier: string): void => {
    if ([...identifier].length > CREDENTIALS_IDENTIFIER_MAX_CHARACTERS) {
      setProblem(`At most ${CREDENTIALS_IDENTIFIER_MAX_CHARACTERS} characters.`);
      return;
    }
    void navigate({ search: { ...search, identifier: identifier === '' ? undefined : identifier } });
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (id === undefined) look(text.trim());
    else void navigate({ to: '/identities/$id', params: { id } });
  };

  return (
    <search>
      <form onSubmit={submit}>
        <Group gap="xs" align="flex-start">
          <TextInput
            flex="1 1 16rem"
            maw="32rem"
            size="sm"
            aria-label="E-mail, username, provider:subject or identity id"
            placeholder="E-mail, username, provider:subject or identity id"
            description={
              id === undefined
                ? 'Press Enter. The whole login identifier must match; upper and lower case do not matter.'
                : 'This is an identity id: Enter opens it directly.'
            }
            inputWrapperOrder={['input', 'description', 'error']}
            leftSection={<IconSearch size={16} aria-hidden />}
            rightSection={
              text !== '' && (
                <CloseButton
                  size="sm"
                  aria-label="Clear the search"
                  onClick={() => {
                    setText('');
                    setProblem(undefined);
                    if (search.identifier !== undefined) look('');
                  }}
                />
              )
            }
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={text}
            error={problem}
            onChange={(event) => {
              setText(event.currentTarget.value);
              setProblem(undefined);
            }}
          />
          {id === undefined ? (
            <Button type="submit" variant="default">
              Search
            </Button>
          ) : (
            <>
              <Button type="submit" leftSection={<IconArrowRight size={16} aria-hidden />}>
                Open this identity
              </Button>
              <Button variant="default" onClick={() => look(text.trim())}>
                Search as identifier
              </Button>
            </>
          )}
        </Group>
      </form>
    </search>
  );
}
