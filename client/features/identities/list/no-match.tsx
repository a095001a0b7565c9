import '@mantine/core/styles/Input.layer.css';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { findByExternalId } from '../../../api/identities-record.ts';
import { RequestError } from '../../../api/request-error.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { type Failure, FailureNote } from '../../../ui/failure-panel.tsx';
import { useSingleFlight } from '../../../ui/use-single-flight.ts';
import { identityIdIn } from '../../../wording/identity-id.ts';

const route = getRouteApi('/signed-in/identities');

/** A search without a match, and what else the text may be. */
export function NoMatch({ identifier }: { identifier: string }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { run, pending } = useSingleFlight();
  const [failure, setFailure] = useState<Failure>();
  const id = identityIdIn(identifier);

  const lookUpExternal = () =>
    run(async () => {
      setFailure(undefined);
      try {
        const found = await findByExternalId(identifier);
        await navigate({ to: '/identities/$id', params: { id: found.id } });
      } catch (error) {
        const none = error instanceof RequestError && error.status === 404;
        setFailure(none ? new Error('No identity has this external id either.') : (error as Error));
      }
    });

  return (
    <EmptyState
      kind="no-match"
      title="No identity signs in with this"
      text="The whole identifier must match. Only login identifiers can be searched, no names or other traits. It may also be something else:"
      actions={
        <Stack gap="sm" align="center">
          <Group gap="xs" justify="center">
            {id !== undefined && (
              <Button size="xs" onClick={() => void navigate({ to: '/identities/$id', params: { id } })}>
                Open as identity id
              </Button>
            )}
            <Button size="xs" variant="default" loading={pending} onClick={() => void lookUpExternal()}>
              Look up as external id
            </Button>
            <Button
              size="xs"
              variant="default"
              onClick={() => void navigate({ search: { ...search, identifier: undefined } })}
            >
              Clear the search
            </Button>
          </Group>
          {identifier.includes(':') ? (
            <Text size="xs" c="dimmed">
              As provider:subject, upper and lower case must match too.
            </Text>
          ) : (
            <AsProviderSubject subject={identifier} />
          )}
          <FailureNote error={failure} />
        </Stack>
      }
    />
  );
}

/** An account at a social provider is found as `provider:subject`, by the provider's name in the identity service. */
function AsProviderSubject({ subject }: { subject: string }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [provider, setProvider] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const name = provider.trim();
        if (name !== '') void navigate({ search: { ...search, identifier: `${name}:${subject}` } });
      }}
    >
      <Group gap="xs" justify="center">
        <TextInput
          size="xs"
          w="9rem"
          aria-label="Provider"
          placeholder="google"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={provider}
          onChange={(event) => setProvider(event.currentTarget.value)}
        />
        <Button size="xs" variant="default" type="submit">
          Search as provider:subject
        </Button>
      </Group>
    </form>
  );
}
