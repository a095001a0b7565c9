import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { findByExternalId } from '../../../api/identities-record.ts';
import { RequestError } from '../../../api/request-error.ts';
import { identityIdIn } from '../../../format/identity-id.ts';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { type Failure, FailureNote } from '../../../ui/feedback/failure-panel.tsx';
import { useSingleFlight } from '../../../ui/hooks/use-single-flight.ts';
import { searchFor } from './search-params.ts';

const route = getRouteApi('/signed-in/identities');

/** A search without a match, and what else the text may be. */
export function NoMatch({ identifier }: { identifier: string }) {
  return (
    <EmptyState
      kind="no-match"
      title="No identity signs in with this"
      text="The whole identifier must match. Only login identifiers can be searched, not names or other traits. It may also be something else:"
      actions={<WhatElse text={identifier} beginning={<FindByBeginning text={identifier} />} />}
    />
  );
}

/** A search by the beginning without a match, or by a service that knows no such search. */
export function NoneBegins({ prefix, supported }: { prefix: string; supported: boolean }) {
  return (
    <EmptyState
      kind="no-match"
      title={supported ? 'No identifier begins with this' : 'This identity service cannot search by the beginning'}
      text={
        supported
          ? 'Only the beginning of a login identifier counts, not its middle or end, and not names. It may also be something else:'
          : 'This search is experimental in Kratos, and this version does not offer it. The whole identifier can still be found, or it is something else:'
      }
      actions={<WhatElse text={prefix} beginning={<FindWhole text={prefix} />} />}
    />
  );
}

const FindByBeginning = ({ text }: { text: string }) => (
  <SearchButton text={`${text}*`}>Find those that begin with it</SearchButton>
);

const FindWhole = ({ text }: { text: string }) => (
  <SearchButton text={text}>Search for the whole identifier</SearchButton>
);

function SearchButton({ text, children }: { text: string; children: ReactNode }) {
  const navigate = route.useNavigate();
  return (
    <Button size="xs" variant="default" onClick={() => void navigate({ search: (before) => searchFor(text, before) })}>
      {children}
    </Button>
  );
}

function WhatElse({ text, beginning }: { text: string; beginning: ReactNode }) {
  const navigate = route.useNavigate();
  const { run, pending } = useSingleFlight();
  const [failure, setFailure] = useState<Failure>();
  const id = identityIdIn(text);

  const lookUpExternal = () =>
    run(async () => {
      setFailure(undefined);
      try {
        const found = await findByExternalId(text);
        await navigate({ to: '/identities/$id', params: { id: found.id } });
      } catch (error) {
        const none = error instanceof RequestError && error.status === 404;
        setFailure(none ? new Error('No identity has this external id either.') : (error as Error));
      }
    });

  return (
    <Stack gap="sm" align="center">
      <Group gap="xs" justify="center">
        {id !== undefined && (
          <Button size="xs" onClick={() => void navigate({ to: '/identities/$id', params: { id } })}>
            Open as identity id
          </Button>
        )}
        {beginning}
        <Button size="xs" variant="default" loading={pending} onClick={() => void lookUpExternal()}>
          Look up as external id
        </Button>
        <SearchButton text="">Clear the search</SearchButton>
      </Group>
      {text.includes(':') ? (
        <Text size="xs" c="dimmed">
          As provider:subject, upper and lower case must match too.
        </Text>
      ) : (
        <AsProviderSubject subject={text} />
      )}
      <FailureNote error={failure} />
    </Stack>
  );
}

/** An account at a social provider is found as `provider:subject`, by the provider's name in the identity service. */
function AsProviderSubject({ subject }: { subject: string }) {
  const navigate = route.useNavigate();
  const [provider, setProvider] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const name = provider.trim();
        if (name !== '') void navigate({ search: (before) => searchFor(`${name}:${subject}`, before) });
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
