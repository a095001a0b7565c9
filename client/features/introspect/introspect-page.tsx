import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { isObject, text } from '../../../shared/json.ts';
import { type OauthClient, readClient } from '../../api/oauth-clients.ts';
import { RequestError } from '../../api/request.ts';
import { useCan } from '../../api/session.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { FactList, RelativeTime } from '../../ui/facts.tsx';
import { FailurePanel } from '../../ui/failure-panel.tsx';
import { SecretTextarea, submitOnEnter } from '../../ui/fields.tsx';
import { useFocusAfterRender, useSingleFlight } from '../../ui/hooks.tsx';
import { Section, TextLink } from '../../ui/layout.tsx';
import { tokenToIntrospect } from '../../ui/pages.ts';
import { GuardedPage } from '../../ui/state-panel.tsx';
import { EndToken } from './end-token.tsx';
import { endOf, type Introspection, introspect, tokenIn } from './introspection.ts';

export const IntrospectPage = () => (
  <GuardedPage
    open={useCan()('upstreams.write')}
    title="Introspect"
    about="Check whether a token is valid and what it allows, or revoke it."
  >
    <Introspect />
  </GuardedPage>
);

/** The token is only in component state. */
function Introspect() {
  const [pasted, setPasted] = useState('');
  const [result, setResult] = useState<{ token: string; response: Introspection; client: OauthClient | undefined }>();
  const { run, pending, failure, setFailure } = useSingleFlight();
  const focusAfterRender = useFocusAfterRender();
  const status = useRef<HTMLDivElement>(null);
  const brought = tokenToIntrospect.use();
  useEffect(() => {
    if (brought === '') return;
    setPasted(brought);
    setResult(undefined);
    tokenToIntrospect.set('');
  }, [brought]);

  const read = async (token: string): Promise<void> => {
    const response = await introspect(token);
    const client = typeof response.client_id === 'string' ? await clientOrNone(response.client_id) : undefined;
    setResult({ token, response, client });
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const token = tokenIn(pasted);
    if (token === '') return;
    void run(async () => {
      setResult(undefined);
      await read(token);
    });
  };
  const clear = (): void => {
    setPasted('');
    setResult(undefined);
    setFailure(undefined);
  };

  const end = result && endOf(result.response, result.client);
  return (
    <Stack gap="md" maw="52rem">
      <form onSubmit={submit}>
        <Stack gap="xs">
          <SecretTextarea
            secret
            label="Token"
            description="An access or refresh token. It is sent to the OAuth server, and never stored, logged or put in the URL."
            value={pasted}
            onChange={(event) => setPasted(event.currentTarget.value)}
            onKeyDown={submitOnEnter}
          />
          <Group gap="xs">
            <Button type="submit" loading={pending} disabled={tokenIn(pasted) === ''}>
              Introspect
            </Button>
            {(pasted !== '' || result !== undefined) && (
              <Button variant="default" onClick={clear}>
                Clear
              </Button>
            )}
          </Group>
        </Stack>
      </form>
      {failure !== undefined && <FailurePanel error={failure} />}
      <div role="status" ref={status} tabIndex={-1}>
        {result !== undefined && (
          <Text size="sm">
            {result.response.active
              ? 'This token is valid.'
              : 'This token is not valid. It has expired, was revoked, or was never issued here: the OAuth server does not say which.'}
          </Text>
        )}
      </div>
      {result?.response.active === true && (
        <>
          <TokenDetails response={result.response} client={result.client} />
          {end !== undefined && (
            <EndToken
              token={result.token}
              end={end}
              onEnded={async () => {
                await read(result.token);
                // The button that ended the token disappears, so move focus.
                focusAfterRender(() => status.current);
              }}
            />
          )}
        </>
      )}
    </Stack>
  );
}

/** If the client cannot be read, the details of the token are still shown. */
const clientOrNone = (id: string): Promise<OauthClient | undefined> =>
  readClient(id).catch((error) => {
    if (error instanceof RequestError && error.code !== 'not_authenticated') return undefined;
    throw error;
  });

const KINDS = new Map([
  ['access_token', 'Access token'],
  ['refresh_token', 'Refresh token'],
]);

function TokenDetails({ response, client }: { response: Introspection; client: OauthClient | undefined }) {
  const { token_use, client_id, scope, aud, iss, iat, exp, ext } = response;
  const kind = text(token_use);
  const facts: [string, ReactNode][] = [
    ['Kind', KINDS.get(kind) ?? kind],
    ['Client', typeof client_id === 'string' && <ClientLink key="client" id={client_id} client={client} />],
    ['Subject', subjectOf(response)],
    ['Scope', text(scope)],
    ['Audience', Array.isArray(aud) && aud.map(String).join(', ')],
    ['Issuer', text(iss)],
    ['Issued', timeOf(iat)],
    ['Expires', timeOf(exp)],
  ];
  return (
    <>
      <Section title="Details">
        <FactList facts={facts.filter(([, value]) => value !== '' && value !== false)} />
      </Section>
      {isObject(ext) && Object.keys(ext).length > 0 && (
        <Section title="Custom claims">
          <Code block tabIndex={0}>
            {JSON.stringify(ext, null, 2)}
          </Code>
        </Section>
      )}
    </>
  );
}

/** A person's id, with a link to their consents. A client that acts for itself has none. */
function subjectOf({ sub, client_id: client }: Introspection): ReactNode {
  const subject = text(sub);
  if (subject === '' || subject === client) return subject;
  return (
    <>
      <bdi>{visibleText(subject)}</bdi>
      {' · '}
      <TextLink inherit underline="always" to="/oauth/consents" search={{ subject, client: text(client) || undefined }}>
        View consents
      </TextLink>
    </>
  );
}

const ClientLink = ({ id, client }: { id: string; client: OauthClient | undefined }) => {
  const name = text(client?.client_name);
  return (
    <TextLink size="sm" to="/oauth/clients/$id" params={{ id }}>
      <bdi>{visibleText(name === '' ? id : `${name} (${id})`)}</bdi>
    </TextLink>
  );
};

/** @param seconds since the epoch */
const timeOf = (seconds: unknown): ReactNode =>
  typeof seconds === 'number' &&
  Math.abs(seconds) < 8.64e12 && <RelativeTime at={new Date(seconds * 1_000).toISOString()} />;
