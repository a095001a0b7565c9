import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { findByExternalId } from '../../api/identities.ts';
import { plainSearch } from '../../api/identity-search.ts';
import { RequestError } from '../../api/request.ts';
import { identityIdIn } from '../../lib/identity-name.ts';
import { type Failure, FailureNote } from '../../ui/failure-panel.tsx';
import { useSingleFlight } from '../../ui/hooks.tsx';
import { StatePanel } from '../../ui/state-panel.tsx';
import { describeFilters, type IdentitiesSearch, needsIndex } from './identity-query.ts';

const route = getRouteApi('/signed-in/identities');

export interface NoMatchProps {
  search: IdentitiesSearch;
  /** Whether the index was asked, or the plain list. */
  indexed: boolean;
  /** The answer knows of all identities. */
  complete: boolean;
  /** Neither could answer. */
  refused: boolean;
}

/** Shown when a search finds nothing, with other searches for the text. */
export function NoMatch({ search, indexed, complete, refused }: NoMatchProps) {
  const { q } = search;
  if (refused && needsIndex(search))
    return (
      <StatePanel
        kind="no-match"
        title="Nothing can be filtered now"
        text={`The index of identities is off, or has read nothing yet. Asked for: ${inWords(search)}.`}
        actions={<ClearOnly search={search} />}
      />
    );
  if (indexed)
    return (
      <StatePanel
        kind="no-match"
        title="Nobody matches"
        text={`Asked for: ${inWords(search)}.${complete ? '' : ' The identities are still being read.'}`}
        actions={q === undefined ? <ClearOnly search={search} /> : <WhatElse search={search} text={q} />}
      />
    );
  const { prefix, identifier = '' } = plainSearch(q);
  return prefix === undefined ? (
    <StatePanel
      kind="no-match"
      title="No identity signs in with this"
      text="The whole identifier must match. Only login identifiers can be searched, not names or other traits. Did you mean something else?"
      actions={<WhatElse search={search} text={identifier} instead={['Search as prefix', `${identifier}*`]} />}
    />
  ) : (
    <StatePanel
      kind="no-match"
      title={refused ? 'This identity service does not support prefix search' : 'No identifier begins with this'}
      text={
        refused
          ? 'It is experimental in Kratos, and this version does not have it. Search for the whole identifier, or did you mean something else?'
          : 'Only the beginning of login identifiers is searched, not names or other traits. Did you mean something else?'
      }
      actions={<WhatElse search={search} text={prefix} instead={['Search for the whole identifier', prefix]} />}
    />
  );
}

const inWords = (search: IdentitiesSearch): string =>
  describeFilters(search)
    .map(({ label }) => label)
    .join(', ');

function SearchButton({ search, children }: { search: IdentitiesSearch; children: ReactNode }) {
  const navigate = route.useNavigate();
  return (
    <Button size="xs" variant="default" onClick={() => void navigate({ search })}>
      {children}
    </Button>
  );
}

/** Keeps order and page size. */
function Clear({ search }: { search: IdentitiesSearch }) {
  const { q, sort, page_size } = search;
  return (
    <>
      {needsIndex(search) && <SearchButton search={{ q, sort, page_size }}>Clear the filters</SearchButton>}
      {q !== undefined && <SearchButton search={{ ...search, q: undefined }}>Clear the search</SearchButton>}
    </>
  );
}

const ClearOnly = (props: { search: IdentitiesSearch }) => (
  <Group gap="xs" justify="center">
    <Clear {...props} />
  </Group>
);

/** @param instead label and text of another search */
function WhatElse(props: { search: IdentitiesSearch; text: string; instead?: readonly [label: string, q: string] }) {
  const { search, text, instead } = props;
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
        {instead !== undefined && <SearchButton search={{ ...search, q: instead[1] }}>{instead[0]}</SearchButton>}
        <Button size="xs" variant="default" loading={pending} onClick={() => void lookUpExternal()}>
          Look up as external id
        </Button>
        <Clear search={search} />
      </Group>
      {text.includes(':') ? (
        <Text size="xs" c="dimmed">
          Searched as provider:subject, which must match including case.
        </Text>
      ) : (
        <AsProviderSubject search={search} subject={text} />
      )}
      <FailureNote error={failure} />
    </Stack>
  );
}

/** Accounts at social providers are found as `provider:subject`, with the provider's id in the identity service. */
function AsProviderSubject({ search, subject }: { search: IdentitiesSearch; subject: string }) {
  const navigate = route.useNavigate();
  const [provider, setProvider] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const name = provider.trim();
        if (name !== '') void navigate({ search: { ...search, q: `${name}:${subject}` } });
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
