import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { findByExternalId } from '../../../api/identities-record.ts';
import { RequestError } from '../../../api/request-error.ts';
import { identityIdIn } from '../../../format/identity-id.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { TextInput } from '../../../ui/elements/field.tsx';
import { Group, Stack } from '../../../ui/elements/layout.tsx';
import { Text } from '../../../ui/elements/text.tsx';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { type Failure, FailureNote } from '../../../ui/feedback/failure-panel.tsx';
import { useSingleFlight } from '../../../ui/hooks/use-single-flight.ts';
import { searchFor } from './search-params.ts';

const route = getRouteApi('/signed-in/identities');

/** Shown when a search finds nothing, with other searches for the text. */
export function NoMatch({ identifier }: { identifier: string }) {
  return (
    <EmptyState
      kind="no-match"
      title="No identity signs in with this"
      text="The whole identifier must match. Only login identifiers can be searched, not names or other traits. Did you mean something else?"
      actions={<WhatElse text={identifier} beginning={<FindByBeginning text={identifier} />} />}
    />
  );
}

/** Shown when a prefix search finds nothing or is not supported. */
export function NoneBegins({ prefix, supported }: { prefix: string; supported: boolean }) {
  return (
    <EmptyState
      kind="no-match"
      title={supported ? 'No identifier begins with this' : 'This identity service does not support prefix search'}
      text={
        supported
          ? 'Only the beginning of login identifiers is searched, not names or other traits. Did you mean something else?'
          : 'It is experimental in Kratos, and this version does not have it. Search for the whole identifier, or did you mean something else?'
      }
      actions={<WhatElse text={prefix} beginning={<FindWhole text={prefix} />} />}
    />
  );
}

const FindByBeginning = ({ text }: { text: string }) => <SearchButton text={`${text}*`}>Search as prefix</SearchButton>;

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
          Searched as provider:subject, which must match including case.
        </Text>
      ) : (
        <AsProviderSubject subject={text} />
      )}
      <FailureNote error={failure} />
    </Stack>
  );
}

/** Accounts at social providers are found as `provider:subject`, with the provider's id in the identity service. */
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
